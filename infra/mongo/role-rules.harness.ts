/**
 * The refusals of MongoDB's `createRole`, `updateRole`, `createUser` and `updateUser`, for the users' script: the
 * server's documented rules on which database a role may reach, and its actions. It replaces a server where there is
 * none; it says nothing about what a privilege then allows.
 */
type Resource = { readonly db?: string; readonly collection?: string; readonly cluster?: true };
interface RoleGiven {
  readonly privileges: readonly { readonly resource: Resource; readonly actions: readonly string[] }[];
  readonly roles: readonly { readonly role: string; readonly db: string }[];
}
interface UserGiven {
  readonly pwd: string;
  readonly roles: readonly { readonly role: string; readonly db: string }[];
}

const actionsOnCollections = [
  ...['find', 'insert', 'update', 'remove', 'createCollection', 'createIndex', 'listIndexes', 'listCollections'],
  ...['collStats', 'dbStats', 'dropCollection', 'dropIndex', 'collMod', 'bypassDocumentValidation', 'killCursors'],
  'changeStream',
];
const actionsOnTheCluster = ['getDefaultRWConcern', 'setDefaultRWConcern', 'serverStatus', 'replSetGetStatus'];

class RefusedByServer extends Error {
  constructor(
    readonly codeName: 'InvalidRoleModification' | 'FailedToParse' | 'RoleNotFound' | 'BadValue' | 'DuplicateKey',
    message: string,
  ) {
    super(`${codeName}: ${message}`);
    this.name = 'RefusedByServer';
  }
}

function checkPrivilege(database: string, { resource, actions }: RoleGiven['privileges'][number]): void {
  const ofTheCluster = resource.cluster === true;
  if (ofTheCluster === (resource.db !== undefined && resource.collection !== undefined))
    throw new RefusedByServer('FailedToParse', 'a resource is a database with a collection, or the cluster');
  if (database !== 'admin' && (ofTheCluster || resource.db !== database))
    throw new RefusedByServer(
      'InvalidRoleModification',
      `Roles on the '${database}' database cannot be granted privileges that target other databases or the cluster`,
    );
  const known = ofTheCluster ? actionsOnTheCluster : actionsOnCollections;
  for (const action of actions)
    if (!known.includes(action))
      throw new RefusedByServer('FailedToParse', `Unrecognized action privilege string: ${action}`);
}

/**
 * Roles and users of a server, through the interface of `db.getSiblingDB(name)` in mongosh; `calls` lists what was
 * done.
 */
export function createRoleRules() {
  const roles = new Map<string, RoleGiven>();
  const users = new Map<string, UserGiven>();
  const calls: string[] = [];
  const checkRole = (database: string, given: RoleGiven): void => {
    for (const privilege of given.privileges) checkPrivilege(database, privilege);
    for (const { db } of given.roles)
      if (database !== 'admin' && db !== database)
        throw new RefusedByServer(
          'InvalidRoleModification',
          `Roles on the '${database}' database cannot be granted roles from other databases`,
        );
  };
  const checkUser = ({ pwd, roles: held }: UserGiven): void => {
    if (pwd === '') throw new RefusedByServer('BadValue', 'User passwords must not be empty');
    for (const { role, db } of held)
      if (!roles.has(`${db} ${role}`)) throw new RefusedByServer('RoleNotFound', `Could not find role: ${role}@${db}`);
  };
  const getSiblingDB = (database: string) => {
    const nameOf = (name: string): string => `${database} ${name}`;
    const put = <T>(kind: string, into: Map<string, T>, name: string, value: T, again: boolean): void => {
      if (into.has(nameOf(name)) !== again)
        throw new RefusedByServer(again ? 'RoleNotFound' : 'DuplicateKey', `${kind} ${nameOf(name)}`);
      into.set(nameOf(name), value);
      calls.push(`${again ? 'again ' : ''}${kind} ${nameOf(name)}`);
    };
    return {
      getRole: (name: string) => roles.get(nameOf(name)) ?? null,
      getUser: (name: string) => users.get(nameOf(name)) ?? null,
      createRole: ({ role, ...given }: RoleGiven & { readonly role: string }) => (
        checkRole(database, given),
        put('role', roles, role, given, false)
      ),
      updateRole: (role: string, given: RoleGiven) => (
        checkRole(database, given),
        put('role', roles, role, given, true)
      ),
      createUser: ({ user, ...given }: UserGiven & { readonly user: string }) => (
        checkUser(given),
        put('user', users, user, given, false)
      ),
      updateUser: (user: string, given: UserGiven) => (checkUser(given), put('user', users, user, given, true)),
    };
  };
  /** A user's privileges from all its roles. */
  const privilegesOf = (database: string, user: string) =>
    (users.get(`${database} ${user}`)?.roles ?? []).flatMap(
      ({ role, db }) => roles.get(`${db} ${role}`)?.privileges ?? [],
    );
  return { getSiblingDB, privilegesOf, calls };
}
