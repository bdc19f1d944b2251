/** The result of one delivery of an event; the answer to the provider follows from it. */
export type Reception =
  | { readonly kind: 'accepted'; readonly result: 'success' | 'skipped'; readonly duplicate: boolean }
  /** Admitted, but still pending at the end of the wait, or stopped: the provider gets an error (specification §6). */
  | {
      readonly kind: 'unresolved';
      readonly result: 'pending' | 'reconciliation_required';
      readonly errorMessage?: string;
    }
  /** The id belongs to an event of another type. */
  | { readonly kind: 'conflict'; readonly standingType: string }
  /** No record is confirmed; this delivery dispatches nothing. */
  | { readonly kind: 'not_recorded'; readonly reason: string };
