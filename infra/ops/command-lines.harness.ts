/** Command lines of the off-line program with sample values, and how one process plays many of them. */
import { mintToken, type newSigningKey } from '@platform/http-server';
import { runProgram, type ProgramRun } from '../../test/support/run-program';
import offlineCommands from './ops.command.cjs';

export const services = Object.keys(offlineCommands.owned);
export const commands = Object.entries(
  offlineCommands.commands as Readonly<
    Record<string, { readonly words?: readonly string[]; readonly options?: readonly string[] }>
  >,
);
/** The services whose programs run the command. */
export const ownersOf = (name: string): string[] =>
  services.filter((each) => offlineCommands.owned[each]?.includes(name));

/** Sample values for the words that a command needs. */
export const wordsFor = (name: string, words: readonly string[] = []): string[] => [
  ...name.split(' '),
  ...words
    .filter((word) => word.startsWith('<'))
    .map((word) => (word === '<seq>' ? '1' : word.includes(':') ? 'migration-1:acme' : 'operation1')),
];
export const proofsFor = (options: readonly string[] = []): string[] => [
  ...(options.includes('executor-stopped') ? ['--executor-stopped', 'its host was reinstalled'] : []),
  ...(options.includes('proof') ? ['--proof', 'its host was reinstalled'] : []),
  ...(options.includes('by') ? ['--by', 'ann@example.com'] : []),
  ...(options.includes('outcome') ? ['--outcome', 'not_applied'] : []),
  ...(options.includes('provider-object') ? ['--provider-object', 'none'] : []),
  ...(options.includes('reason') ? ['--reason', 'its data was dropped with ticket 4711'] : []),
];

/** A line of the command with every word and proof that it needs, but without leave to write. */
export const sampleOf = (name: string, words?: readonly string[], options?: readonly string[]): string[] => [
  ...wordsFor(name, words),
  ...proofsFor(options),
];

/** The token of the person whom the sample proofs name. */
export const tokenOfAnn = (signingKey: ReturnType<typeof newSigningKey>): Promise<string> =>
  mintToken({
    signingKey,
    issuer: 'workspace-platform',
    audience: 'workspace-platform',
    lifetimeSeconds: 600,
    caller: {
      subject: 'ann',
      email: 'ann@example.com',
      role: 'platform_owner',
      workspaces: {},
      permissions: [],
    },
  });

/** Runs a program for one command line after another, as `node <program> <args>` does for one. */
const inTurn = `(async () => {
  const [file, lines] = process.argv.slice(1);
  const print = process.stdout.write.bind(process.stdout);
  const answers = [];
  for (const { args, env } of JSON.parse(lines)) {
    const ran = { stdout: '', stderr: '' };
    for (const name of Object.keys(ran)) process[name].write = (text) => ((ran[name] += text), true);
    process.argv = [process.execPath, file, ...args];
    process.env = env;
    process.exitCode = undefined;
    delete require.cache[file];
    require(file);
    while (process.exitCode === undefined) await new Promise((done) => setTimeout(done, 1));
    answers.push({ status: process.exitCode, ...ran });
  }
  process.exitCode = 0;
  print(JSON.stringify(answers));
})();`;

export interface Line {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The answers of a program to lines in their order. Throws when the process ends in another way. */
export async function runInTurn(
  flags: readonly string[],
  program: string,
  lines: readonly Line[],
): Promise<ProgramRun[]> {
  const { PATH } = process.env;
  const args = [...flags, '-e', inTurn, program, JSON.stringify(lines)];
  const ran = await runProgram(args, { env: { PATH } });
  if (ran.status !== 0 || ran.stderr !== '') throw new Error(`${program} ended with ${ran.status}: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as ProgramRun[];
}
