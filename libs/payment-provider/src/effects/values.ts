/**
 * Converts values to forms that a request can carry; ids come from the platform's own records, so a wrong one is a
 * broken invariant.
 */
import { assert } from '@platform/kernel';

const objectId = /^[A-Za-z0-9_-]{1,128}$/;
const trialDaysMax = 730;

/** An id of a provider object, safe as a path segment. */
export function pathId(id: string): string {
  assert(objectId.test(id), 'a provider object id holds only letters, digits, underscore and hyphen');
  return id;
}

export const customerPath = ({ customerId }: { readonly customerId: string }) => `/v1/customers/${pathId(customerId)}`;

/** Text that JSON allows and a request does not: unpaired surrogates become the replacement character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

const descriptionCharacters = 350;

/**
 * A description within the provider's limit; a longer one is shortened and ends with an ellipsis, and the record keeps
 * the full text.
 */
export function shortened(text: string): string {
  const formed = wellFormed(text);
  if (formed.length <= descriptionCharacters) return formed;
  return `${formed.slice(0, descriptionCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}

/** The parameter of a trial of this many days; none for 0. */
export function trialOf(days: number): { readonly trial_period_days?: number } {
  assert(Number.isInteger(days) && days >= 0 && days <= trialDaysMax, `a trial has 0 to ${trialDaysMax} days`);
  return days > 0 ? { trial_period_days: days } : {};
}
