/**
 * Reads through the SDK. Lists are read to their end, page by page; a list that is too long for that is no evidence.
 */
import { succeeded, unknown, type Outcome } from '@platform/kernel';
import { z } from 'zod';
import { pathId } from '../effects/values';
import { eventsMax, listedMax, type ProviderReads } from '../port';
import { decodeCheckoutSession } from './checkout-objects';
import { decodeChangePreview, decodeInvoice, decodeIssuedInvoice, decodePaymentMethod } from './creation-objects';
import type { Read } from './observed-calls';
import {
  decodeBalanceTransaction,
  decodeCustomer,
  decodeEvent,
  decodeListedCustomer,
  decodePage,
  decodeSubscription,
} from './provider-objects';
import { decodePrice, decodeSchedule } from './schedule-objects';
import type { StripeSdk } from './sdk';

const pageLength = 100;
/** Customers that are always read: their times come from the provider's clock, which may differ from the caller's. */
const customersMin = 1_000;

interface PageOf {
  readonly limit: number;
  readonly starting_after?: string;
}

/** Reads every object of a list endpoint. */
async function readAll<T extends { readonly id: string }>(
  read: Read,
  list: (page: PageOf, settings: Parameters<Parameters<Read>[0]>[0]) => Promise<unknown>,
  decodeEntry: (entry: unknown) => T | undefined,
  /** Whether the remaining, older objects need not be read. */
  enough?: (found: readonly T[]) => boolean,
  most = listedMax,
): Promise<Outcome<readonly T[]>> {
  const found: T[] = [];
  while (found.length < most) {
    const last = found.at(-1);
    const page: PageOf = { limit: pageLength, ...(last && { starting_after: last.id }) };
    const answer = await read(
      async (settings) => list(page, settings),
      (decoded) => decodePage(decoded, decodeEntry),
    );
    if (answer.outcome !== 'succeeded') return answer;
    found.push(...answer.value.entries);
    if (!answer.value.more || answer.value.entries.length === 0 || enough?.(found)) return succeeded(found);
  }
  return unknown(`the list has more than ${most} objects and was not read to its end`);
}

const dated = z.object({ lastResponse: z.object({ headers: z.object({ date: z.coerce.date() }) }) });

/** Undefined when the answer does not say when it was given. */
const decodeClock = (answer: unknown): Date | undefined => dated.safeParse(answer).data?.lastResponse.headers.date;

/** One object by its id, the preview of an invoice, and the clock. */
const objectReads = (sdk: StripeSdk, read: Read) =>
  ({
    retrieveCustomer: (id) => read((settings) => sdk.customers.retrieve(pathId(id), {}, settings), decodeCustomer),
    retrieveSubscription: (id) =>
      read((settings) => sdk.subscriptions.retrieve(pathId(id), {}, settings), decodeSubscription),
    retrievePaymentMethod: (id) =>
      read((settings) => sdk.paymentMethods.retrieve(pathId(id), {}, settings), decodePaymentMethod),
    retrieveSchedule: (id) =>
      read((settings) => sdk.subscriptionSchedules.retrieve(pathId(id), {}, settings), decodeSchedule),
    retrievePrice: (id) => read((settings) => sdk.prices.retrieve(pathId(id), {}, settings), decodePrice),
    retrieveInvoice: (id) => read((settings) => sdk.invoices.retrieve(pathId(id), {}, settings), decodeInvoice),
    previewPriceChange: (change) =>
      read(
        (settings) =>
          sdk.invoices.createPreview(
            {
              subscription: pathId(change.subscriptionId),
              subscription_details: {
                items: [
                  {
                    id: change.itemId,
                    price: change.priceId,
                    ...(change.quantity !== undefined && { quantity: change.quantity }),
                  },
                ],
                proration_behavior: 'always_invoice',
                ...(change.prorationDate !== undefined && { proration_date: change.prorationDate }),
              },
            },
            settings,
          ),
        (answer) => decodeChangePreview(change.subscriptionId, answer),
        'may be refused',
      ),
    readClock: () => read((settings) => sdk.events.list({ limit: 1 }, settings), decodeClock),
    retrieveCheckoutSession: (id) =>
      read(
        (settings) => sdk.checkout.sessions.retrieve(pathId(id), { expand: ['subscription'] }, settings),
        decodeCheckoutSession,
      ),
  }) satisfies Partial<ProviderReads>;

export function readCalls(sdk: StripeSdk, read: Read): ProviderReads {
  return { ...objectReads(sdk, read), ...listReads(sdk, read) };
}

function listReads(sdk: StripeSdk, read: Read) {
  return {
    listPaymentMethods: (id) =>
      readAll(
        read,
        (page, settings) => sdk.customers.listPaymentMethods(pathId(id), page, settings),
        decodePaymentMethod,
      ),
    listBalanceTransactions: (id) =>
      readAll(
        read,
        (page, settings) => sdk.customers.listBalanceTransactions(pathId(id), page, settings),
        decodeBalanceTransaction,
      ),
    listSubscriptions: (id) =>
      readAll(
        read,
        (page, settings) => sdk.subscriptions.list({ customer: pathId(id), status: 'all', ...page }, settings),
        decodeSubscription,
      ),
    listSchedules: (id) =>
      readAll(
        read,
        (page, settings) => sdk.subscriptionSchedules.list({ customer: pathId(id), ...page }, settings),
        decodeSchedule,
      ),
    listCheckoutSessions: (id) =>
      readAll(
        read,
        (page, settings) => sdk.checkout.sessions.list({ customer: pathId(id), ...page }, settings),
        decodeCheckoutSession,
      ),
    listCustomers: (createdSince) =>
      readAll(
        read,
        (page, settings) => sdk.customers.list(page, settings),
        decodeListedCustomer,
        (found) => found.length >= customersMin && found.at(-1)!.createdAt < new Date(createdSince),
      ),
    listInvoices: (id) =>
      readAll(
        read,
        (page, settings) => sdk.invoices.list({ customer: pathId(id), ...page }, settings),
        decodeIssuedInvoice,
      ),
    listEvents: (createdSince) =>
      readAll(
        read,
        (page, settings) =>
          sdk.events.list({ created: { gte: Math.floor(Date.parse(createdSince) / 1_000) }, ...page }, settings),
        decodeEvent,
        undefined,
        eventsMax,
      ),
  } satisfies Partial<ProviderReads>;
}
