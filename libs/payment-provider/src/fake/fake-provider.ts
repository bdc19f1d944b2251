/**
 * The provider in memory, behind the port: it keeps state, compares the payloads of repeated idempotency keys, replays
 * first answers, and writes a ledger of effects, by which simulations judge that nothing happens twice. Faults use the
 * same rows as the adapter's table, with the effect done or not done.
 */
import { failed, succeeded, unknown, type Clock, type Ids, type Outcome } from '@platform/kernel';
import type { Effect, ObjectOf } from '../effects';
import type { ProviderCheckoutSession, ProviderInvoice } from '../objects';
import type { CallDescription, CallIntent, PaymentProvider, PreparedCall } from '../port';
import { preparedCall, requestOf, type EffectRequest } from '../request';
import type { Behaviours, Change, Metadata } from './behaviour';
import { createCheckouts, type Purchase } from './checkout-changes';
import { providerFault, type ProviderFault, type ProviderFaultKind } from './provider-faults';
import { createProviderState, type ProviderSeed } from './provider-state';
import { fakeReads } from './reads';
import { landScheduledChange } from './schedule-changes';
import { createReception, type ProviderEffect } from './reception';

/** One request that arrived at the network, whatever its result. */
interface ProviderSend extends CallDescription {
  readonly operationId: string;
  readonly at: Date;
  readonly fault?: ProviderFaultKind;
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
}

/** The sends to which a fault applies; omitted members match everything. */
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
  /** The next `times` matching sends get the fault; faults are used up in the order in which they were set. */
  failNext(kind: ProviderFaultKind, match?: SendMatch, times?: number): void;
  /** While true, the provider does not answer: mutations are `connection_refused`, reads `unknown`. */
  setDown(down: boolean): void;
  /** The person pays on the page of an open session. */
  completeCheckout(sessionId: string, purchase?: Purchase): ProviderCheckoutSession;
  expireCheckout(sessionId: string): ProviderCheckoutSession;
  /** From now on the holder of this subscription's card must confirm each payment. */
  askForConfirmation(subscriptionId: string): void;
  /** The person confirms the payment of an open invoice, or the bank answers. */
  confirmPayment(invoiceId: string): ProviderInvoice;
  /** Gives up an open invoice. */
  expirePayment(invoiceId: string): ProviderInvoice;
  /** The current phase of a schedule ends, and the next one begins. */
  landScheduledChange(scheduleId: string): void;
}

interface ArmedFault {
  readonly kind: ProviderFaultKind;
  readonly match: SendMatch;
  left: number;
}

function takeFault(
  faults: readonly ArmedFault[],
  { intent: { operationId }, description: { step, path } }: EffectRequest,
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

/** Equal clock and ids give equal runs. */
export function createFakeProvider(options: { readonly clock: Clock; readonly ids: Ids }): FakeProvider {
  const { clock, ids } = options;
  const state = createProviderState(ids, () => clock.now());
  const checkouts = createCheckouts(state, ids, () => clock.now());
  const { effects, receive } = createReception(options);
  const sends: ProviderSend[] = [];
  const faults: ArmedFault[] = [];
  let down = false;

  const behaviours: Behaviours = { ...state.behaviours, ...checkouts.behaviours };

  function prepare<E extends Effect>(intent: CallIntent, effect: E): PreparedCall<ObjectOf<E>> {
    const behave = behaviours[effect.step] as (effect: E, metadata: Metadata) => Change<ObjectOf<E>>;
    return preparedCall(requestOf(intent, effect), async (request) => {
      await Promise.resolve();
      const { description, params } = request;
      const { metadata = {} } = params as { readonly metadata?: Metadata };
      const fault = down ? providerFault('connection_refused') : takeFault(faults, request);
      const answer = receive({ request, change: () => behave(effect, metadata), fault });
      sends.push({
        ...description,
        operationId: intent.operationId,
        at: clock.now(),
        outcome: answer.outcome,
        ...(fault && { fault: fault.kind }),
      });
      return answer;
    });
  }

  async function read<T>(find: () => T | undefined): Promise<Outcome<T>> {
    await Promise.resolve();
    if (down) return unknown('the payment provider did not answer a read (refused)');
    const found = find();
    return found === undefined ? failed('not_found', 'the payment provider has no such object') : succeeded(found);
  }

  return {
    seed: (seed) => state.seed(seed),
    ledger: () => effects,
    sends: () => sends,
    failNext: (kind, match = {}, times = 1) => void faults.push({ kind, match, left: times }),
    setDown: (value) => {
      down = value;
    },
    prepare,
    ...fakeReads(state, checkouts, read),
    completeCheckout: (id, purchase) => checkouts.complete(id, purchase),
    expireCheckout: (id) => checkouts.expire(id),
    askForConfirmation: (id) => state.askForConfirmation(id),
    confirmPayment: (id) => state.confirmPayment(id),
    expirePayment: (id) => state.expirePayment(id),
    landScheduledChange: (id) => landScheduledChange(state, id),
  };
}
