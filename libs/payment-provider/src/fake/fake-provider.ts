/**
 * The provider in memory, behind the port: it keeps state, compares the payloads of repeated idempotency keys, replays
 * first answers, and writes a ledger of effects, which is the judge of "never twice" in simulations. Faults are
 * answered from the same rows as the adapter's table, with the effect done or not done.
 */
import { assert, failed, succeeded, unknown, type Clock, type Ids, type Outcome } from '@platform/kernel';
import { classify, outcomeOf, type Exchange } from '../outcome-taxonomy';
import type { CallAnswer, CallDescription, CallIntent, PaymentProvider, PreparedCall } from '../port';
import { balanceTransactionRequest, changePriceRequest, pauseCollectionRequest, resumeCollectionRequest, type MutationRequest } from '../requests';
import { providerFault, type ProviderFault, type ProviderFaultKind } from './provider-faults';
import { createProviderState, type Change, type ProviderSeed } from './provider-state';

/** One thing that the provider really did. Replays of a key are not in it. */
export interface ProviderEffect {
  readonly step: string;
  readonly operationId: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly objectId: string;
  /** Minor units, of balance transactions only. */
  readonly amount?: number;
  readonly at: Date;
}

/** One arrival at the network, whatever came of it. */
export interface ProviderSend extends CallDescription {
  readonly operationId: string;
  readonly at: Date;
  readonly fault?: ProviderFaultKind;
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
}

/** Which send a fault meets; members left out match everything. */
export interface SendMatch {
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
}

interface Kept {
  readonly path: string;
  readonly payloadDigest: string;
  readonly answer: CallAnswer<unknown>;
  readonly at: Date;
}

const keyLifeMs = 24 * 60 * 60 * 1000;

/** Equal clock and ids give equal runs. */
export function createFakeProvider(options: { readonly clock: Clock; readonly ids: Ids }): FakeProvider {
  const { clock, ids } = options;
  const state = createProviderState(ids, () => clock.now());
  const keys = new Map<string, Kept>();
  const effects: ProviderEffect[] = [];
  const sends: ProviderSend[] = [];
  const faults: { kind: ProviderFaultKind; match: SendMatch; left: number }[] = [];
  let down = false;

  function nextFault(intent: CallIntent, description: CallDescription): ProviderFault | undefined {
    if (down) return providerFault('connection_refused');
    const found = faults.find(({ match, left }) => left > 0
      && (match.step === undefined || match.step === description.step)
      && (match.operationId === undefined || match.operationId === intent.operationId)
      && (match.path === undefined || match.path === description.path));
    if (!found) return undefined;
    found.left -= 1;
    return providerFault(found.kind);
  }

  function answerOf<T>(exchange: Exchange): CallAnswer<T> {
    const evidence = { phase: exchange.phase, ...(exchange.httpStatus !== undefined && { httpStatus: exchange.httpStatus, requestId: `req_${ids.next()}` }) };
    return { ...outcomeOf(classify(exchange), exchange), evidence };
  }

  function execute<T extends { readonly id: string }>(intent: CallIntent, description: CallDescription, change: Change<T>): CallAnswer<T> {
    if ('refusal' in change) return answerOf({ phase: 'response_read', ...change.refusal });
    const value = change.apply();
    const amount = 'amount' in value && typeof value.amount === 'number' ? { amount: value.amount } : {};
    effects.push({ step: description.step, operationId: intent.operationId, idempotencyKey: description.idempotencyKey, path: description.path, objectId: value.id, ...amount, at: clock.now() });
    return { ...succeeded(value), evidence: { phase: 'response_read', httpStatus: 200, requestId: `req_${ids.next()}`, objectId: value.id } };
  }

  function receive<T extends { readonly id: string }>(intent: CallIntent, description: CallDescription, change: () => Change<T>, fault: ProviderFault | undefined): CallAnswer<T> {
    if (fault?.exchange.phase === 'not_connected') return answerOf(fault.exchange);
    const kept = keys.get(description.idempotencyKey);
    if (kept && clock.now().getTime() - kept.at.getTime() < keyLifeMs) {
      if (kept.path !== description.path || kept.payloadDigest !== description.payloadDigest) return answerOf(providerFault('idempotency_mismatch').exchange);
      return fault ? answerOf(fault.exchange) : (kept.answer as CallAnswer<T>);
    }
    const executed = !fault || fault.effect === 'done' ? execute(intent, description, change()) : undefined;
    const told = fault ? answerOf<T>(fault.exchange) : executed!;
    const keep = fault?.keptUnderKey ? told : executed;
    if (keep) keys.set(description.idempotencyKey, { path: description.path, payloadDigest: description.payloadDigest, answer: keep, at: clock.now() });
    return told;
  }

  function prepare<T extends { readonly id: string }>(intent: CallIntent, request: MutationRequest, change: () => Change<T>): PreparedCall<T> {
    let sent = false;
    return {
      description: request.description,
      send: async () => {
        assert(!sent, `call ${request.description.idempotencyKey} was already sent`);
        sent = true;
        await Promise.resolve();
        const fault = nextFault(intent, request.description);
        const answer = receive(intent, request.description, change, fault);
        sends.push({ ...request.description, operationId: intent.operationId, at: clock.now(), outcome: answer.outcome, ...(fault && { fault: fault.kind }) });
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
      prepare(intent, pauseCollectionRequest(intent, subscriptionId), () => state.changeSubscription(subscriptionId, { collectionPaused: true }, metadataOf(intent))),
    resumeCollection: (intent, subscriptionId) =>
      prepare(intent, resumeCollectionRequest(intent, subscriptionId), () => state.changeSubscription(subscriptionId, { collectionPaused: false }, metadataOf(intent))),
    changePrice: (intent, change) => prepare(intent, changePriceRequest(intent, change), () => state.changePrice(change, metadataOf(intent))),
    createBalanceTransaction: (intent, transaction) =>
      prepare(intent, balanceTransactionRequest(intent, transaction), () => state.addBalanceTransaction(transaction, metadataOf(intent))),
    retrieveCustomer: (id) => read(() => state.customers.get(id)),
    retrieveSubscription: (id) => read(() => state.subscriptions.get(id)),
    listBalanceTransactions: (id) => read(() => (state.customers.has(id) ? state.transactions.filter((each) => each.customerId === id).reverse().slice(0, 100) : undefined)),
    listSubscriptions: (id) => read(() => (state.customers.has(id) ? [...state.subscriptions.values()].filter((each) => each.customerId === id).reverse().slice(0, 100) : undefined)),
  };
}
