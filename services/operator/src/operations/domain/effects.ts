/** Provider effects as data: an action lists them, the workflow performs them in that order and journals each. */

/** A phase of a schedule as the provider told it. */
interface RunningPhase {
  readonly startDate: Date;
  readonly endDate: Date;
  readonly priceId: string;
}

export type Effect =
  | { readonly step: 'pause_collection'; readonly subscriptionId: string }
  | { readonly step: 'resume_collection'; readonly subscriptionId: string }
  | {
      readonly step: 'change_price';
      readonly subscriptionId: string;
      readonly itemId: string;
      readonly priceId: string;
    }
  | { readonly step: 'cancel_at_period_end'; readonly subscriptionId: string }
  | { readonly step: 'cancel_now'; readonly subscriptionId: string }
  | { readonly step: 'create_schedule'; readonly subscriptionId: string }
  | {
      readonly step: 'schedule_price';
      readonly scheduleId: string;
      readonly current: RunningPhase;
      readonly priceId: string;
    }
  | { readonly step: 'release_schedule'; readonly scheduleId: string }
  | {
      readonly step: 'balance_credit';
      readonly customerId: string;
      readonly amountCents: number;
      readonly currency: string;
      readonly description: string;
    }
  | { readonly step: 'create_customer'; readonly email: string; readonly name: string }
  | {
      readonly step: 'create_session';
      readonly customerId: string;
      readonly priceId: string;
      readonly tenantId: string;
      readonly planId: string;
      readonly trialDays: number;
      readonly successUrl: string;
      readonly cancelUrl: string;
    }
  | { readonly step: 'set_default_payment_method'; readonly customerId: string; readonly paymentMethodId: string }
  /** Does not apply here; recorded as skipped, never sent. */
  | { readonly step: string; readonly skipped: string };

export type SendableEffect = Exclude<Effect, { readonly skipped: string }>;

/** The provider's answer as far as an action needs it. */
export interface EffectAnswer {
  readonly step: string;
  readonly objectId?: string;
  readonly status?: string;
  /** End of the running period, where the answer tells it. */
  readonly periodEnd?: Date;
  /** Address and end of a checkout session. */
  readonly url?: string;
  readonly expiresAt?: Date;
  /** The phase of a schedule that runs now. */
  readonly runningPhase?: RunningPhase;
}
