/** What came of one delivery of an event; its answer to the provider is drawn from it. */
export type Reception =
  | { readonly kind: 'accepted'; readonly result: 'success' | 'skipped'; readonly duplicate: boolean }
  /** Admitted, and pending past the budget or stopped: an error to the provider (specification §6). */
  | {
      readonly kind: 'unresolved';
      readonly result: 'pending' | 'reconciliation_required';
      readonly errorMessage?: string;
    }
  /** The id stands for an event of another type. */
  | { readonly kind: 'conflict'; readonly standingType: string }
  /** Nothing is known to be recorded; not dispatched by this delivery. */
  | { readonly kind: 'not_recorded'; readonly reason: string };
