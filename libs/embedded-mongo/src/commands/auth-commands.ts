/** Authentication commands; SCRAM itself is in ../auth. */
import type { Command } from './context';
import { docOf } from '../bson/values';

const saslStart: Command = (command, context) => context.session.start(command, context.database);
const saslContinue: Command = (command, context) => context.session.proceed(command);
const logout: Command = (_command, context) => {
  context.session.logout();
  return docOf({});
};
const connectionStatus: Command = (_command, context) => context.session.status();

export const authCommands: Record<string, Command> = { saslStart, saslContinue, logout, connectionStatus };
