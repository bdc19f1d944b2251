/**
 * The sum that one person has credited on one day in one currency. A credit reserves its part in a fenced write of this
 * record before its intent is written, so of two credits that together exceed the limit one is refused. A part is
 * released only when its attempt is proven to have had no effect.
 */
import type { Revisioned } from '@platform/kernel';
import type { Operation } from './operation';

export interface CreditPart {
  readonly operationId: string;
  /** The number of the attempt that reserved the part. */
  readonly attempt: number;
  /** Minor units. */
  readonly amountCents: number;
}

export interface CreditAllowance extends Revisioned {
  /** Subject of the person. */
  readonly person: string;
  /** `YYYY-MM-DD`, of UTC. */
  readonly day: string;
  readonly currency: string;
  readonly parts: readonly CreditPart[];
}

/**
 * The largest sum of one person's credits on a day, in minor units of each currency, by role; a role without an entry
 * has no limit.
 */
export type CreditDayLimits = Readonly<Partial<Record<string, number>>>;

/** The most parts in one record; further credits of the person on that day are refused. */
export const creditPartsMax = 1_000;

export function allowanceId(person: string, day: string, currency: string): string {
  return `${day}:${currency}:${person}`;
}

export function spentOf(parts: readonly CreditPart[], except?: string): number {
  return parts.reduce((sum, part) => sum + (part.operationId === except ? 0 : part.amountCents), 0);
}

/** Whether the attempt of this part is proven to have had no effect. */
export function isGivenBack({ attempt }: CreditPart, operation: Operation | null): boolean {
  // Without a record, the credit's intent may be about to be written.
  if (!operation) return false;
  const made = operation.attempts[attempt - 1];
  if (!made) return false;
  // An attempt whose process ended has no outcome, and the investigation is the proof for it, too.
  return made.outcome === 'failed' || operation.resolution?.outcome === 'not_applied';
}
