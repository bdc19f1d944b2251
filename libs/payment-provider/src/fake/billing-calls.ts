/** The calls that change what a workspace pays, prepared on the fake's account. */
import type { CallIntent, PaymentProvider, PreparedCall } from '../port';
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
  type MutationRequest,
} from '../requests';
import type { Change } from './change';
import type { createProviderState } from './provider-state';

type Prepare = <T extends { readonly id: string }>(
  intent: CallIntent,
  request: MutationRequest,
  change: () => Change<T>,
) => PreparedCall<T>;

const metadataOf = ({ operationId, step }: CallIntent) => ({ operationId, step });

export function fakeBillingCalls(state: ReturnType<typeof createProviderState>, prepare: Prepare) {
  return {
    pauseCollection: (intent, subscriptionId) =>
      prepare(intent, pauseCollectionRequest(intent, subscriptionId), () =>
        state.changeSubscription(subscriptionId, { collectionPaused: true }, metadataOf(intent)),
      ),
    resumeCollection: (intent, subscriptionId) =>
      prepare(intent, resumeCollectionRequest(intent, subscriptionId), () =>
        state.changeSubscription(subscriptionId, { collectionPaused: false }, metadataOf(intent)),
      ),
    changePrice: (intent, change) =>
      prepare(intent, changePriceRequest(intent, change), () => state.changePrice(change, metadataOf(intent))),
    cancelAtPeriodEnd: (intent, id) =>
      prepare(intent, cancelAtPeriodEndRequest(intent, id), () => state.cancelAtPeriodEnd(id, metadataOf(intent))),
    cancelNow: (intent, id) => prepare(intent, cancelNowRequest(intent, id), () => state.cancelNow(id)),
    createSchedule: (intent, id) => prepare(intent, createScheduleRequest(intent, id), () => state.createSchedule(id)),
    schedulePrice: (intent, change) =>
      prepare(intent, schedulePriceRequest(intent, change), () => state.schedulePrice(change, metadataOf(intent))),
    releaseSchedule: (intent, id) =>
      prepare(intent, releaseScheduleRequest(intent, id), () => state.releaseSchedule(id)),
    createBalanceTransaction: (intent, transaction) =>
      prepare(intent, balanceTransactionRequest(intent, transaction), () =>
        state.addBalanceTransaction(transaction, metadataOf(intent)),
      ),
  } satisfies Partial<PaymentProvider>;
}
