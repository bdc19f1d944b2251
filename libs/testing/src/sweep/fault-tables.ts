/**
 * The alternative answers of the platform's ports, by the shape of their contracts only: this library imports no
 * adapter. The sweep itself adds crashes before and after each call.
 */
import type { Invoke, PortCall } from './tape';

interface FaultContext<W> {
  readonly world: W;
  readonly call: PortCall;
  /** Called by a fault that changed nothing: the history goes on as the one without faults, and may end here. */
  readonly unchanged?: () => void;
}

/** Another answer for one call; calling `invoke` makes the effect happen. */
export interface SweepFault<W> {
  readonly name: string;
  readonly answer: (invoke: Invoke, context: FaultContext<W>) => Promise<unknown>;
}

export type FaultTable<W> = (call: PortCall) => readonly SweepFault<W>[];

function methodOf(call: PortCall): string {
  return call.name.slice(call.name.lastIndexOf('.') + 1);
}

const unknownAnswer = { outcome: 'unknown', reason: 'simulated: the answer of the store was lost' };

const unknownWrites: readonly SweepFault<unknown>[] = [
  { name: 'unknown_not_applied', answer: () => Promise.resolve(unknownAnswer) },
  {
    name: 'unknown_applied',
    answer: async (invoke) => {
      await invoke();
      return unknownAnswer;
    },
  },
];

const lostRace: SweepFault<unknown> = { name: 'lost_race', answer: () => Promise.resolve({ outcome: 'not_applied' }) };

/** `unavailable` creates the error that reads throw (of the store library's own class, so that `instanceof` works). */
export function storeFaults<W>(options: { readonly port: string; readonly unavailable: () => Error }): FaultTable<W> {
  const unavailable: SweepFault<unknown> = { name: 'unavailable', answer: () => Promise.reject(options.unavailable()) };
  const unavailableAfter: SweepFault<unknown> = {
    name: 'unavailable_applied',
    answer: async (invoke) => {
      await invoke();
      throw options.unavailable();
    },
  };
  const byMethod: Readonly<Record<string, readonly SweepFault<unknown>[]>> = {
    insert: unknownWrites,
    mutate: [...unknownWrites, lostRace],
    remove: [...unknownWrites, lostRace],
    confirm: [unavailable, unavailableAfter],
    ...Object.fromEntries(
      ['findById', 'find', 'count', 'pending', 'backlog', 'now', 'ping', 'ensureIndexes'].map((method) => [
        method,
        [unavailable],
      ]),
    ),
  };
  return (call) => (call.port === options.port ? (byMethod[methodOf(call)] ?? []) : []);
}

/** Publishing answers `unknown`, published or not; requests time out, answered or not, or find no responder. */
export function messagingFaults<W>(options: { readonly port: string }): FaultTable<W> {
  const refusal = (code: string) => ({ ok: false, error: { code, message: 'simulated' } });
  const byMethod: Readonly<Record<string, readonly SweepFault<unknown>[]>> = {
    publish: [
      { name: 'unknown_not_published', answer: () => Promise.resolve('unknown') },
      { name: 'unknown_published', answer: (invoke) => invoke().then(() => 'unknown') },
    ],
    request: [
      { name: 'no_responders', answer: () => Promise.resolve(refusal('no_responders')) },
      { name: 'timeout_not_served', answer: () => Promise.resolve(refusal('timeout')) },
      { name: 'timeout_served', answer: (invoke) => invoke().then(() => refusal('timeout')) },
    ],
  };
  return (call) => (call.port === options.port ? (byMethod[methodOf(call)] ?? []) : []);
}

/** Reading a key fails; writing one is not acknowledged, written or not, or another writer was first. */
export function bucketFaults<W>(options: { readonly port: string }): FaultTable<W> {
  const byMethod: Readonly<Record<string, readonly SweepFault<unknown>[]>> = {
    readKey: [{ name: 'away', answer: () => Promise.reject(new Error('simulated: the broker is unreachable')) }],
    writeKey: [
      { name: 'unknown_not_written', answer: () => Promise.resolve('unknown') },
      { name: 'unknown_written', answer: (invoke) => invoke().then(() => 'unknown') },
      { name: 'conflict', answer: () => Promise.resolve('conflict') },
    ],
  };
  return (call) => (call.port === options.port ? (byMethod[methodOf(call)] ?? []) : []);
}

/** One alternative per row of the provider's taxonomy: `arm` sets the fake's fault for the next send. */
export function providerSendFaults<W, K extends string>(options: {
  readonly port: string;
  readonly kinds: readonly K[];
  readonly arm: (world: W, kind: K) => void;
}): FaultTable<W> {
  const faults = options.kinds.map((kind): SweepFault<W> => ({
    name: kind,
    answer: (invoke, { world }) => {
      options.arm(world, kind);
      return invoke();
    },
  }));
  const silence: SweepFault<W> = {
    name: 'unanswered_read',
    answer: () => Promise.resolve({ outcome: 'unknown', reason: 'simulated: no process answered' }),
  };
  return (call) => {
    if (call.port !== options.port) return [];
    return methodOf(call) === 'send' ? faults : [silence];
  };
}

/**
 * One more writer at every call: an investigator who records an outcome just before the executor does. `record` writes
 * directly to the world, not through the tape; it does nothing while there is no record to resolve, and then answers
 * `false`.
 */
export function investigationFaults<W>(options: {
  readonly record: (world: W, outcome: 'applied' | 'not_applied') => Promise<boolean>;
}): FaultTable<W> {
  const faults = (['applied', 'not_applied'] as const).map((outcome): SweepFault<W> => ({
    name: `resolved_${outcome}`,
    answer: async (invoke, { world, unchanged }) => {
      if (!(await options.record(world, outcome))) unchanged?.();
      return invoke();
    },
  }));
  return () => faults;
}

/** All faults that any of the tables proposes. */
export function combineFaults<W>(...tables: readonly FaultTable<W>[]): FaultTable<W> {
  return (call) => tables.flatMap((table) => table(call));
}
