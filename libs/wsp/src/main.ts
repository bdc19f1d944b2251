/** `wsp`: one command for the gateway's interface, and for the off-line program of every service. */
import { exitCodes, Misuse, plainText, runCommand } from '@platform/command-line';
import { actOnConsumer, describeConsumer } from './act-on-consumer';
import { offerCompletions, printCompletionScript } from './completion';
import { answerOf, openGateway, Unanswered, type Gateway } from './gateway';
import { lists, listOf } from './lists';
import { runOffLine } from './off-line';
import type { Run } from './run';
import { describeCase } from './show-case';
import { describeStreams } from './show-streams';
import { describeWorkspace } from './show-workspace';
import { caseOf, traceRecord } from './trace-record';
import { describeTrace } from './trace';
import command from './wsp.command.cjs';

const print = (text: string): void => void process.stdout.write(`${plainText(text)}\n`);
const json = (value: unknown): string => JSON.stringify(value, null, 2);

async function work(run: Run): Promise<number> {
  if (run.command === 'ops') return runOffLine(run.words);
  if (run.command === 'completion') return printCompletionScript(run.words[0] ?? '');
  print(await answer(run, openGateway(run.values, process.env)));
  return exitCodes.done;
}

/** The output of a command that uses the gateway. Throws `Misuse` and `Unanswered`. */
async function answer(run: Run, gateway: Gateway): Promise<string> {
  const { command: name, words, values } = run;
  const shown = <T>(value: T, describe: (value: T) => string) => (values.json ? json(value) : describe(value));
  const [id = ''] = words;
  switch (name) {
    case 'case show':
      return shown(await caseOf(gateway, id, values.kind), describeCase);
    case 'deadletters show':
      return shown(await caseOf(gateway, id, 'dead_letter'), describeCase);
    case 'trace':
      return shown(await traceRecord(gateway, id, values), describeTrace);
    case 'workspace show':
      return shown(answerOf(await gateway('readWorkspace', { path: { tenantId: id } })), describeWorkspace);
    case 'consumer pause':
    case 'consumer resume':
    case 'consumer test':
    case 'consumer replay':
    case 'consumer cancel-replay':
    case 'consumer register-endpoint':
    case 'consumer remove-endpoint':
      return shown(await actOnConsumer(gateway, id, name, values), describeConsumer);
    case 'streams':
      return shown(answerOf(await gateway('readStreams', {})), describeStreams);
    case 'ops':
    case 'completion':
      throw new Misuse(`${name} asks no gateway`);
    default:
      return listOf(lists[name], run, gateway);
  }
}

/** The shell requests completions in the form `wsp complete -- <words>`. */
const [first, second, ...typed] = process.argv.slice(2);
if (first === 'complete' && second === '--') void offerCompletions(command, typed);
else
  void runCommand(command, work, {
    describe: (error) => {
      if (error instanceof Unanswered) return { text: plainText(`wsp: ${error.message}`), code: error.code };
      return { text: `wsp: ${error instanceof Error ? error.message : String(error)}`, code: exitCodes.failed };
    },
  });
