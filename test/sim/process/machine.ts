/**
 * The machine on which the simulated processes run: while a history plays, the runtime's clocks, timers, randomness and
 * sockets are those of the history. The programs and packages above it are the real ones, unchanged. Whatever would ask
 * the real machine is replaced here or waited for, because a seed must determine a history.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import timers from 'node:timers';
import timersWithPromises from 'node:timers/promises';
import type { Clock } from '@platform/kernel';
import { createRandom, type Random } from '@platform/testing';
import type { Clocks } from '../engine/clocks';
import type { Process, Timeline } from '../engine/timeline';
import { fetchOnce } from './fetch';
import type { Network } from './network';
import { timersOf } from './timers';

const ownImmediate = setImmediate;

/** Replaces properties until the returned function is called. */
function replace(changes: readonly (readonly [target: object, values: object])[]): () => void {
  const undo = changes.flatMap(([target, values]) =>
    Object.entries(values).map(([name, value]) => {
      const before = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
      return () => (before ? Object.defineProperty(target, name, before) : Reflect.deleteProperty(target, name));
    }),
  );
  return () => undo.reverse().forEach((each) => each());
}

/** `Date` with the time of the world; everything else is the runtime's. */
function dateAt(now: () => number): DateConstructor {
  const own = Date;
  const construct = (target: DateConstructor, given: unknown[], asked: unknown): object =>
    Reflect.construct(
      target,
      given.length === 0 ? [now()] : given,
      asked === proxy ? target : (asked as () => void),
    ) as object;
  const proxy: DateConstructor = new Proxy(own, {
    construct: (target, given, asked) => construct(target, given, asked),
    apply: () => new own(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  return proxy;
}

/**
 * Seeded randomness in place of the machine's; ids must only differ from each other. Numbers, ids and bytes have
 * generators of their own: packages draw some bytes once for the whole thread, so that the first history draws more.
 */
function randomnessOf(seed: number) {
  const [numbers, ids, bytes] = [0x7a3d70a3, 0x2f0b4c47, 0x5be0cd19].map((salt) => createRandom(seed ^ salt));
  const fillFrom = (random: Random, view: ArrayBufferView): void => {
    const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < target.length; at += 1) target[at] = random.below(256);
  };
  const fill = <T extends ArrayBufferView>(view: T): T => {
    fillFrom(bytes!, view);
    return view;
  };
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void): Buffer | void => {
    const drawn = fill(Buffer.alloc(size));
    if (!done) return drawn;
    done(null, drawn);
  };
  const randomUUID = (): string => {
    const drawn = Buffer.alloc(16);
    fillFrom(ids!, drawn);
    drawn[6] = (drawn[6]! & 0x0f) | 0x40;
    drawn[8] = (drawn[8]! & 0x3f) | 0x80;
    return drawn.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  return { fill, randomBytes, randomUUID, next: () => numbers!.next() };
}

export interface Machine {
  /** Resolves when the step's process has gone as far as it can, also through the runtime's own threads. */
  rest(): Promise<void>;
  /** Gives the real machine back. */
  release(): void;
}

/**
 * The wall clock of the process whose step it is, with a skew of its own, and set now and then. Timers and the monotonic
 * counter follow the world's time.
 */
function clockOf(timeline: Timeline, clocks: Clocks): () => number {
  const own = new Map<Process, Clock>();
  const { Date: real } = globalThis;
  // A timer may end between two milliseconds, and a date has none.
  const now = (): number => Math.floor(timeline.time);
  return () => {
    const { current } = timeline;
    if (!current || !clocks.skewed) return now();
    const known = own.get(current) ?? clocks.ofProcess({ now: () => new real(now()) });
    own.set(current, known);
    return known.now().getTime();
  };
}

/** Signatures are verified by threads of the runtime; their number is counted, so that a step waits for them. */
function countedSubtle(): { readonly subtle: Record<string, unknown>; underWay(): number } {
  let running = 0;
  const own = crypto.webcrypto.subtle as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const names = ['verify', 'sign', 'importKey', 'exportKey', 'digest', 'encrypt', 'decrypt'];
  const counted = (name: string) => {
    const call = own[name]!.bind(own);
    return (...given: unknown[]) => {
      running += 1;
      return call(...given).finally(() => (running -= 1));
    };
  };
  return { subtle: Object.fromEntries(names.map((name) => [name, counted(name)])), underWay: () => running };
}

/** Whether this thread waits for the real machine, as where a package reads its files when it is first used. */
const isServed = (): boolean => process.getActiveResourcesInfo().some((name) => /Req/.test(name));

/** Takes the machine for one history; one at a time in one thread. */
export function useMachine(
  timeline: Timeline,
  network: Network,
  { seed, clocks }: { readonly seed: number; readonly clocks: Clocks },
): Machine {
  const { plain, promised } = timersOf(timeline);
  const now = clockOf(timeline, clocks);
  const startedAt = timeline.time;
  const elapsed = (): number => timeline.time - startedAt;
  const random = randomnessOf(seed);
  const { subtle, underWay } = countedSubtle();
  const hrtime = Object.assign(
    (since: readonly [number, number] = [0, 0]) => [Math.floor(elapsed() / 1_000) - since[0], 0],
    { bigint: () => BigInt(Math.floor(elapsed() * 1_000_000)) },
  );
  const timeout = (milliseconds: number): AbortSignal => {
    const stop = new AbortController();
    plain.setTimeout(() => stop.abort(new DOMException('The operation timed out', 'TimeoutError')), milliseconds);
    return stop.signal;
  };
  const absent = () => Promise.reject(Object.assign(new Error('simulated: no such file'), { code: 'ENOENT' }));
  const release = replace([
    [globalThis, { ...plain, Date: dateAt(now), fetch: fetchOnce }],
    [timers, plain],
    [timersWithPromises, promised],
    [performance, { now: elapsed, timeOrigin: startedAt }],
    [process, { hrtime }],
    [Math, { random: random.next }],
    [crypto, { randomBytes: random.randomBytes, randomUUID: random.randomUUID, randomFillSync: random.fill }],
    [crypto.webcrypto, { getRandomValues: random.fill, randomUUID: random.randomUUID }],
    [crypto.webcrypto.subtle, subtle],
    [AbortSignal, { timeout }],
    // The driver looks once for the file by which a container is recognised.
    [fs.promises, { access: absent }],
    [net, { connect: network.connect, createConnection: network.connect }],
    [net.Server.prototype, { listen: network.listen }],
    [http.Agent.prototype, { createConnection: network.connect }],
  ]);
  return {
    rest: async () => {
      do await new Promise<void>((resolve) => ownImmediate(resolve));
      while (underWay() > 0 || isServed());
    },
    release,
  };
}
