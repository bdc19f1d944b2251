/**
 * The one checker of the invariants I1–I17 (docs/invariants.md). Simulated, chaos and end-to-end runs collect
 * the same evidence and ask the same question: does this history show a broken promise?
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

/** The invariants that this evidence lets us judge; a report names them, so that silence is not taken for proof. */
export function checkableInvariants(evidence: Evidence): InvariantId[] {
  return invariants.filter(({ needs }) => needs.every((name) => evidence[name] !== undefined)).map(({ id }) => id);
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
