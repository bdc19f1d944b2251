/**
 * The permissions in MongoDB: one user per service, one role per user, privileges by collection. Trails may be added to
 * and not changed; only documents that a service itself removes may be removed by it. The table is written as the
 * script of a deployment's one-shot job; `roles.int.spec.ts` compares it with the collections that services declare.
 */
export interface ServiceGrant {
  readonly user: string;
  readonly database: string;
  /** Read and changed by fenced writes. */
  readonly changed: readonly string[];
  /** Collections whose documents the user reads and adds, and never changes. */
  readonly appended?: readonly string[];
  /** Changed collections from which the service also removes documents. */
  readonly removed?: readonly string[];
  /** Changed collections in which a person's resolution or waiver changes documents. */
  readonly resolved?: readonly string[];
  /** Changed collections to which a resolution adds documents. */
  readonly noted?: readonly string[];
  /** Only read. */
  readonly read?: readonly string[];
}

export const serviceGrants: readonly ServiceGrant[] = [
  {
    user: 'operator',
    database: 'operator',
    changed: [
      'operations',
      'subscriptions',
      'plans',
      'plan_migrations',
      'plan_migration_items',
      'checkout_receipts',
      'provider_event_admissions',
      'mirror_refreshes',
      'work_items',
      'case_work',
      'case_pins',
      'dead_letters',
      'contradictions',
      'differences',
      'reconciliations',
      'credit_allowances',
      'resolution_proposals',
      'credit_proposals',
      'console_sessions',
      'executor_incarnations',
      'interruption_notices',
    ],
    appended: ['audit_blocks', 'migration_audit_blocks', 'migration_item_audit_blocks', 'instance_audit_blocks'],
    removed: ['mirror_refreshes', 'work_items', 'console_sessions'],
    resolved: [
      'operations',
      'subscriptions',
      'plan_migrations',
      'plan_migration_items',
      'mirror_refreshes',
      'dead_letters',
      'contradictions',
      'differences',
      'reconciliations',
      'executor_incarnations',
    ],
    // The findings and progress of `ops reconcile`, and workspaces that `ops import` imports.
    noted: ['mirror_refreshes', 'differences', 'reconciliations', 'subscriptions'],
  },
  {
    user: 'billing-webhook',
    database: 'billing_webhook',
    changed: ['payment_provider_webhook_events', 'webhook_digests', 'executor_incarnations'],
    appended: ['audit_blocks'],
    removed: ['payment_provider_webhook_events'],
    resolved: ['payment_provider_webhook_events'],
  },
  {
    user: 'provisioning',
    database: 'provisioning',
    changed: [
      'attempts',
      'lifecycle_outbox',
      'capacity_reservations',
      'trial_reservations',
      'creation_windows',
      'tenants',
      'billing_profiles',
      'hook_listeners',
      'deletions',
      'creation_remains',
      'provider_event_admissions',
      'executor_incarnations',
      'interruption_notices',
    ],
    appended: ['audit_blocks', 'event_audit_blocks', 'instance_audit_blocks'],
    resolved: [
      'attempts',
      'lifecycle_outbox',
      'capacity_reservations',
      'trial_reservations',
      'tenants',
      'billing_profiles',
      'deletions',
      'provider_event_admissions',
      'executor_incarnations',
    ],
    // The tombstone of a creation that ended before its marker was written, and the objects that a resolved one has
    // left.
    noted: ['lifecycle_outbox', 'creation_remains'],
  },
  {
    user: 'lifecycle-delivery',
    database: 'lifecycle_delivery',
    changed: [
      'lifecycle_messages',
      'lifecycle_deliveries',
      'lifecycle_consumers',
      'lifecycle_deleted_tenants',
      'executor_incarnations',
    ],
    appended: ['audit_blocks'],
    resolved: ['lifecycle_deliveries', 'lifecycle_messages'],
  },
];

/**
 * The page host reads the data of its pages, whatever the collections are called, and follows its writes; it writes
 * none.
 */
export const readerGrants: readonly ServiceGrant[] = [
  { user: 'query-builder', database: 'query_builder', changed: [], read: [''] },
];

interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

export interface RoleAndUser {
  readonly database: string;
  readonly user: string;
  readonly role: string;
  readonly privileges: readonly Privilege[];
  /** Roles of `admin` that the user has in addition to its own. */
  readonly shared: readonly string[];
}

/**
 * Reads the deployment's default write concern, which a service checks at its start. In MongoDB only a role of `admin`
 * can have privileges on the cluster; a user of any database may have such a role.
 */
const concernReader = {
  database: 'admin',
  role: 'default-concern-reader',
  privileges: [{ resource: { cluster: true }, actions: ['getDefaultRWConcern'] }],
} as const;

const declares = ['createCollection', 'createIndex', 'listIndexes'];

export function roleOf({ user, database, changed, appended = [], removed = [], read = [] }: ServiceGrant): RoleAndUser {
  const on = (collection: string, actions: readonly string[]): Privilege => ({
    resource: { db: database, collection },
    actions,
  });
  return {
    database,
    user,
    role: `${user}-role`,
    privileges: [
      ...changed.map((name) =>
        on(name, ['find', 'insert', 'update', ...(removed.includes(name) ? ['remove'] : []), ...declares]),
      ),
      ...appended.map((name) => on(name, ['find', 'insert', ...declares])),
      // The versions of its documents: read at every start, and written once while a collection is still empty.
      ...(changed.length > 0 ? [on('schema_versions', ['find', 'insert', 'createCollection'])] : []),
      ...read.map((name) =>
        on(name, name === '' ? ['find', 'listCollections', 'listIndexes', 'changeStream'] : ['find']),
      ),
    ],
    shared: [concernReader.role],
  };
}

/** The user of `npm run ops -- migrate` in one database: reads and changes every document, removes none. */
export function migratorOf({ user, database, changed, appended = [] }: ServiceGrant): RoleAndUser {
  const on = (collection: string, actions: readonly string[]): Privilege => ({
    resource: { db: database, collection },
    actions,
  });
  return {
    database,
    user: `${user}-migrate`,
    role: `${user}-migrate-role`,
    privileges: [
      on('', ['listCollections']),
      ...[...changed, ...appended].map((name) => on(name, ['find', 'update'])),
      on('schema_versions', ['find', 'insert', 'update', 'createCollection']),
    ],
    shared: [],
  };
}

/**
 * The user of the off-line commands in one database: reads everything of the service, writes what a resolution or a
 * waiver writes, removes nothing and adds to no trail, which the service itself maintains.
 */
export function resolverOf({
  user,
  database,
  changed,
  appended = [],
  resolved = [],
  noted = [],
}: ServiceGrant): RoleAndUser {
  const on = (collection: string, actions: readonly string[]): Privilege => ({
    resource: { db: database, collection },
    actions,
  });
  return {
    database,
    user: `${user}-resolve`,
    role: `${user}-resolve-role`,
    privileges: [
      ...[...changed, ...appended].map((name) =>
        on(name, ['find', ...(resolved.includes(name) ? ['update'] : []), ...(noted.includes(name) ? ['insert'] : [])]),
      ),
      on('schema_versions', ['find']),
    ],
    shared: [concernReader.role],
  };
}

/** `mongo_password_lifecycle_delivery` for `lifecycle-delivery`: the name of the secret's file. */
export function passwordFile(user: string): string {
  return `mongo_password_${user.replaceAll('-', '_')}`;
}

/**
 * The script for mongosh. Running it again brings roles and passwords to the state of this table and removes nothing.
 */
export function usersScript(grants: readonly ServiceGrant[]): string {
  const rows = grants.flatMap((grant) => [
    roleOf(grant),
    ...(grant.changed.length > 0 ? [migratorOf(grant), resolverOf(grant)] : []),
  ]);
  return [
    '// Generated by infra/mongo/write-users.ts from infra/mongo/roles.ts; do not edit. Runs in mongosh as an administrator.',
    '// Passwords are read from the files that the deployment mounts, never from arguments, which the process list shows.',
    "const { readFileSync } = require('node:fs');",
    "const folder = process.env.SECRETS_DIR || '/run/secrets';",
    'function makeRole(target, role, privileges) {',
    '  if (target.getRole(role)) target.updateRole(role, { privileges, roles: [] });',
    '  else target.createRole({ role, privileges, roles: [] });',
    '}',
    'function make({ database, user, role, privileges, shared, file }) {',
    '  const target = db.getSiblingDB(database);',
    '  makeRole(target, role, privileges);',
    "  const pwd = readFileSync(`${folder}/${file}`, 'utf8').trim();",
    "  const roles = [{ role, db: database }, ...shared.map((name) => ({ role: name, db: 'admin' }))];",
    '  if (target.getUser(user)) target.updateUser(user, { pwd, roles });',
    '  else target.createUser({ user, pwd, roles });',
    '  print(`${database}: user ${user}`);',
    '}',
    `makeRole(db.getSiblingDB('admin'), '${concernReader.role}', ${JSON.stringify(concernReader.privileges)});`,
    ...rows.map((row) => `make(${JSON.stringify({ ...row, file: passwordFile(row.user) })});`),
    '',
  ].join('\n');
}
