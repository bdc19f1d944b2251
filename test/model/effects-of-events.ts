/**
 * How an event changes the world, whether or not a rule allows it: the rules judge events, this module applies them.
 */
import { alertChanges } from './alerts';
import { creationChanges } from './creations';
import { providerEventChanges } from './provider-events';
import {
  hasLeft,
  isAnswered,
  isOpen,
  keyLife,
  newWorkspace,
  noteScar,
  type Event,
  type EventOf,
  type Key,
  type Operation,
  type Workspace,
  type World,
} from './world';

type Change<Kind extends Event['kind']> = (world: World, event: EventOf<Kind>) => World;

function onOperation(world: World, id: string, change: (operation: Operation) => Partial<Operation>): World {
  const operation = world.operations[id];
  return operation
    ? { ...world, operations: { ...world.operations, [id]: { ...operation, ...change(operation) } } }
    : world;
}

function onKey(world: World, id: string, change: (key: Key) => Partial<Key>): World {
  const key = world.keys[id];
  return key ? { ...world, keys: { ...world.keys, [id]: { ...key, ...change(key) } } } : world;
}

function onWorkspace(world: World, id: string, change: Partial<Workspace>): World {
  const workspace = world.workspaces[id] ?? newWorkspace;
  return { ...world, workspaces: { ...world.workspaces, [id]: { ...workspace, ...change } } };
}

function withEnd({ ends }: Operation, status: string): readonly string[] {
  return (status === 'succeeded' || status === 'failed') && !ends.includes(status) ? [...ends, status] : ends;
}

const newKey = { calls: 0, requests: 0, inFlight: 0, refused: 0, effects: 0, late: 0, firstAt: null };

/** The oldest request without an answer; an attempt is correct when it can serve that request. */
const oldestAsk = (asks: readonly number[] = []): number | null => (asks.length === 0 ? null : Math.min(...asks));

const changes: { readonly [Kind in Event['kind']]: Change<Kind> } = {
  ask: (world, { operation, at }) => {
    const asks = world.asks[operation] ?? [];
    return asks.includes(at) ? world : { ...world, asks: { ...world.asks, [operation]: [...asks, at] } };
  },
  answer: (world, { operation, asked }) => ({
    ...world,
    asks: { ...world.asks, [operation]: (world.asks[operation] ?? []).filter((each) => each !== asked) },
  }),
  intent: (world, { operation, tenant, lifecycle, deletes, values, at }) => ({
    ...world,
    operations: {
      ...world.operations,
      [operation]: {
        ...{ tenant, lifecycle, deletes, values, bornAt: at, status: 'pending', attempts: 0, alive: false },
        ...{ failedAttempts: 0, calls: [], servedAsk: null, resolved: false, ends: [] },
      },
    },
  }),
  rewrite: (world, { operation }) => noteScar(world, `the values of ${operation} have changed`),
  attempt: (world, { operation }) => {
    const before = world.operations[operation];
    const next = onOperation(world, operation, (each) => ({
      ...{ status: 'running' as const, attempts: each.attempts + 1, alive: true },
      servedAsk: each.status === 'waiting' ? each.servedAsk : oldestAsk(world.asks[operation]),
    }));
    if (before?.status === 'running') return noteScar(next, `two executors of ${operation}`);
    return before?.calls.some(isOpen) ? noteScar(next, `${operation} goes on after an unknown outcome`) : next;
  },
  call: (world, { operation, key, payload }) => {
    const known = world.keys[key] ?? { ...newKey, operation, payload };
    const written = onOperation(world, operation, ({ calls, attempts }) => ({
      calls: [...calls, { key, attempt: attempts }],
    }));
    const next = { ...written, keys: { ...world.keys, [key]: { ...known, calls: known.calls + 1 } } };
    const { servedAsk = null, calls = [] } = world.operations[operation] ?? {};
    if (calls.some(isOpen)) return noteScar(next, `${operation} goes on after an unknown outcome`);
    return servedAsk !== null && isForgotten(known, servedAsk)
      ? noteScar(next, `${key} serves a request that came when it was forgotten`)
      : next;
  },
  outcome: (world, { operation, call, outcome }) => {
    const next = onOperation(world, operation, ({ calls }) => ({
      calls: calls.map((each, at) => (at === call ? { ...each, outcome } : each)),
    }));
    return world.operations[operation]?.calls[call]?.outcome === undefined
      ? next
      : noteScar(next, `another outcome of a call of ${operation}`);
  },
  withdraw: (world, { operation, call, key }) =>
    onKey(
      onOperation(world, operation, ({ calls }) => ({
        calls: calls.map((each, at) => (at === call ? { ...each, outcome: 'failed' as const } : each)),
      })),
      key,
      ({ calls }) => ({ calls: calls - 1 }),
    ),
  journal: (world, { operation, status }) =>
    onOperation(world, operation, (each) => ({
      status,
      alive: each.alive && status === 'running',
      ...(status === 'failed' && { failedAttempts: each.attempts }),
      ends: withEnd(each, status),
    })),
  resolve: (world, { operation, status }) =>
    onOperation(world, operation, (each) => ({ status, resolved: true, ends: withEnd(each, status) })),
  die: (world, { operation }) => onOperation(world, operation, () => ({ alive: false })),
  request: (world, { operation, key, payload, at }) => {
    const known = world.keys[key] ?? { ...newKey, operation, payload };
    const next = {
      ...world,
      keys: {
        ...world.keys,
        [key]: {
          ...known,
          late: known.late + (known.effects > 0 && isForgotten(known, at) ? 1 : 0),
          ...{ requests: known.requests + 1, inFlight: known.inFlight + 1, firstAt: known.firstAt ?? at },
        },
      },
    };
    if (known.payload !== payload) return noteScar(next, `two payloads under ${key}`);
    return known.calls < known.requests + 1 ? noteScar(next, `a request under ${key} that no record names`) : next;
  },
  effect: (world, { key }) =>
    onKey(world, key, ({ inFlight, effects }) => ({ inFlight: inFlight - 1, effects: effects + 1 })),
  refuse: (world, { key }) =>
    onKey(world, key, ({ inFlight, refused }) => ({ inFlight: inFlight - 1, refused: refused + 1 })),
  replay: (world, { key }) => onKey(world, key, ({ inFlight }) => ({ inFlight: inFlight - 1 })),
  lose: (world, { key }) => onKey(world, key, ({ inFlight }) => ({ inFlight: inFlight - 1 })),
  take: (world, { tenant, operation }) => {
    const { holder, deletion, suspendedBy } = world.workspaces[tenant] ?? newWorkspace;
    const heldIn = world.operations[operation]?.attempts ?? 0;
    const next = onWorkspace(world, tenant, {
      ...{ holder: operation, heldIn },
      ...(suspendedBy === operation && { suspendedIn: heldIn }),
    });
    if (holder !== null && holder !== operation) return noteScar(next, `two holders of ${tenant}`);
    return deletion !== null && !world.operations[operation]?.deletes
      ? noteScar(next, `${operation} begins after the deletion of ${tenant}`)
      : next;
  },
  clear: (world, { tenant, operation }) => {
    const next = onWorkspace(world, tenant, { holder: null });
    const { [operation]: holder } = world.operations;
    const { heldIn } = world.workspaces[tenant] ?? newWorkspace;
    return holder && hasLeft(holder, heldIn) ? next : noteScar(next, `${operation} was cleared before its journal`);
  },
  mark: (world, { tenant, operation }) => onWorkspace(world, tenant, { deletion: operation }),
  unmark: (world, { tenant }) =>
    noteScar(onWorkspace(world, tenant, { deletion: null }), `${tenant} is deleted no more`),
  access: openOrClose,
  commit: (world, { tenant }) =>
    world.committed.includes(tenant) ? world : { ...world, committed: [...world.committed, tenant].sort() },
  announce,
  deliver: (world, { operation, consumer }) => onDelivery(world, operation, (done) => [...done, consumer]),
  undeliver: (world, { operation, consumer }) =>
    noteScar(
      onDelivery(world, operation, (done) => done.filter((each) => each !== consumer)),
      `the receipt of ${consumer} for ${operation} is gone`,
    ),
  settle: (world, { operation }) => {
    const message = world.messages[operation];
    if (!message) return world;
    const next = { ...world, messages: { ...world.messages, [operation]: { ...message, settled: true } } };
    return isAnswered(message) ? next : noteScar(next, `${operation} settled before its receipts`);
  },
  register: (world, { consumer, transitions }) => ({
    ...world,
    consumers: { ...world.consumers, [consumer]: transitions },
  }),
  pass: (world) => world,
  ...creationChanges,
  ...providerEventChanges,
  ...alertChanges,
};

function openOrClose(world: World, { tenant, state, operation }: EventOf<'access'>): World {
  const workspace = world.workspaces[tenant] ?? newWorkspace;
  const by = operation === null ? undefined : world.operations[operation];
  const { suspendedBy } = workspace;
  if (state === 'closed')
    return onWorkspace(world, tenant, {
      access: 'closed',
      ...(by?.lifecycle === 'suspended' ? { suspendedBy: operation, suspendedIn: by.attempts } : { suspendedBy }),
    });
  const next = onWorkspace(world, tenant, { access: 'open', suspendedBy: null });
  if (workspace.deletion !== null) return noteScar(next, `${tenant} was opened after its deletion`);
  const early = by?.lifecycle === 'reactivation_requested' && !isAnswered(world.messages[operation ?? '']);
  return early && !by.resolved ? noteScar(next, `${tenant} was opened before the receipts of ${operation}`) : next;
}

function announce(world: World, { operation, tenant, transition }: EventOf<'announce'>): World {
  if (world.messages[operation]) return world;
  const required = Object.entries(world.consumers).flatMap(([name, of]) => (of.includes(transition) ? [name] : []));
  const message = { tenant, transition, required: required.sort(), done: [], settled: false };
  const next = { ...world, messages: { ...world.messages, [operation]: message } };
  if (transition === 'created')
    return world.committed.includes(tenant) ? next : noteScar(next, `${tenant} was announced uncommitted`);
  return (world.workspaces[tenant]?.access ?? 'open') === 'open'
    ? noteScar(next, `${transition} of ${tenant} was said while access was open`)
    : next;
}

function onDelivery(world: World, id: string, change: (done: readonly string[]) => readonly string[]): World {
  const message = world.messages[id];
  if (!message) return world;
  const done = [...new Set(change(message.done))].sort();
  const lifts = message.transition === 'reactivation_requested' && isAnswered({ ...message, done });
  const next = { ...world, messages: { ...world.messages, [id]: { ...message, done } } };
  return lifts && world.workspaces[message.tenant] ? onWorkspace(next, message.tenant, { suspendedBy: null }) : next;
}

/** Returns the world after the event. */
export function after(world: World, event: Event): World {
  const change = changes[event.kind] as (world: World, event: Event) => World;
  const next = change(world, event);
  return event.at > next.now ? { ...next, now: event.at } : next;
}

/** Whether the provider may have forgotten the key at that time. */
export function isForgotten({ firstAt }: Key, at: number): boolean {
  return firstAt !== null && at - firstAt >= keyLife;
}
