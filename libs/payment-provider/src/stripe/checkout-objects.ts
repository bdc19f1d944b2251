/** Decodes checkout sessions. */
import { z } from 'zod';
import type { ProviderCheckoutSession } from '../objects';
import { id, reference } from './provider-objects';

const session = z.object({
  id,
  status: z.enum(['open', 'complete', 'expired']),
  url: z.string().nullish(),
  customer: reference.nullish(),
  subscription: z
    .union([
      z.object({ id, default_payment_method: reference.nullish() }),
      id.transform((found) => ({ id: found, default_payment_method: null })),
    ])
    .nullish(),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  invoice: reference.nullish(),
  expires_at: z.number().int().nonnegative(),
  metadata: z.record(z.string(), z.string()).nullish(),
});

/** Undefined when the answer is not a checkout session. */
export function decodeCheckoutSession(answer: unknown): ProviderCheckoutSession | undefined {
  const { success, data } = session.safeParse(answer);
  if (!success) return undefined;
  return {
    id: data.id,
    status: data.status,
    url: data.url ?? null,
    customerId: data.customer ?? null,
    subscriptionId: data.subscription?.id ?? null,
    paymentMethodId: data.subscription?.default_payment_method ?? null,
    paymentStatus: data.payment_status,
    invoiceId: data.invoice ?? null,
    expiresAt: new Date(data.expires_at * 1_000),
    metadata: data.metadata ?? {},
  };
}
