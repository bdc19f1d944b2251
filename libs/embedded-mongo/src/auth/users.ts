/** The users of a store: configured at start, each with roles on databases. */
import type { Credentials } from './scram';
import { deriveCredentials } from './scram';

export interface UserOptions {
  user: string;
  /** ASCII only. */
  password: string;
  /** Database that the user authenticates against. */
  database: string;
  roles: { role: 'read' | 'readWrite'; database: string }[];
}

export interface User {
  name: string;
  database: string;
  credentials: Credentials;
  roles: ReadonlyMap<string, 'read' | 'readWrite'>;
}

/** Finds a user of a database. */
export type FindUser = (database: string, name: string) => User | undefined;

/** Prepares users; throws an Error that names the user when an entry is not usable. */
export function createUsers(options: readonly UserOptions[]): FindUser {
  const users = new Map<string, User>();
  for (const entry of options) {
    checkEntry(entry);
    const key = `${entry.database}.${entry.user}`;
    if (users.has(key)) throw new Error(`user ${key} is configured twice`);
    users.set(key, {
      name: entry.user,
      database: entry.database,
      credentials: deriveCredentials(entry.password),
      roles: rolesOf(entry),
    });
  }
  return (database, name) => users.get(`${database}.${name}`);
}

function checkEntry(entry: UserOptions): void {
  if (typeof entry.user !== 'string' || entry.user === '') throw new Error('a user without a name is configured');
  if (typeof entry.database !== 'string' || entry.database === '')
    throw new Error(`user ${entry.user} has no database`);
  if (typeof entry.password !== 'string' || !/^[\x20-\x7e]+$/.test(entry.password)) {
    throw new Error(`the password of user ${entry.user} must be printable ASCII`);
  }
}

function rolesOf(entry: UserOptions): Map<string, 'read' | 'readWrite'> {
  const roles = new Map<string, 'read' | 'readWrite'>();
  for (const { role, database } of entry.roles) {
    if (role !== 'read' && role !== 'readWrite')
      throw new Error(`user ${entry.user} has the unknown role ${String(role)}`);
    if (roles.get(database) !== 'readWrite') roles.set(database, role);
  }
  return roles;
}
