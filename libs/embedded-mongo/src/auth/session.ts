/** What a connection may do. Without configured users every connection may do everything, as a server without access control. */
import { refuse } from '../errors';
import type { Doc, Value } from '../bson/values';
import { docOf } from '../bson/values';

export interface Session {
  /** Throws code 13 when the connection may not run the command on the database. */
  authorize(command: string, document: Doc, database: string): void;
  mayRead(database: string): boolean;
  /** Mechanisms of the user that a handshake asks about ("db.user"), or undefined. */
  mechanismsFor(user: Value | undefined): Value | undefined;
  start(command: Doc, database: string): Doc;
  proceed(command: Doc): Doc;
  logout(): void;
  status(): Doc;
}

export function openAccess(): Session {
  const noUsers = (): never => refuse(18, 'Authentication failed.');
  return {
    authorize: () => undefined,
    mayRead: () => true,
    mechanismsFor: () => undefined,
    start: noUsers,
    proceed: noUsers,
    logout: () => undefined,
    status: () => docOf({ authInfo: docOf({ authenticatedUsers: [], authenticatedUserRoles: [] }) }),
  };
}
