/**
 * Logical sessions: accepted, as on a standalone server, without retryable writes or transactions (both are refused
 * with code 20, see dispatch.ts).
 */
import { failCommand } from '../errors';
import type { Doc } from '../bson/values';
import { Binary, docOf, int } from '../bson/values';
import { randomBytes } from 'node:crypto';
import type { Command } from './context';
import { checkArguments, requiredArray, requiredValue, wrongType } from './fields';

const endSessions: Command = (command) => {
  const [first] = command.keys();
  checkArguments(command, first as string, []);
  for (const session of requiredArray(command, first as string)) {
    if (!(session instanceof Map)) throw wrongType(`${first}.0`, session, 'object');
    const id = requiredValue(session, 'id');
    if (!(id instanceof Binary)) throw wrongType(`${first}.0.id`, id, 'binData');
  }
  return docOf({});
};

/** Reached only without transaction fields; with them dispatch.ts has already refused. */
const endTransaction: Command = () =>
  failCommand(20, 'Transactions are only allowed on a replica set member or mongos');

const startSession: Command = (): Doc =>
  docOf({ id: docOf({ id: new Binary(4, randomBytes(16)) }), timeoutMinutes: int(30) });

export const sessionCommands: Record<string, Command> = {
  endSessions,
  refreshSessions: endSessions,
  killSessions: endSessions,
  startSession,
  commitTransaction: endTransaction,
  abortTransaction: endTransaction,
};
