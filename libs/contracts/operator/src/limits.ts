/** Limits of the gateway's requests and lists (docs/limits.md). */
export const operatorLimits = {
  /**
   * Counted from the creation of the intent by the database's clock; an age of exactly this value is expired
   * (specification §8).
   */
  retryWindowHours: 23,
  defaultWaitSeconds: 5,
  maximumWaitSeconds: 30,
  /**
   * Longest reason of an action. The provider's description has at most 350 characters and gets a shortened text; the
   * full one is kept here.
   */
  reasonCharacters: 500,
  /** The largest amount that the provider accepts. */
  planAmountCents: 99_999_999,
  listItems: 100,
} as const;
