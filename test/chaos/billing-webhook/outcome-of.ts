/** The outcome of an event of this run, by its number: most succeed, some fail, some are unknown. */
import type { ProviderEventOutcome } from '@platform/contracts-provisioning';

export const eventIdOf = (number: number): string => `evt_${number}`;

export function outcomeOf(eventId: string): ProviderEventOutcome {
  const number = Number(eventId.slice(4));
  if (number % 10 === 3) return 'failed';
  return number % 20 === 7 ? 'unknown' : 'success';
}
