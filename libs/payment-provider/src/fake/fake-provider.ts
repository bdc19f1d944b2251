/**
 * The provider in memory, behind the port: it keeps state, compares the payloads of repeated idempotency keys, replays
 * first answers, and writes a ledger of effects, which is the judge of "never twice" in simulations. Faults are
 * answered from the same rows as the adapter's table, with the effect done or not done.
 */
import { assert, failed, succeeded, unknown, type Clock, type Ids, type Outcome } from '@platform/kernel';
import type {
  CallDescription,
  CallIntent,
  PaymentProvider,
  PreparedCall,
  ProviderCheckoutSession,
  ProviderSubscriptionStatus,
} from '../port';
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
  type PriceChange,
} from '../requests';
import { providerFault, type ProviderFault, type ProviderFaultKind } from './provider-faults';
import type { Change } from './change';
import { createCheckouts } from './checkout-calls';
import { fakeCreationCalls } from './creation-calls';
import { createProviderState, type ProviderSeed } from './provider-state';
import { createReception, type ProviderEffect } from './reception';

/** One arrival at the network, whatever came of it. */
interface ProviderSend extends CallDescription {
  readonly operationId: string;
  readonly at: Date;
  readonly fault?: ProviderFaultKind;
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
}

/** Which send a fault meets; members left out match everything. */
interface SendMatch {
  readonly step?: string;
  readonly operationId?: string;
  readonly path?: string;
}

export interface FakeProvider extends PaymentProvider {
  seed(seed: ProviderSeed): void;
  /** Effects in order. */
  ledger(): readonly ProviderEffect[];
  sends(): readonly ProviderSend[];
  /** The next `times` matching sends meet the fault; faults are used up in the order in which they were set. */
  failNext(kind: ProviderFaultKind, match?: SendMatch, times?: number): void;
  /** While true, nobody answers: mutations are `connection_refused`, reads `unknown`. */
  setDown(down: boolean): void;
  /** The person pays on the page of an open session; `status` is that of the subscription it sells. */
  completeCheckout(sessionId: string, status?: ProviderSubscriptionStatus): ProviderCheckoutSession;
  expireCheckout(sessionId: string): ProviderCheckoutSession;
}

interface ArmedFault {
  readonly kind: ProviderFaultKind;
  readonly match: SendMatch;
  left: number;
}

function takeFault(
  faults: readonly ArmedFault[],
  { operationId }: CallIntent,
  { step, path }: CallDescription,
): ProviderFault | undefined {
  const matches = ({ match, left }: ArmedFault) =>
    left > 0 &&
    (match.step ?? step) === step &&
    (match.operationId ?? operationId) === operationId &&
    (match.path ?? path) === path;
  const found = faults.find(matches);
  if (!found) return undefined;
  found.left -= 1;
  return providerFault(found.kind);
}

type Read = <T>(find: () => T | undefined) => Promise<Outcome<T>>;

const listed = 100;

/** Newest first, and only for a customer that exists. */
function readsOf(state: ReturnType<typeof createProviderState>, read: Read) {
  const ofCustomer = <T>(id: string, all: () => readonly T[]) =>
    read(() => (state.customers.has(id) ? [...all()].reverse().slice(0, listed) : undefined));
  return {
    retrievePaymentMethod: (id: string) => read(() => state.method(id)),
    retrieveInvoice: (id: string) => read(() => state.invoices.get(id)),
    previewPriceChange: (change: PriceChange) => read(() => state.previewPriceChange(change)),
    retrieveCustomer: (id: string) => read(() => state.customers.get(id)),
    retrieveSubscription: (id: string) => read(() => state.subscriptions.get(id)),
    listBalanceTransactions: (id: string) =>
      ofCustomer(id, () => state.transactions.filter((each) => each.customerId === id)),
    listSchedules: (id: string) =>
      ofCustomer(id, () =>
        [...state.schedules.values()].filter(
          ({ subscriptionId }) => subscriptionId !== null && state.subscriptions.get(subscriptionId)?.customerId === id,
        ),
      ),
    listSubscriptions: (id: string) =>
      ofCustomer(id, () => [...state.subscriptions.values()].filter((each) => each.customerId === id)),
  };
}

/** Equal clock and ids give equal runs. */
export function createFakeProvider(options: { readonly clock: Clock; readonly ids: Ids }): FakeProvider {
  const { clock, ids } = options;
  const state = createProviderState(ids, () => clock.now());
  const checkouts = createCheckouts(state, ids, () => clock.now());
  const { effects, receive } = createReception(options);
  const sends: ProviderSend[] = [];
  const faults: ArmedFault[] = [];
  let down = false;

  function prepare<T extends { readonly id: string }>(
    intent: CallIntent,
    request: MutationRequest,
    change: () => Change<T>,
  ): PreparedCall<T> {
    let sent = false;
    return {
      description: request.description,
      send: async () => {
        assert(!sent, `call ${request.description.idempotencyKey} was already sent`);
        sent = true;
        await Promise.resolve();
        const fault = down ? providerFault('connection_refused') : takeFault(faults, intent, request.description);
        const answer = receive({ intent, description: request.description, change, fault });
        sends.push({
          ...request.description,
          operationId: intent.operationId,
          at: clock.now(),
          outcome: answer.outcome,
          ...(fault && { fault: fault.kind }),
        });
        return answer;
      },
    };
  }

  async function read<T>(find: () => T | undefined): Promise<Outcome<T>> {
    await Promise.resolve();
    if (down) return unknown('the payment provider did not answer a read (refused)');
    const found = find();
    return found === undefined ? failed('not_found', 'the payment provider has no such object') : succeeded(found);
  }

  const metadataOf = (intent: CallIntent) => ({ operationId: intent.operationId, step: intent.step });

  return {
    seed: (seed) => state.seed(seed),
    ledger: () => effects,
    sends: () => sends,
    failNext: (kind, match = {}, times = 1) => void faults.push({ kind, match, left: times }),
    setDown: (value) => {
      down = value;
    },
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
    ...fakeCreationCalls(state, prepare),
    ...readsOf(state, read),
    ...checkouts.calls(prepare),
    retrieveCheckoutSession: (id) => read(() => checkouts.find(id)),
    completeCheckout: (id, status) => checkouts.complete(id, status),
    expireCheckout: (id) => checkouts.expire(id),
  };
}
