/**
 * The broker's own subjects in the permission matrix: its JetStream interface for every stream and durable, including
 * one that an intruder would create, acknowledgements, dead letters, inboxes, key-value buckets and the subjects of the
 * system account.
 */
import type { Row } from './permissions.matrix.row';

/** Stream → durable → its reader. A durable that is created at run time is listed with an example. */
export const readers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  LIFECYCLE: { 'lifecycle-delivery': 'lifecycle-delivery' },
  TENANT_LIFECYCLE: { storage: 'storage', 'search-index': 'search-index' },
  TENANT_RECEIPTS: { 'lifecycle-delivery': 'lifecycle-delivery' },
  LIFECYCLE_SETTLED: { operator: 'operator', provisioning: 'provisioning', 'operator-work-queue': 'operator' },
  PROVIDER_EVENTS: { operator: 'operator', provisioning: 'provisioning' },
  PROVIDER_OUTCOMES: { 'billing-webhook': 'billing-webhook', 'operator-work-queue': 'operator' },
  WORKSPACES: { operator: 'operator', 'operator-work-queue': 'operator' },
  DELETIONS: { operator: 'operator', provisioning: 'provisioning' },
  MIGRATIONS: {},
  CHECKOUTS: {},
  ALERTS: { 'operator-work-queue': 'operator' },
  // Each replica of the gateway creates its own, under any name.
  WORK_CHANGES: { 'operator-1': 'operator', intruder: 'operator' },
  DEAD_LETTERS: {},
  ADVISORIES: {},
};

/**
 * Streams whose durables are created while the platform runs, and the user that creates them; all others are fixed in
 * the topology.
 */
const declarers: Readonly<Record<string, string>> = {
  TENANT_LIFECYCLE: 'lifecycle-delivery',
  WORK_CHANGES: 'operator',
};
/** Users that read every durable of a stream, besides the reader that a durable is named after. */
const readsAll: Readonly<Record<string, string>> = { TENANT_LIFECYCLE: 'lifecycle-delivery' };
/** Users that may read stored messages and durables, besides the gateway, which may read all streams. */
const lookers: Readonly<Record<string, readonly string[]>> = {
  LIFECYCLE: ['lifecycle-delivery'],
  TENANT_LIFECYCLE: ['lifecycle-delivery'],
  TENANT_RECEIPTS: ['lifecycle-delivery'],
  DEAD_LETTERS: ['ops'],
};

const publishing = (subject: string, publish: readonly string[] = []): Row => ({ subject, publish, subscribe: [] });
const own = (user: string | undefined): string[] => (user === undefined ? [] : [user]);

function durableRows(services: readonly string[], stream: string, durable: string): Row[] {
  const reader = [...new Set([...own(readers[stream]?.[durable]), ...own(readsAll[stream])])];
  const declarer = own(declarers[stream]);
  const fixed = declarer.length === 0 && reader.length > 0;
  return [
    publishing(`$JS.API.CONSUMER.INFO.${stream}.${durable}`, fixed ? services : [...new Set([...reader, ...declarer])]),
    publishing(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, reader),
    publishing(`$JS.ACK.${stream}.${durable}.1.1.1.0.0`, reader),
    publishing(`dead_letter.${stream}.${durable}`, reader),
    publishing(`$JS.API.CONSUMER.CREATE.${stream}.${durable}`, declarer),
    publishing(`$JS.API.CONSUMER.CREATE.${stream}.${durable}.tenant.lifecycle.*.storage`, declarer),
    publishing(`$JS.API.CONSUMER.DELETE.${stream}.${durable}`, declarer),
    ...['DURABLE.CREATE', 'PAUSE', 'UNPIN', 'LEADER.STEPDOWN'].map((verb) =>
      publishing(`$JS.API.CONSUMER.${verb}.${stream}.${durable}`),
    ),
    publishing(`$JS.FC.${stream}.${durable}.x`),
  ];
}

function streamRows(services: readonly string[], stream: string): Row[] {
  const looking = ['operator', ...(lookers[stream] ?? [])];
  const forbidden = [
    'CREATE',
    'UPDATE',
    'DELETE',
    'PURGE',
    'SNAPSHOT',
    'RESTORE',
    'MSG.DELETE',
    'PEER.REMOVE',
    'LEADER.STEPDOWN',
  ];
  return [
    publishing(`$JS.API.STREAM.INFO.${stream}`, services),
    publishing(`$JS.API.STREAM.MSG.GET.${stream}`, looking),
    publishing(`$JS.API.CONSUMER.LIST.${stream}`, looking),
    publishing(`$JS.API.CONSUMER.NAMES.${stream}`),
    publishing(`$JS.API.CONSUMER.CREATE.${stream}`),
    publishing(`$JS.API.DIRECT.GET.${stream}`),
    publishing(`$JS.API.DIRECT.GET.${stream}.lifecycle.message.created`),
    ...forbidden.map((verb) => publishing(`$JS.API.STREAM.${verb}.${stream}`)),
    ...[...new Set([...Object.keys(readers[stream] ?? {}), 'intruder'])].flatMap((durable) =>
      durableRows(services, stream, durable),
    ),
  ];
}

/** Bucket → the user that writes its keys, and those that read them besides the writer. */
export const buckets: Readonly<Record<string, { readonly writer: string; readonly readers: readonly string[] }>> = {
  workspace_access: { writer: 'operator', readers: ['storage', 'search-index'] },
};

/** Keys are read and written one by one; no user may do anything else with a bucket's stream, including watching. */
function bucketRows(services: readonly string[]): Row[] {
  return Object.entries(buckets).flatMap(([bucket, { writer, readers: reading }]) => {
    const stream = `KV_${bucket}`;
    return [
      publishing(`$KV.${bucket}.acme`, [writer]),
      publishing(`$KV.${bucket}.acme.x`),
      publishing(`$JS.API.DIRECT.GET.${stream}.$KV.${bucket}.acme`, [writer, ...reading]),
      publishing(`$JS.API.DIRECT.GET.${stream}`),
      publishing(`$JS.API.STREAM.INFO.${stream}`, [...services, ...reading]),
      publishing(`$JS.API.STREAM.MSG.GET.${stream}`, ['operator']),
      publishing(`$JS.API.CONSUMER.LIST.${stream}`, ['operator']),
      ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE', 'SNAPSHOT'].map((verb) =>
        publishing(`$JS.API.STREAM.${verb}.${stream}`),
      ),
      ...['CREATE', 'DURABLE.CREATE', 'DELETE', 'INFO', 'MSG.NEXT'].map((verb) =>
        publishing(`$JS.API.CONSUMER.${verb}.${stream}.intruder`),
      ),
      publishing(`$JS.API.CONSUMER.CREATE.${stream}.intruder.$KV.${bucket}.acme`),
    ];
  });
}

/** Streams that the topology does not declare: only the gateway's view of all streams reaches them. */
function foreignRows(): Row[] {
  return ['OTHER', 'KV_sessions', 'OBJ_files'].flatMap((stream) => [
    ...['CREATE', 'UPDATE', 'DELETE', 'INFO', 'PURGE'].map((verb) => publishing(`$JS.API.STREAM.${verb}.${stream}`)),
    publishing(`$JS.API.STREAM.MSG.GET.${stream}`, ['operator']),
    publishing(`$JS.API.CONSUMER.LIST.${stream}`, ['operator']),
    publishing(`$JS.API.CONSUMER.CREATE.${stream}.intruder`),
    publishing(`$JS.API.CONSUMER.MSG.NEXT.${stream}.intruder`),
  ]);
}

/**
 * No user writes into another's inbox without a request, and no user reads another's; `topology` is the user that
 * applies the streams.
 */
function inboxRows(users: readonly string[]): Row[] {
  return [...users, 'topology'].flatMap((user) =>
    ['a.1', '>'].map((rest) => ({
      subject: `_INBOX_${user}.${rest}`,
      publish: [],
      subscribe: users.filter((each) => each === user),
    })),
  );
}

/** The requests of `nats micro`; a service has the name of its user, and only people send these requests. */
function discoveryRows(users: readonly string[]): Row[] {
  const serving = users.filter((user) => user !== 'query-builder' && user !== 'ops');
  return ['PING', 'STATS', 'INFO'].flatMap((verb) => [
    { subject: `$SRV.${verb}`, publish: [], subscribe: serving },
    ...users.flatMap((user) =>
      [`$SRV.${verb}.${user}`, `$SRV.${verb}.${user}.x1`].map((subject) => ({
        subject,
        publish: [],
        subscribe: serving.filter((each) => each === user),
      })),
    ),
  ]);
}

const forAll = [
  ...[
    'INFO',
    'STREAM.NAMES',
    'STREAM.LIST',
    'META.LEADER.STEPDOWN',
    'SERVER.REMOVE',
    'ACCOUNT.PURGE.x',
    'ACCOUNT.STREAM.MOVE.x.LIFECYCLE',
    'ANYTHING.NEW',
  ].map((verb) => `$JS.API.${verb}`),
  ...['SERVER.PING', 'SERVER.PING.JSZ', 'ACCOUNT.PING.CONNZ', 'USER.INFO', 'SERVER.x.RELOAD', 'ACCOUNT.$G.CONNZ'].map(
    (request) => `$SYS.REQ.${request}`,
  ),
  ...[
    '$SYS.ACCOUNT.$G.CONNECT',
    '$JS.EVENT.ADVISORY.API',
    '$JS.EVENT.ADVISORY.CONSUMER.TERMINATED.LIFECYCLE.x',
    '$JS.EVENT.METRIC.CONSUMER.ACK.LIFECYCLE.x',
    '$JS.SNAPSHOT.ACK.LIFECYCLE.x',
    '$KV.sessions.x',
    '$O.files.C.x',
    '_INBOX.a.1',
    'lifecycle.consumer.register',
    'anything.else',
    'nothing',
  ],
  ...[
    '>',
    '*',
    '*.>',
    '*.*',
    '_INBOX.>',
    '$JS.>',
    '$JS.API.>',
    '$JS.ACK.>',
    '$JS.EVENT.ADVISORY.>',
    '$SYS.>',
    '$SRV.>',
    '$KV.>',
    'dead_letter.>',
    'alert.>',
    'lifecycle.>',
    'tenant.>',
    'tenant.receipt.*',
    'provider.>',
    'workspace.*',
    'work.changed.*',
    'migration.*',
    'checkout.*',
  ],
];

/** Rows for everything that no contract names. */
export function brokerRows(services: readonly string[], users: readonly string[]): Row[] {
  return [
    ...Object.keys(readers).flatMap((stream) => streamRows(services, stream)),
    ...bucketRows(services),
    ...foreignRows(),
    ...inboxRows(users),
    ...discoveryRows(users),
    ...forAll.map((subject) => publishing(subject)),
  ];
}
