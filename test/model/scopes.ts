/** The small worlds in which every order of events is explored, and the events that may be tried in each. */
import { newCreation } from './creations';
import { furtherEvents, furtherScopes, type Further } from './further-scopes';
import {
  emptyWorld,
  hour,
  isAnswered,
  isOpen,
  newWorkspace,
  type Event,
  type Operation,
  type Transition,
  type World,
} from './world';

interface Planned extends Pick<Operation, 'tenant' | 'lifecycle' | 'deletes'> {
  /** True when the operation takes the subscription's transition. */
  readonly fenced: boolean;
  /** The number of provider calls that it makes. */
  readonly calls: number;
}

export interface Scope {
  readonly name: string;
  readonly operations: Readonly<Record<string, Planned>>;
  readonly attempts: number;
  /** The hours to which the clock may advance. */
  readonly hours: readonly number[];
  readonly begins: World;
  /** Creations that may be committed and announced. */
  readonly creations: readonly string[];
  /** What else may happen there. */
  readonly further?: Further;
}

const plan = (given: Partial<Planned>): Planned => ({
  ...{ tenant: 'w', lifecycle: null, deletes: false, fenced: true, calls: 0 },
  ...given,
});
const all: readonly Transition[] = ['created', 'suspended', 'reactivation_requested'];
const begins: World = {
  ...emptyWorld,
  asks: { a: [0], b: [0], s: [0], r: [0], d: [0] },
  consumers: { c: all },
  workspaces: { w: newWorkspace },
};
const closed: World = { ...begins, workspaces: { w: { ...newWorkspace, access: 'closed', suspendedBy: 'earlier' } } };
const common = { attempts: 1, hours: [], begins, creations: [] };

export const scopes: readonly Scope[] = [
  {
    ...common,
    name: 'a charge, two attempts, a day and an hour',
    operations: { a: plan({ fenced: false, calls: 1 }) },
    attempts: 2,
    hours: [22, 25],
  },
  { ...common, name: 'two changes of one workspace', operations: { a: plan({ calls: 1 }), b: plan({}) } },
  { ...common, name: 'a suspension with a call', operations: { s: plan({ lifecycle: 'suspended', calls: 1 }) } },
  {
    ...common,
    name: 'a suspension and a reactivation',
    operations: { s: plan({ lifecycle: 'suspended' }), r: plan({ lifecycle: 'reactivation_requested' }) },
  },
  {
    ...common,
    name: 'a reactivation with a call',
    operations: { r: plan({ lifecycle: 'reactivation_requested', calls: 1 }) },
    begins: closed,
  },
  { ...common, name: 'a change of two calls', operations: { a: plan({ calls: 2 }) } },
  { ...common, name: 'a deletion and a change', operations: { a: plan({}), d: plan({ deletes: true }) } },
  { ...common, name: 'a creation', operations: {}, creations: ['w'] },
  ...furtherScopes.map(({ name, further, calls }) => ({
    ...{ ...common, name, further },
    operations: Object.fromEntries(
      (further.creations ?? []).map((tenant) => [tenant, plan({ tenant, fenced: false, calls })]),
    ),
    begins: {
      ...emptyWorld,
      asks: Object.fromEntries((further.creations ?? []).map((tenant) => [tenant, [0]])),
      creations: Object.fromEntries(
        (further.creations ?? []).map((tenant) => [
          tenant,
          { ...newCreation, needs: further.reservation === undefined ? [] : [further.reservation] },
        ]),
      ),
    },
  })),
];

type Draft = Event extends infer Each ? (Each extends Event ? Omit<Each, 'at'> : never) : never;

/** The events that the executor of an operation may try while it lives; a slow executor tries them after any delay. */
function executorEvents(world: World, id: string, planned: Planned, attemptsMax: number): Draft[] {
  const operation = world.operations[id];
  if (!operation?.alive) return [];
  const { calls } = operation;
  const key = (at: number): string => `${id}.${at}`;
  const next = calls.filter(({ attempt }) => attempt === operation.attempts).length;
  return [
    ...(next < planned.calls && calls.length < planned.calls * attemptsMax
      ? [
          { kind: 'call' as const, operation: id, key: key(next), payload: 'v' },
          { kind: 'call' as const, operation: id, key: key(next), payload: 'other' },
        ]
      : []),
    ...Array.from({ length: planned.calls }, (_, at) => key(at)).flatMap((each): Draft[] =>
      (world.keys[each]?.requests ?? 0) <= attemptsMax - 1
        ? [{ kind: 'request', operation: id, key: each, payload: 'v' }]
        : [],
    ),
    ...calls.flatMap(({ outcome }, call): Draft[] =>
      (['succeeded', 'failed', 'unknown'] as const).flatMap((each): Draft[] =>
        each === outcome ? [] : [{ kind: 'outcome', operation: id, call, outcome: each }],
      ),
    ),
    ...calls.flatMap((each, call): Draft[] =>
      isOpen(each) ? [{ kind: 'withdraw', operation: id, call, key: each.key }] : [],
    ),
    { kind: 'journal', operation: id, status: 'waiting' },
    { kind: 'journal', operation: id, status: 'failed' },
    { kind: 'journal', operation: id, status: 'succeeded' },
    { kind: 'journal', operation: id, status: 'reconciliation_required' },
    ...(planned.fenced ? [{ kind: 'take' as const, tenant: planned.tenant, operation: id }] : []),
    ...accessEvents(world, id, planned),
  ];
}

function accessEvents(world: World, id: string, { tenant, lifecycle, deletes }: Planned): Draft[] {
  const workspace = world.workspaces[tenant];
  if (workspace?.holder !== id) return [];
  return [
    ...(lifecycle === 'suspended' || deletes
      ? [{ kind: 'access' as const, tenant, state: 'closed' as const, operation: id }]
      : []),
    ...(lifecycle === 'suspended' ? [] : [{ kind: 'access' as const, tenant, state: 'open' as const, operation: id }]),
    ...(lifecycle !== null && lifecycle !== 'created' && !world.messages[id]
      ? [{ kind: 'announce' as const, operation: id, tenant, transition: lifecycle }]
      : []),
    ...(deletes
      ? [
          { kind: 'mark' as const, tenant, operation: id },
          { kind: 'unmark' as const, tenant, operation: id },
        ]
      : []),
  ];
}

/**
 * The events that happen without the executor: the provider, consumers, sweeps and people. After a crash only these
 * remain.
 */
export function eventsWithoutExecutors(world: World, scope: Scope): Draft[] {
  return [
    ...Object.entries(world.keys).flatMap(([key, { inFlight }]): Draft[] =>
      inFlight > 0 ? (['effect', 'refuse', 'replay', 'lose'] as const).map((kind) => ({ kind, key })) : [],
    ),
    ...Object.entries(scope.operations).flatMap(([id, { tenant, fenced }]): Draft[] => {
      const operation = world.operations[id];
      if (!operation) return [];
      const { status } = operation;
      return [
        ...(status === 'waiting' ? [{ kind: 'journal' as const, operation: id, status: 'succeeded' as const }] : []),
        { kind: 'resolve', operation: id, status: 'succeeded' },
        { kind: 'resolve', operation: id, status: 'failed' },
        ...(fenced && world.workspaces[tenant]?.holder === id
          ? [{ kind: 'clear' as const, tenant, operation: id }]
          : []),
      ];
    }),
    ...Object.entries(world.messages).flatMap(([id, message]): Draft[] => [
      ...message.required.flatMap((consumer): Draft[] => [
        { kind: 'deliver', operation: id, consumer },
        ...(isAnswered(message) ? [{ kind: 'undeliver' as const, operation: id, consumer }] : []),
      ]),
      { kind: 'settle', operation: id },
    ]),
    ...scope.creations.flatMap((tenant): Draft[] => [
      { kind: 'commit', tenant },
      { kind: 'announce', operation: `created:${tenant}`, tenant, transition: 'created' },
    ]),
    ...(scope.further ? furtherEvents(world, scope.further) : []),
  ];
}

/** Every event that may be tried, allowed or not. */
export function candidates(world: World, scope: Scope): Draft[] {
  const later = scope.hours.filter((each) => each * hour > world.now).length > 0;
  return [
    ...eventsWithoutExecutors(world, scope),
    ...Object.entries(scope.operations).flatMap(([id, planned]): Draft[] => {
      const { tenant, lifecycle, deletes } = planned;
      const operation = world.operations[id];
      if (!operation) return [{ kind: 'intent', operation: id, tenant, lifecycle, deletes, values: 'v' }];
      return [
        ...executorEvents(world, id, planned, scope.attempts),
        ...(operation.attempts < scope.attempts ? [{ kind: 'attempt' as const, operation: id }] : []),
        ...(operation.alive ? [{ kind: 'die' as const, operation: id }] : []),
        ...(world.now > 0 ? [{ kind: 'ask' as const, operation: id }] : []),
        ...(later || world.now > 0
          ? (world.asks[id] ?? []).map((asked) => ({ kind: 'answer' as const, operation: id, asked }))
          : []),
        { kind: 'rewrite', operation: id },
      ];
    }),
    ...(later ? [{ kind: 'pass' as const }] : []),
  ];
}
