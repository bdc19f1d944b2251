/** Finds and runs the command that a message names, and turns refusals into MongoDB's error replies. */
import { CommandError, refuse } from '../errors';
import type { Doc } from '../bson/values';
import { docOf, int } from '../bson/values';
import { AGGREGATE_COMMANDS } from './aggregate-command';
import { AUTH_COMMANDS } from './auth-commands';
import { COLLECTION_COMMANDS } from './collection-commands';
import type { Command, CommandContext } from './context';
import { readTick } from './context';
import { COUNT_COMMANDS } from './count-command';
import { DELETE_COMMANDS } from './delete-command';
import { EXPLAIN_COMMANDS } from './explain-command';
import { maxTimeOf } from './fields';
import { FIND_AND_MODIFY_COMMANDS } from './find-and-modify-command';
import { FIND_COMMANDS } from './find-command';
import { HANDSHAKE_COMMANDS } from './handshake';
import { INDEX_COMMANDS } from './index-commands';
import { INSERT_COMMANDS } from './insert-command';
import { SESSION_COMMANDS } from './session-commands';
import { UPDATE_COMMANDS } from './update-command';

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    ...HANDSHAKE_COMMANDS,
    ...SESSION_COMMANDS,
    ...AUTH_COMMANDS,
    ...FIND_COMMANDS,
    ...INSERT_COMMANDS,
    ...UPDATE_COMMANDS,
    ...DELETE_COMMANDS,
    ...FIND_AND_MODIFY_COMMANDS,
    ...COUNT_COMMANDS,
    ...AGGREGATE_COMMANDS,
    ...INDEX_COMMANDS,
    ...COLLECTION_COMMANDS,
    ...EXPLAIN_COMMANDS,
  }),
);

export const commandNames = (): string[] => [...COMMANDS.keys()];

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
    // A cursor goes on after its command; the time between its batches is the client's.
    context.tick = readTick(0, context.turns);
  }
}

export function errorReply(error: CommandError): Doc {
  return docOf({ ok: 0, errmsg: error.message, code: int(error.code), codeName: error.codeName, ...error.extra });
}

async function findAndRun(command: Doc, context: CommandContext): Promise<Doc> {
  const [name] = command.keys();
  const run = COMMANDS.get(name ?? '');
  if (!run || name === undefined) return refuse(59, `no such command: '${name ?? ''}'`);
  context.session.authorize(name, command, context.database);
  refuseTransactions(command);
  checkReadConcern(command);
  context.tick = readTick(maxTimeOf(command), context.turns);
  context.store.engine.refresh();
  return run(command, context);
}

/** A standalone server knows neither retryable writes nor transactions. */
function refuseTransactions(command: Doc): void {
  if (command.has('txnNumber') || command.has('startTransaction') || command.has('autocommit')) {
    refuse(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
}

const READ_CONCERNS = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

/** Every read sees committed and durable data, so the levels differ in nothing; unknown ones are refused. */
function checkReadConcern(command: Doc): void {
  const concern = command.get('readConcern');
  if (concern === undefined) return;
  if (!(concern instanceof Map)) return refuse(9, 'readConcern must be an object');
  const level = concern.get('level');
  if (level !== undefined && !READ_CONCERNS.includes(level as string)) refuse(9, `invalid readConcern level`);
  if (level === 'snapshot') refuse(246, 'read concern snapshot is only supported on a replica set');
}
