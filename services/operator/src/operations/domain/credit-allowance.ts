/**
 * What one person has credited on one day in one currency. A credit takes its part before its intent is written, in a
 * fenced write of this record, so of two credits that together are too much one is refused. A part is given back only when
 * its attempt is proven to have had no effect.
 */
import type { Revisioned } from '@platform/kernel';
import type { Operation } from './operation';

export interface CreditPart {
  readonly operationId: string;
  /** Number of the attempt that it was taken for. */
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

/** Largest sum of one person's credits on a day, in minor units of each currency, by role; a role without one has no limit. */
export type CreditDayLimits = Readonly<Partial<Record<string, number>>>;

/** Parts of one record; a person who gives more credits than this on a day is refused. */
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
  if (made?.outcome === 'failed') return true;
  return made?.outcome === 'unknown' && operation.resolution?.outcome === 'not_applied';
}
