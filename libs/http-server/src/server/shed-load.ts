/**
 * Refuses early what could only be answered late. How long a new read would take follows from the reads under way and from
 * how many ended of late (Little's law), so that one rule fits slow machines and fast ones. Writes come before reads: they
 * are refused only when very many are under way, because their callers must not be left without an answer, and reads that
 * wait for their turn leave the store to them.
 */
import type { FastifyInstance } from 'fastify';
import { problem, Refusal } from '../problem';
import type { Route } from '../route';
import { probePaths } from './every-request';
import { createReadTurns } from './read-turns';

export interface ShedLimits {
  /** Longest time to the answer that a new read may expect. */
  readonly readWaitMs: number;
  /** This many reads are always accepted. */
  readonly readsAlways: number;
  /** This many reads are accepted while their duration is not known. */
  readonly readsAtFirst: number;
  /** Of the reads that are accepted, this many run at a time. */
  readonly readsAtATime: number;
  readonly writes: number;
}

export const defaultShedLimits: ShedLimits = {
  readWaitMs: 250,
  readsAlways: 64,
  readsAtFirst: 128,
  readsAtATime: 16,
  writes: 512,
};

/** A read that takes longer than this no longer counts as one of those that run. */
const turnMs = 1_000;

type Load = 'read' | 'write';

export interface LoadGate {
  /** Whether one more may begin; each that begins must call `leave`. */
  enter(load: Load): boolean;
  leave(load: Load): void;
}

const bucketMs = 100;
const buckets = 20;

/** `now`: milliseconds of a clock that never jumps. */
export function createLoadGate(limits: ShedLimits, now: () => number): LoadGate {
  const underWay = { read: 0, write: 0 };
  const ended = createRecentCount(now);
  const mayRead = (): boolean => {
    if (underWay.read < limits.readsAlways) return true;
    const perMs = ended.perMs();
    if (perMs === undefined) return underWay.read < limits.readsAtFirst;
    return perMs > 0 && underWay.read / perMs <= limits.readWaitMs;
  };
  return {
    enter(load) {
      const taken = load === 'read' ? mayRead() : underWay.write < limits.writes;
      if (taken) {
        if (underWay[load] === 0 && load === 'read') ended.begin();
        underWay[load] += 1;
      }
      return taken;
    },
    leave(load) {
      underWay[load] -= 1;
      if (load === 'read') ended.add();
    },
  };
}

/** What happened within the last two seconds in which anything was under way. */
function createRecentCount(now: () => number) {
  const counts = new Map<number, number>();
  let beganAt = now();
  const present = (): number => Math.floor(now() / bucketMs);
  const drop = (): void => {
    for (const at of counts.keys()) if (at <= present() - buckets) counts.delete(at);
  };
  return {
    /** Idle time says nothing about how fast answers come. */
    begin(): void {
      beganAt = now();
      counts.clear();
    },
    add(): void {
      drop();
      counts.set(present(), (counts.get(present()) ?? 0) + 1);
    },
    /** Undefined until it was watched for a while. */
    perMs(): number | undefined {
      drop();
      const watchedMs = Math.min(now() - beganAt, buckets * bucketMs);
      if (watchedMs < 5 * bucketMs) return undefined;
      return [...counts.values()].reduce((sum, count) => sum + count, 0) / watchedMs;
    },
  };
}

/** Live streams last as long as their reader, and probes are for the machines that watch us. */
export function shedLoad(app: FastifyInstance, routes: readonly Route[], limits: ShedLimits): void {
  const lasting = routes.filter(({ produces }) => produces?.startsWith('text/event-stream')).map(({ path }) => path);
  const exempt = new Set([...probePaths, ...lasting]);
  const gate = createLoadGate(limits, () => performance.now());
  const turns = createReadTurns(limits.readsAtATime, turnMs);
  app.addHook('onRequest', async (request, response) => {
    const route = request.routeOptions.url;
    if (route === undefined || exempt.has(route)) return;
    const load: Load = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write';
    if (!gate.enter(load)) throw new Refusal(problem('overloaded', { retryAfterSeconds: 1 }));
    let inside = true;
    let endTurn = (): void => undefined;
    const leave = (): void => {
      if (inside) gate.leave(load);
      inside = false;
      endTurn();
    };
    // Whichever comes first: the answer was written, or its reader left.
    response.raw.once('finish', leave).once('close', leave);
    if (load === 'write') return;
    endTurn = await turns.take();
    if (!inside) endTurn();
  });
}
