/** Decodes payment methods, invoices and created subscriptions. */
import { z } from 'zod';
import type {
  ProviderChangePreview,
  ProviderCreatedSubscription,
  ProviderHeldChange,
  ProviderInvoice,
  ProviderIssuedInvoice,
  ProviderPaymentMethod,
} from '../objects';
import { decodeSubscription, id, metadata, reference, unixSeconds } from './provider-objects';

const paymentMethod = z.object({
  id,
  customer: reference.nullish(),
  card: z.object({ fingerprint: z.string().min(1).max(200).nullish() }).nullish(),
});

const invoice = z.object({
  id,
  customer: reference,
  status: z.enum(['draft', 'open', 'paid', 'uncollectible', 'void']),
  total: z.number().int(),
  hosted_invoice_url: z.string().max(2_000).nullish(),
  parent: z.object({ subscription_details: z.object({ subscription: reference.nullish() }).nullish() }).nullish(),
});

/** Undefined when the answer is not a payment method. */
export function decodePaymentMethod(answer: unknown): ProviderPaymentMethod | undefined {
  const { success, data } = paymentMethod.safeParse(answer);
  return success
    ? { id: data.id, customerId: data.customer ?? null, cardFingerprint: data.card?.fingerprint ?? null }
    : undefined;
}

/** Undefined when the answer is not an invoice. */
export function decodeInvoice(answer: unknown): ProviderInvoice | undefined {
  const { success, data } = invoice.safeParse(answer);
  if (!success) return undefined;
  return {
    id: data.id,
    customerId: data.customer,
    subscriptionId: data.parent?.subscription_details?.subscription ?? null,
    status: data.status,
    total: data.total,
    hostedUrl: data.hosted_invoice_url ?? null,
  };
}

const issued = z.object({
  currency: z.string(),
  billing_reason: z.string().nullish(),
  created: unixSeconds,
  parent: z.object({ subscription_details: z.object({ metadata }).nullish() }).nullish(),
});

/** Undefined when the answer is not an invoice of a list. */
export function decodeIssuedInvoice(answer: unknown): ProviderIssuedInvoice | undefined {
  const found = decodeInvoice(answer);
  const { success, data } = issued.safeParse(answer);
  if (!found || !success) return undefined;
  return {
    ...found,
    currency: data.currency,
    reason: data.billing_reason ?? null,
    createdAt: data.created,
    subscriptionMetadata: data.parent?.subscription_details?.metadata ?? {},
  };
}

/** Undefined unless the latest invoice is included and expanded, as requested, or is null. */
function withLatestInvoice(answer: unknown) {
  const subscription = decodeSubscription(answer);
  const latest = (answer as { readonly latest_invoice?: unknown } | null)?.latest_invoice;
  const invoice = latest === null ? null : decodeInvoice(latest);
  return subscription && invoice !== undefined ? { subscription, invoice } : undefined;
}

/** Undefined unless the subscription's first invoice is included. */
export function decodeCreatedSubscription(answer: unknown): ProviderCreatedSubscription | undefined {
  const found = withLatestInvoice(answer);
  return found && { ...found.subscription, firstInvoice: found.invoice };
}

/** Undefined unless the invoice of the change is included. */
export function decodeHeldChange(answer: unknown): ProviderHeldChange | undefined {
  const found = withLatestInvoice(answer);
  return found && { ...found.subscription, invoice: found.invoice };
}

const preview = z.object({
  object: z.literal('invoice'),
  currency: z.string(),
  total: z.number().int(),
  amount_due: z.number().int(),
  starting_balance: z.number().int(),
  ending_balance: z.number().int().nullish(),
  parent: z
    .object({
      subscription_details: z.object({ subscription_proration_date: z.number().int().nullish() }).nullish(),
    })
    .nullish(),
  total_taxes: z.array(z.object({ amount: z.number().int() })).nullish(),
});

/** Undefined when the answer is not an invoice or an invoice preview. */
export function decodeChangePreview(subscriptionId: string, answer: unknown): ProviderChangePreview | undefined {
  const { success, data } = preview.safeParse(answer);
  if (!success) return undefined;
  const { currency, total, amount_due: amountDue, starting_balance: startingBalance } = data;
  return {
    subscriptionId,
    currency,
    total,
    tax: (data.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0),
    startingBalance,
    // The part that the balance pays is not due; a negative total is added to the balance.
    endingBalance: data.ending_balance ?? startingBalance + (total - amountDue),
    amountDue,
    prorationDate: data.parent?.subscription_details?.subscription_proration_date ?? null,
  };
}
