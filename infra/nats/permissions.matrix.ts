/**
 * The users that may publish and subscribe to each subject, written a second time by hand, so that a wrong row of
 * permissions.ts cannot confirm itself. Subjects come from the contracts and the topology; the suite reports each
 * subject without a row in this table.
 */
import * as billingWebhook from '@platform/contracts-billing-webhook';
import * as lifecycle from '@platform/contracts-lifecycle-delivery';
import * as operator from '@platform/contracts-operator';
import * as provisioning from '@platform/contracts-provisioning';
import { alertEntry, backlogSubject, executorSubject } from '@platform/kernel';
import type { Topology } from '@platform/messaging';
import { brokerRows, buckets, readers } from './permissions.matrix.broker';
import type { Row } from './permissions.matrix.row';

/** A subject of a contract, or a function that builds one from tokens. */
export type ContractSubject = string | ((...tokens: string[]) => string);

interface Rule {
  /** Tokens from which its subjects are built; absent for a fixed subject. */
  readonly tokens?: readonly (readonly string[])[];
  readonly publish: (...tokens: string[]) => readonly string[];
  readonly subscribe: (...tokens: string[]) => readonly string[];
}

const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'] as const;
/** The third one has no user, so its subjects belong to no user. */
const consumers = ['storage', 'search-index', 'intruder'] as const;
const known = (name = ''): string[] => consumers.filter((consumer) => consumer === name && consumer !== 'intruder');
const none = (): string[] => [];
const only = (user: string) => (): string[] => [user];
/** Also by the off-line program: a message that a durable refused is published again on its subject. */
const redriven =
  (publish: Rule['publish']): Rule['publish'] =>
  (...tokens) => [...publish(...tokens), 'ops'];

const transitions = lifecycle.lifecycleTransitions.map((transition) => [transition]);
const consumerTokens = consumers.map((name) => [name]);
const everyDelivery = transitions.flatMap(([transition = '']) => consumers.map((name) => [transition, name]));
const owners = provisioning.providerEventOwners.map((owner) => [owner]);
const alertKinds = [...new Set([...operator.workKinds, 'migration'])];

const rules: Readonly<Record<string, Rule>> = {
  'lifecycleSubjects.message': {
    tokens: transitions,
    publish: redriven((transition) => [transition === 'created' ? 'provisioning' : 'operator']),
    subscribe: none,
  },
  'lifecycleSubjects.tenantDeleted': { publish: redriven(only('operator')), subscribe: none },
  'lifecycleSubjects.tenantDeletedSettled': { publish: redriven(only('lifecycle-delivery')), subscribe: none },
  'lifecycleSubjects.delivery': {
    tokens: everyDelivery,
    publish: redriven(only('lifecycle-delivery')),
    subscribe: none,
  },
  'lifecycleSubjects.test': {
    tokens: consumerTokens,
    publish: redriven(only('lifecycle-delivery')),
    subscribe: none,
  },
  'lifecycleSubjects.deliveriesOf': { tokens: consumerTokens, publish: none, subscribe: none },
  'lifecycleSubjects.receipt': { tokens: consumerTokens, publish: redriven(known), subscribe: none },
  'lifecycleSubjects.settled': {
    tokens: transitions,
    publish: redriven(only('lifecycle-delivery')),
    subscribe: none,
  },
  'lifecycleRequests.register': { tokens: consumerTokens, publish: known, subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.unregister': { tokens: consumerTokens, publish: known, subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.act': { publish: only('operator'), subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.consumers': { publish: only('operator'), subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.actions': { publish: only('operator'), subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.deliveries': { publish: only('operator'), subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.accepted': { publish: () => ['operator', 'provisioning'], subscribe: only('lifecycle-delivery') },
  'lifecycleRequests.operation': { publish: () => ['operator', 'ops'], subscribe: only('lifecycle-delivery') },
  'providerEventSubjects.event': {
    tokens: owners.map(([owner = '']) => [owner, 'invoice.paid']),
    publish: redriven(only('billing-webhook')),
    subscribe: none,
  },
  'providerEventSubjects.outcome': { tokens: owners, publish: redriven((owner = '') => [owner]), subscribe: none },
  webhookEventsSubject: { publish: only('operator'), subscribe: only('billing-webhook') },
  'deletionSubjects.requested': { publish: redriven(only('operator')), subscribe: none },
  'deletionSubjects.deleted': { publish: redriven(only('provisioning')), subscribe: none },
  'workspaceSubjects.committed': { publish: redriven(only('provisioning')), subscribe: none },
  'workspaceSubjects.cancelled': { publish: redriven(only('provisioning')), subscribe: none },
  'creationRequests.create': { publish: only('operator'), subscribe: only('provisioning') },
  'creationRequests.mirrored': { publish: only('operator'), subscribe: only('provisioning') },
  'contradictedRequests.creations': { publish: only('operator'), subscribe: only('provisioning') },
  'contradictedRequests.events': { publish: only('operator'), subscribe: only('billing-webhook') },
  'judgedRequests.provisioning_attempt': { publish: only('operator'), subscribe: only('provisioning') },
  'judgedRequests.webhook_event': { publish: only('operator'), subscribe: only('billing-webhook') },
  'judgedRequests.deletion': { publish: only('operator'), subscribe: only('provisioning') },
  'judgedRequests.event_admission': { publish: only('operator'), subscribe: only('provisioning') },
  'eventAdmissionRequests.read': { publish: only('operator'), subscribe: only('provisioning') },
  'deletionRequests.list': { publish: only('operator'), subscribe: only('provisioning') },
  'deletionRequests.read': { publish: only('operator'), subscribe: only('provisioning') },
  'attemptRequests.list': { publish: only('operator'), subscribe: only('provisioning') },
  'attemptRequests.read': { publish: only('operator'), subscribe: only('provisioning') },
  'tenantRequests.page': { publish: only('operator'), subscribe: only('provisioning') },
  trialSubject: { publish: only('operator'), subscribe: only('provisioning') },
  gateSubject: { publish: () => ['storage', 'search-index'], subscribe: only('provisioning') },
  'listenerRequests.register': { tokens: consumerTokens, publish: known, subscribe: only('provisioning') },
  'listenerRequests.unregister': { tokens: consumerTokens, publish: known, subscribe: only('provisioning') },
  'listenerSubjects.TENANT_BEING_PROVISIONED': {
    tokens: consumerTokens,
    publish: only('provisioning'),
    subscribe: known,
  },
  'listenerSubjects.TENANT_DELETED': { tokens: consumerTokens, publish: only('provisioning'), subscribe: known },
  'migrationSubjects.progress': { publish: only('operator'), subscribe: none },
  'migrationSubjects.migrated': { publish: only('operator'), subscribe: none },
  'checkoutSubjects.completed': { publish: only('operator'), subscribe: none },
  workChangedSubject: {
    tokens: operator.workKinds.map((kind) => [kind]),
    publish: only('operator'),
    subscribe: none,
  },
  workspaceAccessSubject: { publish: () => ['query-builder', 'storage', 'search-index'], subscribe: only('operator') },
  inventorySubject: { publish: () => ['storage', 'search-index'], subscribe: only('operator') },
  manyChangedSubject: { publish: only('operator'), subscribe: none },
  'providerAdmissionRequests.operator': { publish: () => ['billing-webhook', 'ops'], subscribe: only('operator') },
  'providerAdmissionRequests.provisioning': {
    publish: () => ['billing-webhook', 'ops'],
    subscribe: only('provisioning'),
  },
  executorSubject: {
    tokens: services.map((service) => [service]),
    publish: (service = '') => [service, 'ops'],
    subscribe: (service = '') => [service],
  },
  backlogSubject: {
    tokens: services.map((service) => [service]),
    publish: only('operator'),
    subscribe: (service = '') => [service],
  },
  alertSubject: {
    tokens: services.flatMap((service) => alertKinds.map((kind) => [service, kind])),
    publish: redriven((service = '') => [service]),
    subscribe: none,
  },
};

/**
 * Every subject that the contracts export, by its export name; alerts and questions about work have no exported
 * subject.
 */
export function contractSubjects(): ReadonlyMap<string, ContractSubject> {
  const found = new Map<string, ContractSubject>([
    [
      'alertSubject',
      (service = '', kind = '') =>
        alertEntry({ service, kind, id: 'x', tenantId: null, reason: 'x', at: new Date(0) }, '1').subject,
    ],
    ['backlogSubject', (service = '') => backlogSubject(service)],
    ['executorSubject', (service = '') => executorSubject({ service, incarnation: 'boot-1' })],
  ]);
  for (const contract of [lifecycle, provisioning, billingWebhook, operator]) {
    for (const [name, value] of Object.entries(contract)) {
      if (!/(Subjects?|Requests?)$/.test(name)) continue;
      if (typeof value === 'object')
        for (const [key, member] of Object.entries(value)) found.set(`${name}.${key}`, member as ContractSubject);
      else found.set(name, value as ContractSubject);
    }
  }
  return found;
}

/** The whole matrix; rows of wildcard subjects are only subscribed to. */
export function matrixRows(subjects: ReadonlyMap<string, ContractSubject>, users: readonly string[]): Row[] {
  const declared = [...subjects].flatMap(([name, subject]): Row[] => {
    const rule = rules[name];
    return (rule?.tokens ?? [[]]).map((tokens) => ({
      subject: typeof subject === 'string' ? subject : subject(...tokens),
      publish: rule?.publish(...tokens) ?? [],
      subscribe: rule?.subscribe(...tokens) ?? [],
    }));
  });
  return [...declared, ...brokerRows(services, users)];
}

export interface MatrixWorld {
  readonly subjects: ReadonlyMap<string, ContractSubject>;
  readonly topology: Topology;
  readonly users: readonly string[];
}

/** Subjects and users without a row, and rows of those that do not exist; empty when the matrix is complete. */
export function matrixGaps({ subjects, topology, users }: MatrixWorld): string[] {
  const rows = matrixRows(subjects, users);
  const allowed = new Set(rows.flatMap(({ publish, subscribe }) => [...publish, ...subscribe]));
  const streams = new Set(topology.streams.map(({ name }) => name));
  return [
    ...[...subjects.keys()].filter((name) => !(name in rules)).map((name) => `subject ${name} has no row`),
    ...Object.keys(rules)
      .filter((name) => !subjects.has(name))
      .map((name) => `the row of ${name} names no subject of a contract`),
    ...[...streams].filter((name) => !(name in readers)).map((name) => `stream ${name} has no row`),
    ...topology.buckets.filter(({ name }) => !(name in buckets)).map(({ name }) => `bucket ${name} has no row`),
    ...Object.keys(readers)
      .filter((name) => !streams.has(name))
      .map((name) => `the row of ${name} names no stream`),
    ...topology.streams.flatMap(({ name, durables }) =>
      durables
        .filter(({ durable }) => readers[name]?.[durable] === undefined)
        .map(({ durable }) => `durable ${name}/${durable} has no row`),
    ),
    ...users
      .filter((user) => !rows.some(({ publish }) => publish.includes(user)))
      .map((user) => `user ${user} has no row`),
    ...[...allowed]
      .filter((user) => !users.includes(user))
      .map((user) => `the matrix names ${user}, which is not a user`),
  ];
}
