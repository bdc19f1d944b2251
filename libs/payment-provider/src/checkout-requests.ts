/** What a checkout asks of the provider: a hosted page on which a person pays for one subscription. */
import { assert } from '@platform/kernel';
import type { CallIntent } from './port';
import { mutation, pathId } from './requests';

export interface CheckoutDraft {
  readonly customerId: string;
  readonly priceId: string;
  readonly tenantId: string;
  readonly planId: string;
  /** 0: no trial. */
  readonly trialDays: number;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

const trialDaysMax = 730;

/** Session and subscription carry the operation, so that an investigator finds both when the answer was lost. */
export function createCheckoutSessionRequest(intent: CallIntent, draft: CheckoutDraft) {
  assert(
    Number.isInteger(draft.trialDays) && draft.trialDays >= 0 && draft.trialDays <= trialDaysMax,
    `a trial has 0 to ${trialDaysMax} days`,
  );
  const metadata = {
    tenantId: draft.tenantId,
    planId: draft.planId,
    operationId: intent.operationId,
    step: intent.step,
  };
  return mutation(intent, '/v1/checkout/sessions', {
    mode: 'subscription' as const,
    customer: pathId(draft.customerId),
    line_items: [{ price: draft.priceId, quantity: 1 }],
    success_url: draft.successUrl,
    cancel_url: draft.cancelUrl,
    subscription_data: { ...(draft.trialDays > 0 && { trial_period_days: draft.trialDays }), metadata },
    metadata,
  });
}
