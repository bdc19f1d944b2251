/**
 * The busiest hour of a large platform, computed: requests arrive at a rate that swings and has one burst, each asks
 * every part for the processor time that a bench has measured, and each part has a number of cores. What waits is
 * carried from step to step, so a part that is too small shows how long its requests wait and when it has caught up.
 */

/** Milliseconds of processor time that one operation of each kind takes, by part. */
export type Costs = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Hour {
  /** Operations per second, on average over the hour. */
  readonly perSecond: number;
  /** Share of each kind; together 1. */
  readonly mix: Readonly<Record<string, number>>;
  readonly costs: Costs;
  /** Cores by part. */
  readonly cores: Readonly<Record<string, number>>;
  /** Times the average, from the middle of the hour on. */
  readonly burst: { readonly times: number; readonly seconds: number };
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
}

export interface PartOfHour {
  /** Share of the part's time that is used, over the hour and in its busiest minute. */
  readonly used: number;
  readonly usedAtMost: number;
  /** Milliseconds that a request waits for its turn at the part: of a thousand requests the second longest, and the longest. */
  readonly waitMs: number;
  readonly longestWaitMs: number;
}

const hourSeconds = 3_600;
const stepMs = 100;
const stepsPerMinute = 60_000 / stepMs;
/** The rate swings by this share around the average, in this time. */
const swing = { share: 0.2, seconds: 1_200 };

/** Processor time of an average operation by part, in milliseconds. */
export function costOfMix({ mix, costs }: Pick<Hour, 'mix' | 'costs'>): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [kind, share] of Object.entries(mix))
    for (const [part, ms] of Object.entries(costs[kind]!)) total[part] = (total[part] ?? 0) + share * ms;
  return total;
}

/** The fewest cores that are used to `share` by the mix, by part. */
export function coresFor(hour: Pick<Hour, 'mix' | 'costs' | 'perSecond'>, share: number): Record<string, number> {
  const needed = (ms: number): number => Math.max(1, Math.ceil((hour.perSecond * ms) / 1_000 / share));
  return Object.fromEntries(Object.entries(costOfMix(hour)).map(([part, ms]) => [part, needed(ms)]));
}

/** Operations per second at a second of the hour. */
function rateAt({ perSecond, burst }: Pick<Hour, 'perSecond' | 'burst'>, second: number): number {
  const begins = hourSeconds / 2;
  if (second >= begins && second < begins + burst.seconds) return perSecond * burst.times;
  return perSecond * (1 + swing.share * Math.sin((2 * Math.PI * second) / swing.seconds));
}

/** A number of arrivals around `mean`, as of independent callers; the normal approximation holds from some ten on. */
function arrivals(mean: number, random: () => number): number {
  const spread = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * spread));
}

/** Plays the hour; one entry for each part. */
export function playHour(hour: Hour): Record<string, PartOfHour> {
  const cost = costOfMix(hour);
  const parts = Object.keys(cost);
  const backlog = new Map(parts.map((part) => [part, 0]));
  const usedMs = new Map(parts.map((part) => [part, [] as number[]]));
  const waits = new Map(parts.map((part) => [part, [] as number[]]));
  const steps = (hourSeconds * 1_000) / stepMs;
  for (let step = 0; step < steps; step += 1) {
    const count = arrivals((rateAt(hour, (step * stepMs) / 1_000) * stepMs) / 1_000, hour.random);
    const minute = Math.floor(step / stepsPerMinute);
    for (const part of parts) {
      const cores = hour.cores[part]!;
      const asked = backlog.get(part)! + count * cost[part]!;
      const done = Math.min(asked, cores * stepMs);
      backlog.set(part, asked - done);
      const minutes = usedMs.get(part)!;
      minutes[minute] = (minutes[minute] ?? 0) + done;
      waits.get(part)!.push((asked - done) / cores);
    }
  }
  return Object.fromEntries(
    parts.map((part) => [part, partOfHour(hour.cores[part]!, usedMs.get(part)!, waits.get(part)!)]),
  );
}

function partOfHour(cores: number, minutes: readonly number[], waits: number[]): PartOfHour {
  const whole = cores * hourSeconds * 1_000;
  const sorted = waits.sort((a, b) => a - b);
  return {
    used: minutes.reduce((sum, ms) => sum + ms, 0) / whole,
    usedAtMost: Math.max(...minutes) / (cores * 60_000),
    waitMs: sorted[Math.floor(sorted.length * 0.999)]!,
    longestWaitMs: sorted.at(-1)!,
  };
}

export interface Workspaces {
  readonly count: number;
  /** The n-th busiest workspace has a share of 1 / n^skew of the busiest one's operations. */
  readonly skew: number;
}

/** How much more than its even part the busiest shard has when workspaces are spread by a hash of their ids. */
export function busiestShard({ count, skew }: Workspaces, shards: number): number {
  const load = new Float64Array(shards);
  let total = 0;
  for (let place = 1; place <= count; place += 1) {
    const weight = place ** -skew;
    load[hashOf(place) % shards]! += weight;
    total += weight;
  }
  return (Math.max(...load) * shards) / total;
}

/** A multiplication and shifts spread consecutive numbers over all words (the finaliser of MurmurHash3). */
function hashOf(number: number): number {
  let word = number | 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

export interface Held {
  /** Share of the operations that find their workspace held by another one, and are refused. */
  readonly refused: number;
  /** Share of the time in which the busiest workspace is held. */
  readonly busiest: number;
}

/** `perSecond` operations hold a workspace, each for `heldMs`. */
export function heldWorkspaces({ count, skew }: Workspaces, perSecond: number, heldMs: number): Held {
  let total = 0;
  for (let place = 1; place <= count; place += 1) total += place ** -skew;
  let refused = 0;
  let busiest = 0;
  for (let place = 1; place <= count; place += 1) {
    const share = place ** -skew / total;
    // An operation that is refused holds nothing, so the time between two holds is a whole gap between arrivals.
    const offered = (perSecond * share * heldMs) / 1_000;
    const held = offered / (1 + offered);
    refused += share * held;
    busiest = Math.max(busiest, held);
  }
  return { refused, busiest };
}
