/**
 * Who may publish and subscribe to what on the broker. Each party gets exactly the subjects that its row implies,
 * replies only in its own inbox, and nothing by default; the file that the server reads is generated from this table.
 *
 * The platform has one account, and each consumer team has its own. The server checks the subject of a message against
 * its sender's permissions and never its reply subject, to which the server answers with its own rights: in the
 * platform's account a reply subject of `$JS.API.STREAM.DELETE.…` deletes a stream. A team's account has no JetStream,
 * and only the subjects that the platform exports to that team cross from it: a reply subject has a meaning only in the
 * team's account.
 */
export interface Party {
  /** Also the user's name at the broker and the middle of its inbox prefix. */
  readonly user: string;
  readonly publishes: readonly string[];
  readonly consumes: readonly { readonly stream: string; readonly durable: string }[];
  /** Subjects on which it answers requests. */
  readonly serves: readonly string[];
  /** Subjects to which it sends requests. */
  readonly requests: readonly string[];
  /** Compares the whole topology at start: reads configurations, never contents. */
  readonly assertsTopology: boolean;
  /** Streams whose stored messages it may read, to determine the age of the oldest waiting one. */
  readonly looksInto: readonly string[];
  /** Stream whose durables it declares and removes. */
  readonly declaresDurablesOf: readonly string[];
  /**
   * Buckets whose keys it may read, one by one. Watching is not allowed: the creator of a consumer chooses the subject
   * to which the broker delivers, and the broker does not check whether that user may publish there.
   */
  readonly readsBuckets: readonly string[];
  readonly writesBuckets: readonly string[];
  /** A team outside the platform, with its own account. */
  readonly team: boolean;
}

const nothing = {
  serves: [],
  requests: [],
  assertsTopology: true,
  looksInto: [],
  declaresDurablesOf: [],
  readsBuckets: [],
  writesBuckets: [],
  team: false,
};

/** The services of the platform, in the order of architecture §3. */
export const serviceParties: readonly Party[] = [
  {
    ...nothing,
    user: 'operator',
    publishes: [
      ...['suspended', 'reactivation_requested', 'tenant_deleted'].map((told) => `lifecycle.message.${told}`),
      'workspace.deletion_requested',
      'provider.outcome.operator',
      'checkout.completed',
      ...['progress', 'workspace_migrated'].map((told) => `migration.${told}`),
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
      // Each replica has its own durable there, named at run time.
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
      'lifecycle.consumer_action',
      'provisioning.attempts.*',
      'provisioning.workspace.*',
      'provisioning.trial.reserve',
      'provisioning.tenants.page',
      'webhook_events.inspect',
      'provisioning.resolutions.contradicted',
      'provisioning.resolutions.judged',
      'provisioning.deletions.*',
      'provisioning.event_admissions.*',
      'webhook_events.resolutions.contradicted',
      'webhook_events.resolutions.judged',
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
    serves: [
      'webhook_events.inspect',
      'webhook_events.resolutions.*',
      'executor.work.billing-webhook.*',
      'outbox.backlog.billing-webhook',
    ],
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
    requests: [
      'executor.work.provisioning.*',
      'lifecycle.inspect.accepted',
      'tenant_being_provisioned.*',
      'tenant_deleted.*',
    ],
  },
  {
    ...nothing,
    user: 'lifecycle-delivery',
    publishes: ['tenant.lifecycle.*.*', 'lifecycle.settled.*', 'alert.reconciliation_required.lifecycle-delivery.*'],
    consumes: [
      { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' },
      { stream: 'TENANT_RECEIPTS', durable: 'lifecycle-delivery' },
      // It posts what is in the durable of a team that is served over HTTP.
      { stream: 'TENANT_LIFECYCLE', durable: '*' },
    ],
    serves: [
      'lifecycle.consumer.register.*',
      'lifecycle.consumer.unregister.*',
      'lifecycle.consumer_action',
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
 * The off-line commands ask executors and the owners of events, and re-drive dead letters: they may read only these
 * streams, and publish on every subject that a durable reads. The broker cannot restrict them to stored messages and
 * their ids: the person with the password is trusted with that.
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
  requests: ['lifecycle.inspect.operation', 'executor.work.>', 'provider.admission.*'],
  looksInto: ['DEAD_LETTERS'],
  assertsTopology: false,
};

/**
 * A consumer service of another team: registers itself, reads its own deliveries, sends its own receipts, and nothing
 * else.
 */
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
    team: true,
  };
}

/** `NATS_PASSWORD_LIFECYCLE_DELIVERY` for `lifecycle-delivery`. */
export function passwordVariable(user: string): string {
  return `NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`;
}
