/** Sums over histories, and their presentation as text. */
import { formatJudged, invariants, judgedBy, type Judged } from '@platform/testing';
import type { HistoryPlan, HistoryResult } from './play-history';
import { neverReached } from './sometimes';

export interface Failure {
  readonly plan: HistoryPlan;
  readonly violations: readonly string[];
}

export interface Tally {
  histories: number;
  calls: number;
  steps: number;
  crashes: number;
  zombies: number;
  /** Special answers, by kind. */
  readonly faults: Record<string, number>;
  deliveries: number;
  events: number;
  operations: number;
  effects: number;
  /** The number of facts by which each invariant was judged. */
  readonly weights: Record<string, number>;
  /** The number of steps that were compared with the reference model. */
  modelSteps: number;
  /** The final states of operations, creations, provider events and deliveries. */
  readonly reached: Record<string, number>;
  readonly failures: Failure[];
}

const failuresKept = 20;

export function createTally(): Tally {
  return {
    histories: 0,
    calls: 0,
    steps: 0,
    crashes: 0,
    zombies: 0,
    faults: {},
    deliveries: 0,
    events: 0,
    operations: 0,
    effects: 0,
    modelSteps: 0,
    weights: {},
    reached: {},
    failures: [],
  };
}

const summed = [
  'calls',
  'steps',
  'crashes',
  'zombies',
  'deliveries',
  'events',
  'operations',
  'effects',
  'modelSteps',
] as const;

function add(into: Record<string, number>, name: string, count: number): void {
  into[name] = (into[name] ?? 0) + count;
}

export function addHistory(tally: Tally, result: HistoryResult): void {
  tally.histories += 1;
  for (const name of summed) tally[name] += result[name];
  for (const { kind } of result.faults) add(tally.faults, kind, 1);
  for (const [id, count] of Object.entries(result.weights)) add(tally.weights, id, count);
  for (const name of result.reached) add(tally.reached, name, 1);
  if (result.violations.length > 0 && tally.failures.length < failuresKept)
    tally.failures.push({ plan: result.plan, violations: result.violations });
}

export function addTally(tally: Tally, other: Tally): void {
  tally.histories += other.histories;
  for (const name of summed) tally[name] += other[name];
  for (const [kind, count] of Object.entries(other.faults)) add(tally.faults, kind, count);
  for (const [id, count] of Object.entries(other.weights)) add(tally.weights, id, count);
  for (const [name, count] of Object.entries(other.reached)) add(tally.reached, name, count);
  tally.failures.push(...other.failures);
}

export const grouped = (count: number): string => Math.round(count).toLocaleString('en-US');

export function progressLine(tally: Tally, seconds: number): string {
  const rate = tally.histories / Math.max(seconds, 0.001);
  return `${grouped(tally.histories)} histories · ${grouped(rate * 60)}/min · ${grouped(tally.calls)} port calls · ${grouped(tally.crashes)} crashes · ${grouped(tally.zombies)} zombies · ${tally.failures.length} violations`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

/** In this many histories, at least one must contain a fact about every invariant. */
const historiesPerFact = 100;

/** The invariants that the histories have judged; the simulation claims every invariant. */
export function judgedIn({ weights, histories }: Tally): Judged[] {
  const minimum = Math.max(1, Math.floor(histories / historiesPerFact));
  return judgedBy(weights, Object.fromEntries(invariants.map(({ id }) => [id, minimum])));
}

/** A lower average means that the model did not read the histories. */
const modelStepsPerHistory = 5;

/** Describes how much the reference model has judged; every run requires it. */
function modelJudged({ modelSteps, histories }: Pick<Tally, 'modelSteps' | 'histories'>): {
  readonly judged: boolean;
  readonly text: string;
} {
  const minimum = histories * modelStepsPerHistory;
  const judged = modelSteps > 0 && modelSteps >= minimum;
  const count = `${grouped(modelSteps)} steps`;
  return {
    judged,
    text: judged
      ? `refined:    ${count} of the histories are steps of the reference model`
      : `NOT JUDGED: reference model: ${count}, at least ${grouped(Math.max(minimum, 1))} are needed`,
  };
}

/** No violation, no invariant without enough facts, and no listed state that was never reached. */
export function isGreen(tally: Tally): boolean {
  return (
    tally.failures.length === 0 &&
    judgedIn(tally).every(({ judged }) => judged) &&
    modelJudged(tally).judged &&
    neverReached(tally).length === 0
  );
}

/** What a failing seed violated, and the command that plays it again. */
export function failureText({ plan, violations }: Failure): string {
  return `seed ${plan.seed}: npm run sim -- --seed ${plan.seed}\n${violations.map((line) => `    ${line}`).join('\n')}`;
}

/** `cpuSeconds`: of all threads; on a shared machine this is more meaningful than the elapsed time. */
export function verdict(tally: Tally, seconds: number, cpuSeconds: number): string {
  const listOf = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  const interesting = ['histories', ...summed] as const;
  return [
    table(interesting.map((name) => [name, grouped(tally[name])])),
    table([
      ['time', `${seconds.toFixed(1)} s`],
      ['histories per minute', grouped((tally.histories / seconds) * 60)],
      ['CPU per history', `${((cpuSeconds / tally.histories) * 1_000).toFixed(1)} ms`],
    ]),
    `\nfaults injected\n${table(listOf(tally.faults).map(([name, count]) => [name, grouped(count)]))}`,
    `\nends reached\n${table(listOf(tally.reached).map(([name, count]) => [name, grouped(count)]))}`,
    ...tally.failures.map((failure) => `\n${failureText(failure)}`),
    `\n${formatJudged(judgedIn(tally)).join('\n')}`,
    modelJudged(tally).text,
    ...neverReached(tally).map((state) => `NEVER REACHED: ${state}`),
    `\n${isGreen(tally) ? 'PASSED' : 'FAILED'}: ${grouped(tally.histories)} histories, ${tally.failures.length} with violations`,
  ].join('\n');
}
