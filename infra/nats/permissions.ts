/**
 * Who may say and hear what on the broker. Each party gets exactly the subjects that its row implies, replies only in
 * its own inbox, and nothing by default; the file that the server reads is generated from this table.
 */
import type { Topology } from '@platform/messaging';

export interface Party {
  /** Also the user's name at the broker and the middle of its inbox prefix. */
  readonly user: string;
  readonly publishes: readonly string[];
  readonly consumes: readonly { readonly stream: string; readonly durable: string }[];
  /** Subjects that it answers. */
  readonly serves: readonly string[];
  /** Subjects that it asks. */
  readonly requests: readonly string[];
  /** Compares the whole topology at start: reads configurations, never contents. */
  readonly assertsTopology: boolean;
  /** Streams whose stored messages it may look at, to tell the age of the oldest one that waits. */
  readonly looksInto: readonly string[];
  /** Stream whose durables it declares and removes. */
  readonly declaresDurablesOf: readonly string[];
  /**
   * Buckets whose keys it may read, one by one. Watching is not offered: whoever makes a consumer chooses the subject
   * that the broker delivers to, and the broker does not ask whether that user may publish there.
   */
  readonly readsBuckets: readonly string[];
  readonly writesBuckets: readonly string[];
}

const nothing = {
  serves: [],
  requests: [],
  assertsTopology: true,
  looksInto: [],
  declaresDurablesOf: [],
  readsBuckets: [],
  writesBuckets: [],
};

/** The services of the platform, in the order of architecture §3. */
export const serviceParties: readonly Party[] = [
  {
    ...nothing,
    user: 'operator',
    publishes: [
      'lifecycle.message.suspended',
      'lifecycle.message.reactivation_requested',
      'lifecycle.message.tenant_deleted',
      'workspace.deletion_requested',
      'provider.outcome.operator',
      'checkout.completed',
      'migration.progress',
      'migration.workspace_migrated',
      'alert.reconciliation_required.operator.*',
      'work.changed.*',
    ],
    consumes: [
      { stream: 'LIFECYCLE_SETTLED', durable: 'operator' },
      { stream: 'PROVIDER_EVENTS', durable: 'operator' },
      { stream: 'WORKSPACES', durable: 'operator' },
      { stream: 'DELETIONS', durable: 'operator' },
      ...['ALERTS', 'PROVIDER_OUTCOMES', 'LIFECYCLE_SETTLED', 'WORKSPACES'].map((stream) => ({
        stream,
        durable: 'operator-work-queue',
      })),
      // Each replica has a durable of its own there, named at run time.
      { stream: 'WORK_CHANGES', durable: '*' },
    ],
    serves: [
      'workspace.access',
      'workspace.inventory',
      'executor.work.operator.*',
      'outbox.backlog.operator',
      'provider.admission.operator',
    ],
    requests: [
      'outbox.backlog.*',
      'executor.work.operator.*',
      'lifecycle.inspect.*',
      'provisioning.attempts.*',
      'provisioning.workspace.*',
      'provisioning.trial.reserve',
      'provisioning.tenants.page',
      'webhook_events.inspect',
    ],
    looksInto: ['*'],
    declaresDurablesOf: ['WORK_CHANGES'],
    readsBuckets: ['workspace_access'],
    writesBuckets: ['workspace_access'],
  },
  {
    ...nothing,
    user: 'billing-webhook',
    publishes: [
      'provider.event.operator.>',
      'provider.event.provisioning.>',
      'alert.reconciliation_required.billing-webhook.*',
    ],
    consumes: [{ stream: 'PROVIDER_OUTCOMES', durable: 'billing-webhook' }],
    serves: ['webhook_events.inspect', 'executor.work.billing-webhook.*', 'outbox.backlog.billing-webhook'],
    requests: ['executor.work.billing-webhook.*', 'provider.admission.*'],
  },
  {
    ...nothing,
    user: 'provisioning',
    publishes: [
      'lifecycle.message.created',
      'workspace.committed',
      'workspace.cancelled',
      'workspace.deleted',
      'provider.outcome.provisioning',
      'alert.reconciliation_required.provisioning.*',
    ],
    consumes: [
      { stream: 'PROVIDER_EVENTS', durable: 'provisioning' },
      { stream: 'LIFECYCLE_SETTLED', durable: 'provisioning' },
      { stream: 'DELETIONS', durable: 'provisioning' },
    ],
    serves: [
      'provisioning.>',
      'executor.work.provisioning.*',
      'outbox.backlog.provisioning',
      'provider.admission.provisioning',
    ],
    requests: ['executor.work.provisioning.*', 'tenant_being_provisioned.*', 'tenant_deleted.*'],
  },
  {
    ...nothing,
    user: 'lifecycle-delivery',
    publishes: ['tenant.lifecycle.*.*', 'lifecycle.settled.*', 'alert.reconciliation_required.lifecycle-delivery.*'],
    consumes: [
      { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' },
      { stream: 'TENANT_RECEIPTS', durable: 'lifecycle-delivery' },
    ],
    serves: [
      'lifecycle.consumer.register.*',
      'lifecycle.consumer.unregister.*',
      'lifecycle.inspect.*',
      'executor.work.lifecycle-delivery.*',
      'outbox.backlog.lifecycle-delivery',
    ],
    requests: ['executor.work.lifecycle-delivery.*'],
    looksInto: ['LIFECYCLE', 'TENANT_LIFECYCLE', 'TENANT_RECEIPTS'],
    declaresDurablesOf: ['TENANT_LIFECYCLE'],
  },
  {
    ...nothing,
    user: 'query-builder',
    publishes: [],
    consumes: [],
    requests: ['workspace.access'],
    assertsTopology: false,
  },
];

/**
 * The off-line commands ask for a case file, and re-drive dead letters: they look at these alone, and publish wherever a
 * durable reads. The broker cannot hold them to stored messages and their ids: who has the password is trusted with that.
 */
export const opsParty: Party = {
  ...nothing,
  user: 'ops',
  publishes: [
    ...['lifecycle.message.*', 'tenant.lifecycle.*.*', 'tenant.receipt.*', 'lifecycle.settled.*'],
    ...['provider.event.*.>', 'provider.outcome.*', 'alert.reconciliation_required.*.*'],
    ...['workspace.committed', 'workspace.cancelled', 'workspace.deletion_requested', 'workspace.deleted'],
  ],
  consumes: [],
  requests: ['lifecycle.inspect.operation', 'executor.work.>'],
  looksInto: ['DEAD_LETTERS'],
  assertsTopology: false,
};

/** A consumer service of another team: registers itself, reads its own deliveries, sends its own receipts, and nothing else. */
export function consumerParty(name: string): Party {
  if (!/^[a-z][a-z0-9_-]{2,63}$/.test(name))
    throw new Error(`Consumer name ${JSON.stringify(name)}: 3 to 64 of a-z, 0-9, _ and -, a letter first`);
  if ([...serviceParties, opsParty].some(({ user }) => user === name))
    throw new Error(`Consumer name ${name} is the name of a service`);
  return {
    ...nothing,
    user: name,
    publishes: [`tenant.receipt.${name}`],
    consumes: [{ stream: 'TENANT_LIFECYCLE', durable: name }],
    serves: [`tenant_being_provisioned.${name}`, `tenant_deleted.${name}`],
    requests: [
      `lifecycle.consumer.register.${name}`,
      `lifecycle.consumer.unregister.${name}`,
      'provisioning.gate.is_committed',
      'workspace.access',
      'workspace.inventory',
      `provisioning.listeners.register.${name}`,
      `provisioning.listeners.unregister.${name}`,
    ],
    assertsTopology: false,
    readsBuckets: ['workspace_access'],
  };
}

interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer whom it was asked by, wherever that one listens. */
  readonly responds: boolean;
}

/** Everything that the party's row implies on the wire. */
function permissionsOf(party: Party, topology: Topology): Permissions {
  const { user, consumes, serves, declaresDurablesOf, looksInto } = party;
  const consuming = consumes.flatMap(({ stream, durable }) => [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
    `dead_letter.${stream}.${durable}`,
  ]);
  const asserting = [
    ...topology.streams.flatMap(({ name, durables }) => [
      `$JS.API.STREAM.INFO.${name}`,
      ...durables.map(({ durable }) => `$JS.API.CONSUMER.INFO.${name}.${durable}`),
    ]),
    ...topology.buckets.map(({ name }) => `$JS.API.STREAM.INFO.KV_${name}`),
  ];
  const keyed = [
    ...party.readsBuckets.flatMap((bucket) => [
      `$JS.API.STREAM.INFO.KV_${bucket}`,
      `$JS.API.DIRECT.GET.KV_${bucket}.$KV.${bucket}.*`,
    ]),
    ...party.writesBuckets.map((bucket) => `$KV.${bucket}.*`),
  ];
  const declaring = declaresDurablesOf.flatMap((stream) => [
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
  ]);
  const looking = looksInto.flatMap((stream) => [
    `$JS.API.CONSUMER.LIST.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
  ]);
  const publish = [
    ...party.publishes,
    ...party.requests,
    ...consuming,
    ...(party.assertsTopology ? asserting : []),
    ...declaring,
    ...looking,
    ...keyed,
  ];
  return {
    publish: [...new Set(publish)],
    subscribe: [`_INBOX_${user}.>`, ...serves, ...(serves.length > 0 ? serviceDiscovery(user) : [])],
    responds: serves.length > 0,
  };
}

/** What `nats micro ls|info|stats` asks; the service carries its user's name. */
function serviceDiscovery(name: string): string[] {
  return ['PING', 'STATS', 'INFO'].flatMap((verb) => [
    `$SRV.${verb}`,
    `$SRV.${verb}.${name}`,
    `$SRV.${verb}.${name}.*`,
  ]);
}

/**
 * The server's `authorization` block. `passwordOf` gives what stands after `password:`: a quoted text, or `$NAME` for
 * the server's environment. `topology` is a user that may do everything: for `apply` and for people.
 */
export function permissionsFile(
  parties: readonly Party[],
  topology: Topology,
  passwordOf: (user: string) => string,
): string {
  const list = (subjects: readonly string[]): string =>
    `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;
  const users = parties.map((party) => {
    const { publish, subscribe, responds } = permissionsOf(party, topology);
    return [
      '    {',
      `      user: ${JSON.stringify(party.user)}, password: ${passwordOf(party.user)}`,
      '      permissions: {',
      `        publish: { allow: ${list(publish)} }`,
      `        subscribe: { allow: ${list(subscribe)} }`,
      // One answer per request; five minutes, because a creation waits for the payment provider.
      ...(responds ? ['        allow_responses: { max: 1, expires: "5m" }'] : []),
      '      }',
      '    }',
    ].join('\n');
  });
  return [
    'authorization {',
    '  users: [',
    `    { user: "topology", password: ${passwordOf('topology')} }`,
    ...users,
    '  ]',
    '}',
    '',
  ].join('\n');
}

/** `NATS_PASSWORD_LIFECYCLE_DELIVERY` for `lifecycle-delivery`. */
export function passwordVariable(user: string): string {
  return `NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;
}
