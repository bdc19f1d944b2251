/** Reads through the SDK. Lists are one full page of one customer. */
import { pathId } from '../effects/values';
import type { ProviderReads } from '../port';
import { decodeCheckoutSession } from './checkout-objects';
import { decodeChangePreview, decodeInvoice, decodePaymentMethod } from './creation-objects';
import type { Read } from './observed-calls';
import { decodeBalanceTransaction, decodeCustomer, decodeList, decodeSubscription } from './provider-objects';
import { decodePrice, decodeSchedule } from './schedule-objects';
import type { StripeSdk } from './sdk';

const listLimit = 100;

/** One object by its id, and the preview of an invoice. */
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
              },
            },
            settings,
          ),
        (answer) => decodeChangePreview(change.subscriptionId, answer),
      ),
    retrieveCheckoutSession: (id) =>
      read(
        (settings) => sdk.checkout.sessions.retrieve(pathId(id), { expand: ['subscription'] }, settings),
        decodeCheckoutSession,
      ),
  }) satisfies Partial<ProviderReads>;

const listReads = (sdk: StripeSdk, read: Read) =>
  ({
    listPaymentMethods: (id) =>
      read(
        async (settings) => sdk.customers.listPaymentMethods(pathId(id), { limit: listLimit }, settings),
        (page) => decodeList(page, decodePaymentMethod),
      ),
    listBalanceTransactions: (id) =>
      read(
        async (settings) => sdk.customers.listBalanceTransactions(pathId(id), { limit: listLimit }, settings),
        (page) => decodeList(page, decodeBalanceTransaction),
      ),
    listSubscriptions: (id) =>
      read(
        async (settings) => sdk.subscriptions.list({ customer: pathId(id), status: 'all', limit: listLimit }, settings),
        (page) => decodeList(page, decodeSubscription),
      ),
    listSchedules: (id) =>
      read(
        async (settings) => sdk.subscriptionSchedules.list({ customer: pathId(id), limit: listLimit }, settings),
        (page) => decodeList(page, decodeSchedule),
      ),
    listCheckoutSessions: (id) =>
      read(
        async (settings) => sdk.checkout.sessions.list({ customer: pathId(id), limit: listLimit }, settings),
        (page) => decodeList(page, decodeCheckoutSession),
      ),
    listCustomers: (email) =>
      read(
        async (settings) => sdk.customers.list({ email, limit: listLimit }, settings),
        (page) => decodeList(page, decodeCustomer),
      ),
  }) satisfies Partial<ProviderReads>;

export function readCalls(sdk: StripeSdk, read: Read): ProviderReads {
  return { ...objectReads(sdk, read), ...listReads(sdk, read) };
}
