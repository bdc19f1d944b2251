/**
 * Which faults happen, and where: each port call has a number, and a fault is a kind at a number. While a history is
 * explored, a separate generator chooses the faults. For a replay they are given as a list, which may be shorter than
 * the original.
 */
import { createRandom } from '@platform/testing';

export interface FaultAt {
  /** The number of the port call in its history, from 1. */
  readonly call: number;
  readonly kind: string;
}

/** Chances per port call, 0 to 1. */
export interface FaultRates {
  readonly crash: number;
  readonly freeze: number;
  readonly answer: number;
  /** The answer of a call that took effect is delayed while others continue. */
  readonly late: number;
  /** Where faults are concentrated: at these port calls each chance is several times as high. */
  readonly focus?: (name: string) => boolean;
  /** Port calls at which processes often fall asleep, until another process has written to the same collection. */
  readonly naps?: (name: string) => boolean;
}

export interface Faults {
  /** The fault of this call, if any; `answers` are the special answers of its port, each `weight` times as likely. */
  at(name: string, answers: readonly string[], weight?: number): string | undefined;
  /** A fault where no process could crash or sleep: one of `answers`, or none. */
  deviation(name: string, answers: readonly string[], weight?: number): string | undefined;
  /** Counts a call that cannot meet a fault. */
  pass(): void;
  /** Injects faults from now on, after `cease`. */
  begin(): void;
  /** Injects no further fault. */
  cease(): void;
  readonly ceased: boolean;
  /** Whether a write with this name wakes the processes that sleep at its collection. */
  wakes(name: string): boolean;
  readonly calls: number;
  readonly injected: readonly FaultAt[];
  /** Which fault met which call, for people who replay a history. */
  readonly story: readonly string[];
}

const crashes = ['crash_before', 'crash_after'] as const;
const processFaults: ReadonlySet<string> = new Set([...crashes, 'freeze', 'late']);

const napChance = 0.2;
/** The most naps in one history: a process that keeps falling asleep never completes any work. */
const napsMax = 6;
/** The chance that one write to the collection wakes a process. */
const wakeChance = 0.3;
const writes = /\.(insert|mutate|remove)$/;

/** The factor by which each fault is likelier at the calls of a focus. */
const focused = 6;

function byChance(
  seed: number,
  rates: FaultRates,
): (name: string, answers: readonly string[], weight: number) => string | undefined {
  const random = createRandom(seed ^ 0x5f356495);
  const napping = createRandom(seed ^ 0x2545f491);
  let naps = 0;
  return (name, answers, weight) => {
    const factor = rates.focus?.(name) ? focused : 1;
    const chance = random.next();
    const pick = random.next();
    if (naps < napsMax && rates.naps?.(name) && napping.next() < napChance) {
      naps += 1;
      return 'freeze';
    }
    let bound = rates.crash * factor;
    if (chance < bound) return crashes[pick < 0.5 ? 0 : 1];
    bound += rates.freeze * factor;
    if (chance < bound) return 'freeze';
    bound += rates.late;
    if (chance < bound) return 'late';
    bound += rates.answer * weight * factor;
    return chance < bound && answers.length > 0 ? answers[Math.floor(pick * answers.length)] : undefined;
  };
}

export function createFaults({
  seed,
  rates,
  only,
}: {
  readonly seed: number;
  readonly rates: FaultRates;
  readonly only?: readonly FaultAt[] | undefined;
}): Faults {
  const draw = byChance(seed, rates);
  const waking = createRandom(seed ^ 0x3c6ef372);
  const listed = only && new Map(only.map(({ call, kind }) => [call, kind]));
  const injected: FaultAt[] = [];
  const story: string[] = [];
  let calls = 0;
  let ceased = false;

  function decide(name: string, answers: readonly string[], ofProcess: boolean, weight: number): string | undefined {
    calls += 1;
    if (ceased) return undefined;
    const kind = listed ? listed.get(calls) : draw(name, answers, weight);
    if (kind === undefined || !((ofProcess && processFaults.has(kind)) || answers.includes(kind))) return undefined;
    injected.push({ call: calls, kind });
    story.push(`call ${calls} ${name}: ${kind}`);
    return kind;
  }

  return {
    at: (name, answers, weight = 1) => decide(name, answers, true, weight),
    deviation: (name, answers, weight = 1) => decide(name, answers, false, weight),
    pass: () => {
      calls += 1;
    },
    begin: () => {
      ceased = false;
    },
    cease: () => {
      ceased = true;
    },
    wakes: (name) => rates.naps !== undefined && writes.test(name) && waking.next() < wakeChance,
    get ceased() {
      return ceased;
    },
    get calls() {
      return calls;
    },
    injected,
    story,
  };
}
