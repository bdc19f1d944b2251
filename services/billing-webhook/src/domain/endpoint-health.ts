/**
 * The provider repeats an unanswered event for three days and then disables an endpoint that only fails. The
 * operators must hear of it long before (contracts §4.4).
 */
const hourMs = 3_600_000;
const dayHours = 24;
const providerRetriesHours = 72;

export interface EndpointHealth {
  readonly oldestUnresolvedHours: number;
  /** Hours until the provider gives the oldest event up; null when there is nothing that it still repeats. */
  readonly hoursLeft: number | null;
  /** 0: no reason to warn. From the age at which people are warned on, 1 and one more with every day. */
  readonly warningDay: number;
}

/** `oldest`: when the oldest unresolved event that the provider may still repeat was received; null: none. */
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
