/** Limits of the gateway's requests and lists (docs/limits.md). */
export const operatorLimits = {
  /** From intent creation, judged by the database's clock; exactly this long ago is expired (specification §8). */
  retryWindowHours: 23,
  defaultWaitSeconds: 5,
  maximumWaitSeconds: 30,
  /**
   * Longest reason of an action. The provider's description takes 350 characters and gets a shortened text; the full
   * one is kept here.
   */
  reasonCharacters: 500,
  /** The largest amount that the provider takes. */
  planAmountCents: 99_999_999,
  listItems: 100,
} as const;
