/**
 * What a connection may do. Without configured users every connection may do everything, as on a server without access
 * control.
 */
import { CommandError, failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { Binary, docOf, int } from '../bson/values';
import type { Conversation } from './scram';
import { startConversation } from './scram';
import type { FindUser, User } from './users';

export interface Session {
  /** Throws code 13 when the connection may not run the command on the database. */
  authorize(command: string, document: Doc, database: string): void;
  mayRead(database: string): boolean;
  /** The session of a store without users. */
  mechanismsFor(user: Value | undefined): Value | undefined;
  start(command: Doc, database: string): Doc;
  proceed(command: Doc): Doc;
  logout(): void;
  status(): Doc;
}

const mechanism = 'SCRAM-SHA-256';
const beforeLogin = [
  'hello',
  'isMaster',
  'ismaster',
  'ping',
  'buildInfo',
  'buildinfo',
  'saslStart',
  'saslContinue',
  'logout',
  'connectionStatus',
  'endSessions',
  'whatsmyuri',
];
const readCommands = [
  'find',
  'getMore',
  'killCursors',
  'aggregate',
  'count',
  'distinct',
  'listIndexes',
  'listCollections',
  'explain',
  'startSession',
  'refreshSessions',
  'killSessions',
];
const writeCommands = [
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
  'createIndexes',
  'dropIndexes',
  'deleteIndexes',
  'create',
  'drop',
  'dropDatabase',
];

/** The session of a store without users. */
export function openAccess(): Session {
  const noUsers = (): never => failCommand(18, 'Authentication failed.');
  return {
    authorize: () => undefined,
    mayRead: () => true,
    mechanismsFor: () => undefined,
    start: noUsers,
    proceed: noUsers,
    logout: () => undefined,
    status: () => statusOf([]),
  };
}

/** The session of one connection to a store with users. */
export function restrictedAccess(findUser: FindUser): Session {
  const users: User[] = [];
  let conversation: { exchange: Conversation; user: User | undefined; done: boolean } | undefined;

  const roleOn = (database: string): 'read' | 'readWrite' | undefined => {
    const roles = users.map((user) => user.roles.get(database));
    return roles.includes('readWrite') ? 'readWrite' : roles.find((role) => role !== undefined);
  };
  return {
    authorize: (command, _document, database) => {
      if (beforeLogin.includes(command)) return;
      if (users.length === 0) failCommand(13, `command ${command} requires authentication`);
      if (command === 'listDatabases') return;
      const role = roleOn(database);
      const allowed = readCommands.includes(command)
        ? role !== undefined
        : writeCommands.includes(command)
          ? role === 'readWrite'
          : true;
      if (!allowed) failCommand(13, `not authorized on ${database} to execute command ${command}`);
    },
    mayRead: (database) => roleOn(database) !== undefined,
    mechanismsFor: (user) => {
      if (typeof user !== 'string') return undefined;
      const dot = user.indexOf('.');
      return findUser(user.slice(0, dot), user.slice(dot + 1)) ? [mechanism] : undefined;
    },
    start: (command, database) => {
      if (command.get('mechanism') !== mechanism) failCommand(2, `the only authentication mechanism is ${mechanism}`);
      let user: User | undefined;
      const exchange = startConversation(payloadOf(command), (name) => (user = findUser(database, name))?.credentials);
      conversation = { exchange, user, done: false };
      return step(exchange.challenge, false);
    },
    proceed: (command) => {
      const current = conversation ?? failCommand(17, 'No SASL session state found');
      if (current.done) {
        conversation = undefined;
        return step('', true);
      }
      try {
        const final = current.exchange.finish(payloadOf(command));
        current.done = true;
        if (current.user && !users.includes(current.user)) users.push(current.user);
        return step(final, false);
      } catch (error) {
        conversation = undefined;
        throw error;
      }
    },
    logout: () => void users.splice(0),
    status: () => statusOf(users),
  };
}

function payloadOf(command: Doc): string {
  const payload = command.get('payload');
  if (payload instanceof Binary) return payload.bytes.toString('utf8');
  throw new CommandError(18, 'Authentication failed.');
}

const step = (payload: string, done: boolean): Doc =>
  docOf({ conversationId: int(1), done, payload: new Binary(0, Buffer.from(payload, 'utf8')) });

function statusOf(users: readonly User[]): Doc {
  return docOf({
    authInfo: docOf({
      authenticatedUsers: users.map((user) => docOf({ user: user.name, db: user.database })),
      authenticatedUserRoles: users.flatMap((user) => [...user.roles].map(([db, role]) => docOf({ role, db }))),
    }),
  });
}
