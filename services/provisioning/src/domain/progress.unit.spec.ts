import type { SentCall } from '@platform/durable/journal';
import type { AwaitingPaymentAttempt, OpenAttempt, PreparingAttempt, Resolution, StoppedAttempt } from './attempt';
import {
  answerCall,
  answerListenerCall,
  awaitConfirmation,
  awaitPayment,
  beginRollback,
  cancel,
  commit,
  newAttempt,
  recordCall,
  recordListenerCall,
  resolve,
  stop,
  withAnswers,
} from './progress';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const executor = { service: 'provisioning', instance: 'p-1', incarnation: 'boot-1' };
const request = {
  tenantId: 'acme',
  workspaceName: 'Acme',
  user: { id: 'user-1', email: 'ada@example.com' },
  plan: { planId: 'pro', priceId: 'price_pro' },
  paymentMethodId: 'pm_card_visa',
  billingProfile: { name: 'Ada', country: 'DE' },
  extras: { colour: 'red' },
};
const reservations = { capacityKey: 'card-1', trialKeys: ['email-1', 'card-1'] };
/** What every step of this creation keeps. */
const kept = {
  _id: 'acme',
  tenantId: 'acme',
  userId: 'user-1',
  workspaceName: 'Acme',
  plan: { planId: 'pro', priceId: 'price_pro' },
  executor,
  handles: {},
  reservations: { ...reservations, state: 'held' },
  providerCalls: [],
  listenerCalls: [],
};
const begun = { ...kept, userEmail: 'ada@example.com' };
const stamps = { revision: 'r1', createdAt: at(0), updatedAt: at(0) };
const preparing = { ...begun, ...stamps, status: 'preparing' } as PreparingAttempt;
const awaiting = { ...begun, ...stamps, status: 'awaiting_payment', preparedAt: at(1) } as AwaitingPaymentAttempt;
const lost = { code: 'outcome_unknown', message: 'The answer was lost.' };
const stopped = { ...awaiting, status: 'reconciliation_required', lastError: lost } as StoppedAttempt;

describe('a new attempt', () => {
  it('names the intent, its executor and all reservations, and neither the profile nor the extras', () => {
    expect(newAttempt(request, executor, reservations)).toStrictEqual({ ...begun, status: 'preparing' });
  });

  it('of a free plan has no price', () => {
    const free = newAttempt({ ...request, plan: { planId: 'free' } }, executor, { trialKeys: [] });
    expect(free).toStrictEqual({
      ...begun,
      status: 'preparing',
      plan: { planId: 'free' },
      reservations: { trialKeys: [], state: 'held' },
    });
  });
});

const call = (step: string, minute: number): SentCall => ({
  step,
  method: 'POST',
  path: `/v1/${step}`,
  idempotencyKey: `workspace-created:acme:${step}`,
  payloadDigest: 'digest',
  sentAt: at(minute),
});

describe('the calls of an attempt', () => {
  const [first, second] = [call('create_customer', 2), call('create_subscription', 3)];
  const listener = { listener: 'search', event: 'TENANT_BEING_PROVISIONED', calledAt: at(2) } as const;

  it('of the provider are recorded in their order, and an answer completes the last one', () => {
    const sent = recordCall(recordCall(preparing, first), second);
    expect(sent).toEqual({ ...preparing, providerCalls: [first, second] });
    expect(answerCall(sent, { outcome: 'succeeded', requestId: 'req_1' })).toEqual({
      ...preparing,
      providerCalls: [first, { ...second, outcome: 'succeeded', requestId: 'req_1' }],
    });
  });

  it('of listeners are recorded in their order, and an answer completes the last one', () => {
    const other = { ...listener, listener: 'mail' };
    const called = recordListenerCall(recordListenerCall(preparing, listener), other);
    expect(called).toEqual({ ...preparing, listenerCalls: [listener, other] });
    expect(answerListenerCall(called, 'failed')).toEqual({
      ...preparing,
      listenerCalls: [listener, { ...other, outcome: 'failed' }],
    });
  });

  it('of listeners cannot be answered before they are recorded', () => {
    expect(() => answerListenerCall(preparing, 'done')).toThrow('attempt acme has no recorded listener call to answer');
  });

  it('keep answers that their executor has not written, in a record that another writer left', () => {
    const answered = { ...first, outcome: 'succeeded' } as const;
    const learnt = { ...preparing, providerCalls: [answered, { ...second, outcome: 'failed' } as const] };
    const decided = { ...second, outcome: 'unknown' } as const;
    const repeated = call('create_customer', 9);
    const read = { ...stopped, providerCalls: [first, decided, repeated] };
    expect(withAnswers(read, learnt)).toEqual({ ...stopped, providerCalls: [answered, decided, repeated] });
  });
});

describe('the progress of an attempt', () => {
  it('awaits its payment once every listener has succeeded', () => {
    expect(awaitPayment(preparing, at(1))).toStrictEqual({
      ...begun,
      status: 'awaiting_payment',
      preparedAt: at(1),
    });
  });

  it('waits for its person in its status', () => {
    const confirmation = { reason: 'authentication_required', since: at(2), url: 'https://pay.test' } as const;
    expect(awaitConfirmation(awaiting, confirmation)).toStrictEqual({
      ...begun,
      status: 'awaiting_payment',
      preparedAt: at(1),
      confirmation,
    });
  });

  it.each<[OpenAttempt['status'], OpenAttempt]>([
    ['preparing', preparing],
    ['awaiting_payment', awaiting],
    ['reconciliation_required', stopped],
  ])('ends cancelled from %s, without the address of its person', (_status, attempt) => {
    const ended = cancel(attempt, at(5));
    expect(ended).toMatchObject({ ...kept, status: 'cancelled', cancelledAt: at(5) });
    expect(ended).not.toHaveProperty('userEmail');
  });

  it('stops with its error, and takes a later one in place of it', () => {
    expect(stop(awaiting, lost)).toStrictEqual({
      ...begun,
      status: 'reconciliation_required',
      preparedAt: at(1),
      lastError: lost,
    });
    const later = { code: 'payment_lost', message: 'The payment was lost.' };
    expect(stop(stopped, later)).toStrictEqual({ ...stop(awaiting, lost), lastError: later });
  });

  it('rolls back under its executor, with the reason and the time', () => {
    const other = { ...executor, incarnation: 'boot-2' };
    expect(beginRollback(awaiting, other, lost, at(6))).toStrictEqual({
      ...begun,
      status: 'awaiting_payment',
      preparedAt: at(1),
      executor: other,
      lastError: lost,
      rollback: { code: 'outcome_unknown', startedAt: at(6) },
    });
  });
});

describe('the commit of an attempt', () => {
  const committed = { ...begun, status: 'committed', preparedAt: at(1), committedAt: at(7) };

  it('by its own executor names no other proof', () => {
    expect(commit(awaiting, 'executor', at(7))).toStrictEqual(committed);
  });

  it('by other evidence names it, and clears the error', () => {
    expect(commit(stopped, 'provider_event', at(7))).toStrictEqual({ ...committed, provenBy: 'provider_event' });
  });

  it.each<[string, OpenAttempt]>([
    ['preparing', { ...preparing, preparedAt: at(1) }],
    ['stopped before its listeners had succeeded', { ...stopped, preparedAt: undefined } as unknown as StoppedAttempt],
  ])('is refused while it is %s', (_name, attempt) => {
    expect(() => commit(attempt, 'executor', at(7))).toThrow('attempt acme was not prepared and cannot be committed');
  });
});

describe('the resolution of an attempt', () => {
  const resolution: Resolution = {
    outcome: 'applied',
    executorStopped: 'the machine is off',
    providerObject: 'sub_a',
    by: 'ops@example.com',
    at: at(8),
  };

  it('as applied commits it at its time, with the error as it was', () => {
    expect(resolve(stopped, resolution)).toStrictEqual({
      ...begun,
      status: 'committed',
      preparedAt: at(1),
      lastError: lost,
      committedAt: at(8),
      provenBy: 'resolution',
      resolution,
    });
    expect(() => resolve(preparing, resolution)).toThrow('was not prepared');
  });

  it('as not applied cancels it at its time, without the address of its person', () => {
    const refused: Resolution = { ...resolution, outcome: 'not_applied', providerObject: null };
    expect(resolve(preparing, refused)).toStrictEqual({
      ...kept,
      status: 'cancelled',
      cancelledAt: at(8),
      resolution: refused,
    });
  });

  it('is recorded once', () => {
    expect(() => resolve({ ...stopped, resolution }, resolution)).toThrow('attempt acme is resolved already');
  });
});
