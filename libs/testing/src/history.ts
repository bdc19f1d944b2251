/**
 * The one checker of the invariants I1–I18 (docs/invariants.md). Simulated, chaos and end-to-end runs collect the same
 * evidence and ask the same question: does this history break a promise?
 */
import { bulkInvariants } from './history/bulk-invariants';
import { deletionInvariants } from './history/deletion-invariants';
import { effectInvariants } from './history/effect-invariants';
import type { Evidence, Invariant, InvariantId, Violation } from './history/evidence';
import { lifecycleInvariants } from './history/lifecycle-invariants';
import { resolutionInvariants } from './history/resolution-invariants';

/** All invariants, by number. */
export const invariants: readonly Invariant[] = [
  ...effectInvariants,
  ...lifecycleInvariants,
  ...bulkInvariants,
  ...deletionInvariants,
  ...resolutionInvariants,
].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));

/** The invariants for which evidence exists; {@link judgedBy} says whether it is enough to judge them. */
export function checkableInvariants(evidence: Evidence): InvariantId[] {
  return invariants.filter(({ needs }) => needs.every((name) => evidence[name] !== undefined)).map(({ id }) => id);
}

/**
 * How many facts of each invariant a run must see before it may report the invariant as judged; absent invariants are
 * not claimed.
 */
export type Minimums = Readonly<Partial<Record<InvariantId, number>>>;

export interface Judged {
  readonly id: InvariantId;
  /** Facts that could have shown a violation. */
  readonly seen: number;
  readonly minimum: number;
  readonly facts: string;
  /** False: too few facts were seen for a verdict. */
  readonly judged: boolean;
}

/** How many facts the evidence contains for each invariant; none where required evidence is missing. */
export function weighEvidence(evidence: Evidence): Readonly<Record<InvariantId, number>> {
  return Object.fromEntries(
    invariants.map(({ id, needs, weigh }) => [
      id,
      needs.every((name) => evidence[name] !== undefined) ? weigh(evidence) : 0,
    ]),
  ) as Record<InvariantId, number>;
}

/** The invariants that a run with these `minimums` has judged, by the facts of its evidence or of all its histories. */
export function judgedBy(weights: Readonly<Partial<Record<InvariantId, number>>>, minimums: Minimums): Judged[] {
  return invariants.flatMap(({ id, facts }) => {
    const minimum = minimums[id];
    if (minimum === undefined) return [];
    const seen = weights[id] ?? 0;
    return [{ id, seen, minimum, facts, judged: seen >= minimum }];
  });
}

/** Two lines for people: what was judged with its count, and what was NOT JUDGED although the run claims it. */
export function formatJudged(judged: readonly Judged[]): string[] {
  const missing = judged.filter((each) => !each.judged);
  return [
    `judged:     ${
      judged
        .filter((each) => each.judged)
        .map(({ id, seen }) => `${id} (${seen})`)
        .join(' ') || 'nothing'
    }`,
    ...missing.map(
      ({ id, seen, minimum, facts }) => `NOT JUDGED: ${id}: ${seen} ${facts}, at least ${minimum} are needed`,
    ),
  ];
}

/** Every violation that the evidence shows, by invariant. Pure. */
export function checkHistory(evidence: Evidence): Violation[] {
  return invariants
    .filter(({ needs }) => needs.every((name) => evidence[name] !== undefined))
    .flatMap(({ id, check }) => check(evidence).map((finding) => ({ invariant: id, ...finding })));
}

/** One line per violation, for a scenario's `check`. */
export function formatViolations(violations: readonly Violation[]): string[] {
  return violations.map(({ invariant, subject, message }) => `${invariant} ${subject}: ${message}`);
}
