/** Decodes the provider's objects: an answer without a required field does not decode. */
import { z } from 'zod';
import { emailDigest } from '../email-digest';
import type {
  ProviderBalanceTransaction,
  ProviderCustomer,
  ProviderEventSummary,
  ProviderSubscription,
} from '../objects';

export const id = z.string().min(1).max(255);
export const reference = z.union([id, z.object({ id }).transform((expanded) => expanded.id)]);
export const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((found) => found ?? {});
export const unixSeconds = z
  .number()
  .int()
  .nonnegative()
  .transform((seconds) => new Date(seconds * 1000));

const subscription = z.object({
  id,
  customer: reference,
  status: z.enum([
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ]),
  pause_collection: z.object({ behavior: z.string() }).nullish(),
  cancel_at_period_end: z.boolean(),
  cancel_at: unixSeconds.nullish(),
  schedule: reference.nullish(),
  items: z.object({
    data: z
      .array(
        z.object({
          id,
          price: z.object({ id }),
          quantity: z.number().int().nullish(),
          current_period_end: unixSeconds.nullish(),
        }),
      )
      .min(1),
  }),
  pending_update: z
    .object({
      expires_at: unixSeconds,
      subscription_items: z.array(z.object({ price: z.object({ id }) })).nullish(),
    })
    .nullish(),
  metadata,
});

const customer = z.union([
  z
    .object({ id, deleted: z.literal(true) })
    .transform((gone) => ({ id: gone.id, deleted: true, currency: null, balance: 0, metadata: {} })),
  z
    .object({ id, currency: z.string().nullish(), balance: z.number().int(), email: z.string().nullish(), metadata })
    .transform(({ email, ...found }) => ({
      ...{ ...found, deleted: false, currency: found.currency ?? null },
      ...(email && { emailDigest: emailDigest(email) }),
    })),
]);

const balanceTransaction = z.object({
  id,
  customer: reference,
  amount: z.number().int(),
  currency: z.string(),
  ending_balance: z.number().int(),
  created: unixSeconds,
  // A credit must not become `unknown` only because a field that comparisons use is missing.
  type: z.string().default('adjustment'),
  metadata,
});

const event = z.object({
  id,
  type: z.string().min(1).max(255),
  created: unixSeconds,
  data: z.object({ object: z.object({ id: id.nullish(), object: z.string(), customer: reference.nullish() }) }),
});

/** Undefined when the answer is not an event. */
export function decodeEvent(answer: unknown): ProviderEventSummary | undefined {
  const { success, data } = event.safeParse(answer);
  if (!success) return undefined;
  const { id: objectId, object, customer: owner } = data.data.object;
  const customerId = object === 'customer' ? objectId : owner;
  return { id: data.id, type: data.type, createdAt: data.created, customerId: customerId ?? null };
}

/** Undefined when the answer is not a subscription with at least one item. */
export function decodeSubscription(answer: unknown): ProviderSubscription | undefined {
  const { success, data } = subscription.safeParse(answer);
  if (!success) return undefined;
  const [item, ...others] = data.items.data.map(
    ({ id: itemId, price, quantity, current_period_end: currentPeriodEnd }) => ({
      itemId,
      priceId: price.id,
      quantity: quantity ?? 1,
      currentPeriodEnd: currentPeriodEnd ?? null,
    }),
  );
  return {
    id: data.id,
    customerId: data.customer,
    status: data.status,
    collectionPaused: data.pause_collection !== null && data.pause_collection !== undefined,
    cancelAtPeriodEnd: data.cancel_at_period_end,
    ...(data.cancel_at && { cancelsAt: data.cancel_at }),
    ...item!,
    ...(others.length > 0 && { otherItems: others }),
    scheduleId: data.schedule ?? null,
    ...(data.pending_update && {
      pendingUpdate: {
        priceId: data.pending_update.subscription_items?.[0]?.price.id ?? null,
        expiresAt: data.pending_update.expires_at,
      },
    }),
    metadata: data.metadata,
  };
}

/** A deleted customer decodes as such; undefined when the answer is not a customer. */
export function decodeCustomer(answer: unknown): ProviderCustomer | undefined {
  return customer.safeParse(answer).data;
}

/** A customer of a list, with the time by which lists are ordered. */
export function decodeListedCustomer(answer: unknown): (ProviderCustomer & { readonly createdAt: Date }) | undefined {
  const found = decodeCustomer(answer);
  const { data } = z.object({ created: unixSeconds }).safeParse(answer);
  return found && data && { ...found, createdAt: data.created };
}

/** Undefined when the answer is not a customer balance transaction. */
export function decodeBalanceTransaction(answer: unknown): ProviderBalanceTransaction | undefined {
  const { success, data } = balanceTransaction.safeParse(answer);
  if (!success) return undefined;
  return {
    id: data.id,
    customerId: data.customer,
    amount: data.amount,
    currency: data.currency,
    endingBalance: data.ending_balance,
    createdAt: data.created,
    type: data.type,
    metadata: data.metadata,
  };
}

/** One page of a list endpoint; undefined when it is not a list or when an entry does not decode. */
export function decodePage<T>(
  answer: unknown,
  decodeEntry: (entry: unknown) => T | undefined,
): { readonly entries: readonly T[]; readonly more: boolean } | undefined {
  const list = z.object({ data: z.array(z.unknown()), has_more: z.boolean() }).safeParse(answer).data;
  const entries = list?.data.map(decodeEntry);
  return entries?.every((entry) => entry !== undefined) ? { entries: entries as T[], more: list!.has_more } : undefined;
}

const errorBody = z.object({
  error: z.object({
    type: z.string(),
    code: z.string().nullish(),
    decline_code: z.string().nullish(),
    param: z.string().nullish(),
  }),
});

const safeWord = /^[\w.[\]-]{1,64}$/;

/** The provider's error object without its texts; undefined when the body contains none. */
export function decodeError(body: string | undefined) {
  const found = errorBody.safeParse(parseJson(body)).data?.error;
  if (!found || !safeWord.test(found.type)) return undefined;
  const keep = (word: string | null | undefined) => (word && safeWord.test(word) ? word : undefined);
  const [code, declineCode, param] = [keep(found.code), keep(found.decline_code), keep(found.param)];
  return { type: found.type, ...(code && { code }), ...(declineCode && { declineCode }), ...(param && { param }) };
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
