/**
 * Shrinks a failing history: pieces of its list of actions and faults are removed as long as it still fails for the
 * same reason. A person then has less to understand.
 */
import { playHistory, type HistoryPlan, type HistoryResult } from './play-history';

export interface Shrunk {
  readonly plan: HistoryPlan;
  readonly result: HistoryResult;
  readonly tries: number;
}

const triesMax = 400;

/** The violated invariants, without the ids that differ between histories. */
export function reasonOf(violations: readonly string[]): string {
  const [first = ''] = violations;
  return /^I\d+/.exec(first)?.[0] ?? first.replace(/[\w-]*\d[\w-]*/g, '#').slice(0, 60);
}

/** Removes pieces of `items`, halves first and single ones last, while `fails` returns true. */
async function reduce<T>(items: readonly T[], fails: (kept: readonly T[]) => Promise<boolean>): Promise<readonly T[]> {
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await fails(fewer)) kept = fewer;
      else from += size;
    }
  }
  return kept;
}

/** Plays at most 400 histories; the result fails for the same reason as `failing`. */
export async function shrink(failing: HistoryResult): Promise<Shrunk> {
  const reason = reasonOf(failing.violations);
  let tries = 0;
  let best = failing;
  const attempt = async (plan: HistoryPlan): Promise<boolean> => {
    if (tries >= triesMax) return false;
    tries += 1;
    const result = await playHistory(plan);
    if (!result.violations.some((line) => reasonOf([line]) === reason)) return false;
    best = result;
    return true;
  };
  let plan: HistoryPlan = { seed: failing.plan.seed, actions: failing.actions, faults: failing.faults };
  if (!(await attempt(plan))) return { plan: failing.plan, result: failing, tries };
  for (let round = 0; round < 2; round += 1) {
    const faults = await reduce(plan.faults ?? [], (kept) => attempt({ ...plan, faults: kept }));
    plan = { ...plan, faults };
    const actions = await reduce(plan.actions ?? [], (kept) => attempt({ ...plan, actions: kept }));
    plan = { ...plan, actions };
  }
  return { plan, result: best, tries };
}
