/**
 * The provider repeats an unanswered event for three days and then disables an endpoint that only fails. Whoever
 * operates the platform must hear of it long before (contracts §4.4).
 */
const hourMs = 3_600_000;
const providerRetriesHours = 72;

export interface EndpointHealth {
  readonly oldestUnresolvedHours: number;
  /** Hours until the provider gives the oldest event up; null when there is nothing that it still repeats. */
  readonly hoursLeft: number | null;
  readonly warn: boolean;
}

/** `oldest`: when the oldest unresolved event that the provider may still repeat was received; null: none. */
export function judgeEndpoint(oldest: Date | null, warnAfterHours: number, now: Date): EndpointHealth {
  if (!oldest) return { oldestUnresolvedHours: 0, hoursLeft: null, warn: false };
  const age = Math.max(0, (now.getTime() - oldest.getTime()) / hourMs);
  const hoursLeft = providerRetriesHours - age;
  return hoursLeft <= 0 ? { oldestUnresolvedHours: age, hoursLeft: null, warn: false } : { oldestUnresolvedHours: age, hoursLeft, warn: age >= warnAfterHours };
}

/** Events received before this instant are no longer repeated by the provider. */
export function repeatedSince(now: Date): Date {
  return new Date(now.getTime() - providerRetriesHours * hourMs);
}
