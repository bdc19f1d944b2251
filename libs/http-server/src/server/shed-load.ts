/**
 * Refuses reads early that would be answered too late. The expected duration of a new read follows from the running
 * reads and the recent rate of completed ones (Little's law), so one rule fits slow and fast machines. Writes have
 * priority over reads: they are refused only when very many are running, because their callers must not be left without
 * an answer, and waiting reads leave the store to them. A caller's few reads have priority over another caller's many,
 * and one caller has at most half of the places for writes.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem, Refusal } from '../problem';
import type { Route } from '../route';
import { probePaths } from './every-request';
import { isLasting } from './lasting-streams';
import { createReadTurns } from './read-turns';

export interface ShedLimits {
  /** The longest expected time to the answer with which a new read is accepted. */
  readonly readWaitMs: number;
  /** This many reads are always accepted. */
  readonly readsAlways: number;
  /** This many reads are accepted while their duration is unknown. */
  readonly readsAtFirst: number;
  /** This many of the accepted reads run at a time. */
  readonly readsAtATime: number;
  /** Up to this many running reads of one caller have priority over those of callers with more. */
  readonly readsOfOne: number;
  readonly writes: number;
  /** The running writes of one caller, so that no caller takes all places of the others. */
  readonly writesOfOne: number;
}

export const defaultShedLimits: ShedLimits = {
  readWaitMs: 250,
  readsAlways: 64,
  readsAtFirst: 128,
  readsAtATime: 16,
  readsOfOne: 4,
  writes: 512,
  writesOfOne: 256,
};

/** The class of a request: `few` is a read of a caller with few running reads. */
type Load = 'few' | 'read' | 'write';

export interface LoadGate {
  /** The class of a new request of this kind from this caller. */
  weigh(kind: 'read' | 'write', caller: string): Load;
  /** Whether one more may begin; each that begins must call `leave`. */
  enter(load: Load, caller: string): boolean;
  /** `answered`: false when the reader left, which does not show how fast answers come. */
  leave(load: Load, caller: string, answered: boolean): void;
}

const bucketMs = 100;
const buckets = 20;

/** `now`: milliseconds of a clock that never jumps. */
export function createLoadGate(limits: ShedLimits, now: () => number): LoadGate {
  const underWay = { few: 0, read: 0, write: 0 };
  /** Running reads and writes of each caller. */
  const held = { reads: new Map<string, number>(), writes: new Map<string, number>() };
  const ended = createRecentCount(now);
  const mayRead = (before: number): boolean => {
    if (before < limits.readsAlways) return true;
    const perMs = ended.perMs();
    if (perMs === undefined) return before < limits.readsAtFirst;
    return perMs > 0 && before / perMs <= limits.readWaitMs;
  };
  const reads = (): number => underWay.few + underWay.read;
  const may: Readonly<Record<Load, (caller: string) => boolean>> = {
    few: () => mayRead(underWay.few),
    read: () => mayRead(reads()),
    write: (caller) => underWay.write < limits.writes && (held.writes.get(caller) ?? 0) < limits.writesOfOne,
  };
  const count = (load: Load, caller: string, by: 1 | -1): void => {
    underWay[load] += by;
    const own = load === 'write' ? held.writes : held.reads;
    const left = (own.get(caller) ?? 0) + by;
    if (left === 0) own.delete(caller);
    else own.set(caller, left);
  };
  return {
    weigh: (kind, caller) => (kind === 'read' && (held.reads.get(caller) ?? 0) < limits.readsOfOne ? 'few' : kind),
    enter(load, caller) {
      if (!may[load](caller)) return false;
      if (load !== 'write' && reads() === 0) ended.begin();
      count(load, caller, 1);
      return true;
    },
    leave(load, caller, answered) {
      count(load, caller, -1);
      if (load !== 'write' && answered) ended.add();
    },
  };
}

/** Counts completions within the last two seconds in which any request was running. */
function createRecentCount(now: () => number) {
  const counts = new Map<number, number>();
  let beganAt = now();
  const present = (): number => Math.floor(now() / bucketMs);
  const drop = (): void => {
    for (const at of counts.keys()) if (at <= present() - buckets) counts.delete(at);
  };
  return {
    /** Starts the measurement again after idle time, which does not show the rate of answers. */
    begin(): void {
      beganAt = now();
      counts.clear();
    },
    add(): void {
      drop();
      counts.set(present(), (counts.get(present()) ?? 0) + 1);
    },
    /** Undefined until enough reads have been measured. */
    perMs(): number | undefined {
      drop();
      const watchedMs = Math.min(now() - beganAt, buckets * bucketMs);
      if (watchedMs < 5 * bucketMs) return undefined;
      return [...counts.values()].reduce((sum, count) => sum + count, 0) / watchedMs;
    },
  };
}

interface Entered {
  /** Aborted when the request no longer counts. */
  readonly over: AbortSignal;
  readonly leave: (answered: boolean) => void;
}

/** The unverified caller: different tokens count as different callers. */
const callerOf = ({ headers, ip }: FastifyRequest): string => headers.authorization ?? headers.cookie ?? ip;

/** Why a request no longer waits for its turn. */
const left = 'the request has left';

/** Live streams last as long as their reader, and probes come from the monitoring machines, so neither counts. */
export function shedLoad(app: FastifyInstance, routes: readonly Route[], limits: ShedLimits): void {
  const lasting = routes.filter(isLasting).map(({ path }) => path);
  const exempt = new Set([...probePaths, ...lasting]);
  const gate = createLoadGate(limits, () => performance.now());
  // An accepted read that waits too long is refused then: the machine is slower than expected.
  const turns = createReadTurns(limits.readsAtATime, limits.readWaitMs, 2 * limits.readWaitMs);
  /** The functions to call when the work of a request is done. */
  const ending = new WeakMap<FastifyRequest, () => void>();
  const enter = (kind: 'read' | 'write', request: FastifyRequest, response: FastifyReply): Entered | null => {
    const route = request.routeOptions.url;
    if (route === undefined || exempt.has(route)) return null;
    const caller = callerOf(request);
    const load = gate.weigh(kind, caller);
    if (!gate.enter(load, caller)) throw overloaded;
    const over = new AbortController();
    const leave = (answered: boolean): void => {
      if (over.signal.aborted) return;
      gate.leave(load, caller, answered);
      // A reason of our own: the default one is an error with a stack, for every request.
      over.abort(left);
    };
    // Whichever comes first: the answer is complete, or its reader has left.
    ending.set(request, () => leave(true));
    response.raw.once('close', () => leave(response.raw.writableFinished));
    return { over: over.signal, leave };
  };
  app.addHook('onRequest', async (request, response) => {
    if (!isRead(request)) return;
    const few = gate.weigh('read', callerOf(request)) === 'few';
    const entered = enter('read', request, response);
    if (!entered) return;
    const end = await turns.take(entered.over, few);
    if (!end) {
      // No answer was made, so nothing is learnt about the rate of answers.
      entered.leave(false);
      throw overloaded;
    }
    // The work of a read whose reader has left continues; its turn ends with the work.
    const leave = ending.get(request);
    ending.set(request, () => (leave?.(), end()));
  });
  // A write counts once its body has arrived, so a client that sends slowly delays no other.
  app.addHook(
    'preValidation',
    async (request, response) => void (isRead(request) || enter('write', request, response)),
  );
  // From here on an answer waits only for its reader; a stream is produced while it is read.
  app.addHook('onSend', async (request, response, payload) => {
    const end = ending.get(request);
    if (payload instanceof Readable) response.raw.once('close', () => end?.());
    else end?.();
  });
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';
/** One error object for all: creating a stack for each would cost processor time when the server is overloaded. */
const overloaded = new Refusal(problem('overloaded', { retryAfterSeconds: 1 }));
