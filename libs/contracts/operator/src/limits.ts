/** Limits of the gateway's requests and lists (docs/limits.md). */
export const operatorLimits = {
  /** From intent creation, judged by the database's clock; exactly this long ago is expired (specification §8). */
  retryWindowHours: 23,
  defaultWaitSeconds: 5,
  maximumWaitSeconds: 30,
  /** Of every action. The provider's description takes 350 and gets a shortened one; the full text stays here. */
  reasonCharacters: 500,
  /** The provider's own bound of an amount. */
  planAmountCents: 99_999_999,
  listItems: 100,
} as const;
