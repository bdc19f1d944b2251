/**
 * The provider repeats an unanswered event for three days and then disables an endpoint that only fails. Operators are
 * alerted long before that (contracts §4.4).
 */
const hourMs = 3_600_000;
const dayHours = 24;
const providerRetriesHours = 72;

export interface EndpointHealth {
  readonly oldestUnresolvedHours: number;
  /** Hours until the provider stops repeating the oldest event; null when it repeats none. */
  readonly hoursLeft: number | null;
  /**
   * Warning level. 0: no reason to warn. 1 from the age at which people are warned, and one more for each further day.
   */
  readonly warningDay: number;
}

/** `oldest`: time of receipt of the oldest unresolved event that the provider may still repeat; null: there is none. */
export function judgeEndpoint(oldest: Date | null, warnAfterHours: number, now: Date): EndpointHealth {
  if (!oldest) return { oldestUnresolvedHours: 0, hoursLeft: null, warningDay: 0 };
  const age = Math.max(0, (now.getTime() - oldest.getTime()) / hourMs);
  const hoursLeft = providerRetriesHours - age;
  if (hoursLeft <= 0) return { oldestUnresolvedHours: age, hoursLeft: null, warningDay: 0 };
  return {
    oldestUnresolvedHours: age,
    hoursLeft,
    warningDay: age < warnAfterHours ? 0 : 1 + Math.floor((age - warnAfterHours) / dayHours),
  };
}

/** When the provider repeats an event for the last time. */
export function givenUpAt(receivedAt: Date): Date {
  return new Date(receivedAt.getTime() + providerRetriesHours * hourMs);
}

/** Events received before this instant are no longer repeated by the provider. */
export function repeatedSince(now: Date): Date {
  return new Date(now.getTime() - providerRetriesHours * hourMs);
}
