/** The calls that change what a workspace pays, through the SDK. */
import type { PaymentProvider } from '../port';
import {
  balanceTransactionRequest,
  cancelAtPeriodEndRequest,
  cancelNowRequest,
  changePriceRequest,
  createScheduleRequest,
  pauseCollectionRequest,
  releaseScheduleRequest,
  resumeCollectionRequest,
  schedulePriceRequest,
} from '../requests';
import type { Prepare } from './observed-calls';
import { decodeBalanceTransaction, decodeSchedule, decodeSubscription } from './provider-objects';
import type { StripeSdk } from './sdk';

export function billingCalls(sdk: StripeSdk, prepare: Prepare) {
  return { ...subscriptionCalls(sdk, prepare), ...scheduleCalls(sdk, prepare), ...balanceCalls(sdk, prepare) };
}

function subscriptionCalls(sdk: StripeSdk, prepare: Prepare) {
  return {
    pauseCollection: (intent, subscriptionId) => {
      const request = pauseCollectionRequest(intent, subscriptionId);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    resumeCollection: (intent, subscriptionId) => {
      const request = resumeCollectionRequest(intent, subscriptionId);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    changePrice: (intent, change) => {
      const request = changePriceRequest(intent, change);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(change.subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    cancelAtPeriodEnd: (intent, subscriptionId) => {
      const request = cancelAtPeriodEndRequest(intent, subscriptionId);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    cancelNow: (intent, subscriptionId) =>
      prepare(
        cancelNowRequest(intent, subscriptionId),
        (settings) => sdk.subscriptions.cancel(subscriptionId, {}, settings),
        decodeSubscription,
      ),
  } satisfies Partial<PaymentProvider>;
}

function scheduleCalls(sdk: StripeSdk, prepare: Prepare) {
  return {
    createSchedule: (intent, subscriptionId) => {
      const request = createScheduleRequest(intent, subscriptionId);
      return prepare(request, (settings) => sdk.subscriptionSchedules.create(request.body, settings), decodeSchedule);
    },
    schedulePrice: (intent, change) => {
      const request = schedulePriceRequest(intent, change);
      return prepare(
        request,
        (settings) => sdk.subscriptionSchedules.update(change.scheduleId, request.body, settings),
        decodeSchedule,
      );
    },
    releaseSchedule: (intent, scheduleId) =>
      prepare(
        releaseScheduleRequest(intent, scheduleId),
        (settings) => sdk.subscriptionSchedules.release(scheduleId, {}, settings),
        decodeSchedule,
      ),
  } satisfies Partial<PaymentProvider>;
}

function balanceCalls(sdk: StripeSdk, prepare: Prepare) {
  return {
    createBalanceTransaction: (intent, transaction) => {
      const request = balanceTransactionRequest(intent, transaction);
      return prepare(
        request,
        (settings) => sdk.customers.createBalanceTransaction(transaction.customerId, request.body, settings),
        decodeBalanceTransaction,
      );
    },
  } satisfies Partial<PaymentProvider>;
}
