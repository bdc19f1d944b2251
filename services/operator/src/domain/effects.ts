/** Provider effects as data: an action lists them, the workflow performs them in that order and journals each. */

export type Effect =
  | { readonly step: 'pause_collection'; readonly subscriptionId: string }
  | { readonly step: 'resume_collection'; readonly subscriptionId: string }
  | { readonly step: 'balance_credit'; readonly customerId: string; readonly amountCents: number; readonly currency: string; readonly description: string }
  /** Does not apply here; recorded as skipped, never sent. */
  | { readonly step: string; readonly skipped: string };

/** The provider's answer as far as an action needs it. */
export interface EffectAnswer {
  readonly step: string;
  readonly objectId?: string;
  readonly values: Readonly<Record<string, string | number | boolean | null>>;
}
