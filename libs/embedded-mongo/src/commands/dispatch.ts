/** Finds and runs the command that a message names, and turns refusals into MongoDB's error replies. */
import { CommandError, failCommand } from '../errors';
import type { Doc } from '../bson/values';
import { docOf, int } from '../bson/values';
import { aggregateCommands } from './aggregate-command';
import { authCommands } from './auth-commands';
import { collectionCommands } from './collection-commands';
import type { Command, CommandContext } from './context';
import { readTick } from './context';
import { countCommands } from './count-command';
import { deleteCommands } from './delete-command';
import { explainCommands } from './explain-command';
import { maxTimeOf } from './fields';
import { findAndModifyCommands } from './find-and-modify-command';
import { findCommands } from './find-command';
import { handshakeCommands } from './handshake';
import { indexCommands } from './index-commands';
import { insertCommands } from './insert-command';
import { sessionCommands } from './session-commands';
import { updateCommands } from './update-command';

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    ...handshakeCommands,
    ...sessionCommands,
    ...authCommands,
    ...findCommands,
    ...insertCommands,
    ...updateCommands,
    ...deleteCommands,
    ...findAndModifyCommands,
    ...countCommands,
    ...aggregateCommands,
    ...indexCommands,
    ...collectionCommands,
    ...explainCommands,
  }),
);

export const commandNames = (): string[] => [...commands.keys()];

/** Runs a command; refusals become an error reply. `report` receives faults of the store itself. */
export async function runCommand(
  command: Doc,
  context: CommandContext,
  report: (error: unknown) => void,
): Promise<Doc> {
  try {
    const reply = await findAndRun(command, context);
    reply.set('ok', 1);
    return reply;
  } catch (error) {
    if (error instanceof CommandError) return errorReply(error);
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      return errorReply(new CommandError(15, 'the command nests too deeply'));
    }
    report(error);
    return errorReply(new CommandError(1, 'internal error of the document store'));
  } finally {
    // A cursor continues after its command; the time between its batches does not count.
    context.tick = readTick(0, context.scheduler);
  }
}

export function errorReply(error: CommandError): Doc {
  return docOf({ ok: 0, errmsg: error.message, code: int(error.code), codeName: error.codeName, ...error.extra });
}

async function findAndRun(command: Doc, context: CommandContext): Promise<Doc> {
  const [name] = command.keys();
  const run = commands.get(name ?? '');
  if (!run || name === undefined) return failCommand(59, `no such command: '${name ?? ''}'`);
  context.session.authorize(name, command, context.database);
  assertNoTransaction(command);
  checkReadConcern(command);
  context.tick = readTick(maxTimeOf(command), context.scheduler);
  context.store.engine.refresh();
  return run(command, context);
}

/** A standalone server knows neither retryable writes nor transactions. */
function assertNoTransaction(command: Doc): void {
  if (command.has('txnNumber') || command.has('startTransaction') || command.has('autocommit')) {
    failCommand(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
}

const readConcerns = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

/** Every read sees committed and durable data, so the levels do not differ; unknown ones are refused. */
function checkReadConcern(command: Doc): void {
  const concern = command.get('readConcern');
  if (concern === undefined) return;
  if (!(concern instanceof Map)) return failCommand(9, 'readConcern must be an object');
  const level = concern.get('level');
  if (level !== undefined && !readConcerns.includes(level as string)) failCommand(9, `invalid readConcern level`);
  if (level === 'snapshot') failCommand(246, 'read concern snapshot is only supported on a replica set');
}
