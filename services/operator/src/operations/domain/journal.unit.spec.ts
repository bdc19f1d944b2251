/** The steps of an operation's record: what each one adds to the latest attempt, and what it leaves as it was. */
import { at, attempt, executor, inStatus, now, periodEnd, running } from '../testing/action-fixtures';
import {
  admitAttempt,
  answerCall,
  awaitDeletion,
  awaitPayment,
  awaitReceipts,
  checkoutAwaitsSession,
  checkoutWaitsFor,
  deletionIsComplete,
  fail,
  isUnresolved,
  noteDeletionPart,
  noteSettlement,
  recordCall,
  recordCheckpoint,
  resolve,
  stop,
  succeed,
} from './journal';
import type { Attempt, AwaitedPayment, CheckoutSession, Operation, RunningOperation } from './operation';

const error = { code: 'provider_unavailable', message: 'The provider did not answer.' };
const first = attempt({ finishedAt: at, outcome: 'failed', error });
const second = attempt({ ...first, number: 2 });
const third = attempt({ number: 3, startedAt: now, providerCalls: [{ step: 'pause_collection' }] });
/** An operation in its third attempt: the latest one is neither the first nor the second. */
const again = running('suspend', { values: {}, attempts: [first, second, third] });
const session: CheckoutSession = {
  sessionId: 'cs_1',
  url: 'https://pay.test/cs_1',
  expiresAt: periodEnd,
  trialDays: 0,
};
const payment: AwaitedPayment = {
  invoiceId: 'in_1',
  subscriptionId: 'sub_acme',
  confirmUrl: 'https://pay.test/in_1',
  expiresAt: periodEnd,
};
const announced = { transition: 'suspended', announcedAt: at } as const;

/** The record as it is to be written, without the fields that the store adds. */
function written({ revision: _r, createdAt: _c, updatedAt: _u, outbox: _o, ...record }: Operation) {
  return record;
}
const attempts = (latest: Partial<Attempt>) => [first, second, { ...third, ...latest }];

describe('the admission of an attempt', () => {
  const failed = inStatus(running('suspend', { attempts: [first] }), 'failed', { error });
  const pending = inStatus(running('suspend', { attempts: [] }), 'pending', {});
  const asked = { actor: { id: 'ann' }, reason: 'asked for by telephone' };

  it('numbers the attempts and keeps the earlier ones, without the error of the last', () => {
    const { error: _former, ...rest } = written(failed) as Operation & { error?: unknown };
    const other = { ...executor, incarnation: 'incarnation-2' };
    expect(admitAttempt(failed, other, now)).toStrictEqual({
      ...rest,
      status: 'running',
      attempts: [first, { number: 2, executor: other, startedAt: now, providerCalls: [] }],
    });
    expect(admitAttempt(pending, executor, now).attempts).toStrictEqual([attempt({ startedAt: now })]);
  });

  it.each([
    ['actor and reason', asked, asked],
    ['the actor alone', { actor: asked.actor }, { actor: asked.actor }],
    ['neither, for an attempt that no request caused', undefined, {}],
  ])('records of the request %s', (_what, request, recorded) => {
    const [made] = admitAttempt(pending, executor, now, undefined, request).attempts;
    expect(made).toStrictEqual({ ...attempt({ startedAt: now }), ...recorded });
  });

  it.each([
    ['the one that is recorded', { a: 'recorded' }, { a: 'new' }, { checkpoint: { a: 'recorded' } }],
    ['the new one, where none is recorded', undefined, { a: 'new' }, { checkpoint: { a: 'new' } }],
    ['none, where there is none', undefined, undefined, {}],
  ])('keeps of two checkpoints %s', (_what, recorded, decided, kept) => {
    const record = { ...pending, ...(recorded && { checkpoint: recorded }) };
    expect(admitAttempt(record, executor, now, decided)).toStrictEqual({
      ...written(pending),
      status: 'running',
      attempts: [attempt({ startedAt: now })],
      ...kept,
    });
  });
});

describe('a provider call', () => {
  it('is added to the latest attempt, and its answer completes it', () => {
    const called = recordCall(again, { step: 'resume_collection' });
    const calls = [...third.providerCalls, { step: 'resume_collection' }];
    expect(called).toStrictEqual({ ...again, attempts: attempts({ providerCalls: calls }) });
    expect(answerCall(called, { outcome: 'succeeded', objectId: 'sub_acme' }).attempts).toStrictEqual(
      attempts({
        providerCalls: [
          ...third.providerCalls,
          { step: 'resume_collection', outcome: 'succeeded', objectId: 'sub_acme' },
        ],
      }),
    );
  });

  it('is not recorded without an attempt', () => {
    expect(() => recordCall(running('suspend', { attempts: [] }), { step: 'resume_collection' })).toThrow(
      'operation op-00000001 has no attempt',
    );
  });
});

describe('a wait', () => {
  it('for receipts begins when the message is announced', () => {
    expect(awaitReceipts(again, 'suspended', now)).toStrictEqual({
      ...written(again),
      status: 'awaiting_receipts',
      attempts: attempts({ finishedAt: now, outcome: 'awaiting_receipts' }),
      lifecycle: { transition: 'suspended', announcedAt: now },
    });
  });

  it('for a deletion begins when its messages are announced', () => {
    expect(awaitDeletion(again, now)).toStrictEqual({
      ...written(again),
      status: 'awaiting_receipts',
      attempts: attempts({ finishedAt: now, outcome: 'awaiting_receipts' }),
      deletion: { announcedAt: now },
    });
  });

  it('for a session keeps the session, and later what that waits for', () => {
    const waiting = checkoutAwaitsSession(again, session, now);
    expect(waiting).toStrictEqual({
      ...written(again),
      status: 'awaiting_receipts',
      attempts: attempts({ finishedAt: now, outcome: 'awaiting_receipts' }),
      checkout: session,
    });
    const paid = { ...session, waitsFor: 'payment' } as const;
    const record = inStatus(again, 'awaiting_receipts', { checkout: session });
    expect(checkoutWaitsFor(record, paid)).toStrictEqual({ ...written(record), checkout: paid });
  });

  it('for a payment keeps its invoice', () => {
    expect(awaitPayment(again, payment, now)).toStrictEqual({
      ...written(again),
      status: 'awaiting_payment',
      attempts: attempts({ finishedAt: now, outcome: 'awaiting_payment' }),
      payment,
    });
  });
});

describe('a deletion', () => {
  const waiting = inStatus(again, 'awaiting_receipts', { deletion: { announcedAt: at } });

  it('notes each part, and keeps the first report of it', () => {
    const skipped = noteDeletionPart(waiting, 'deliveriesSkippedAt', now);
    expect(skipped).toStrictEqual({ ...waiting, deletion: { announcedAt: at, deliveriesSkippedAt: now } });
    expect(noteDeletionPart(skipped, 'deliveriesSkippedAt', periodEnd)).toStrictEqual(skipped);
    expect(noteDeletionPart(skipped, 'listenersCalledAt', periodEnd).deletion).toStrictEqual({
      announcedAt: at,
      deliveriesSkippedAt: now,
      listenersCalledAt: periodEnd,
    });
  });

  it('that announced nothing has no part to note', () => {
    expect(() => noteDeletionPart(inStatus(again, 'awaiting_receipts', {}), 'listenersCalledAt', now)).toThrow(
      'operation op-00000001 announced no deletion',
    );
  });

  it.each([
    [false, 'nothing was announced', {}],
    [false, 'no part is durable', { deletion: { announcedAt: at } }],
    [false, 'only the deliveries are skipped', { deletion: { announcedAt: at, deliveriesSkippedAt: at } }],
    [false, 'only the listeners are called', { deletion: { announcedAt: at, listenersCalledAt: at } }],
    [true, 'both are', { deletion: { announcedAt: at, deliveriesSkippedAt: at, listenersCalledAt: at } }],
  ])('is complete (%s) when %s', (complete, _what, record) => {
    expect(deletionIsComplete(record)).toBe(complete);
  });
});

describe('the settlement of a lifecycle message', () => {
  const waiting = inStatus(again, 'awaiting_receipts', { lifecycle: announced });
  const receipts = [{ consumer: 'storage', receiptId: 'r-1', effectiveAt: at.toISOString() }];
  const waived = [{ consumer: 'mail', by: 'ann@example.com', reason: 'gone', waivedAt: at.toISOString() }];
  const omitted = { receipts: 3, waived: 1 };

  it.each([
    ['receipts', {}],
    ['waivers', { waived }],
    ['the numbers of what did not fit', { omitted }],
    ['all of them', { waived, omitted }],
  ])('is noted with %s', (_what, more) => {
    expect(noteSettlement(waiting, { receipts, settledAt: now.toISOString(), ...more })).toStrictEqual({
      ...waiting,
      lifecycle: { ...announced, settledAt: now, receipts, ...more },
    });
  });

  it('is not noted where nothing was announced', () => {
    const silent = inStatus(again, 'awaiting_receipts', {});
    const settled = () => noteSettlement(silent, { receipts, settledAt: now.toISOString() });
    expect(settled).toThrow('operation op-00000001 announced nothing');
  });
});

describe('the end of an operation', () => {
  const result = { planId: 'pro' };
  const held = inStatus(again, 'awaiting_payment', { payment });

  it('ends the running attempt with its outcome', () => {
    expect(succeed(again, result, at, now)).toStrictEqual({
      ...written(again),
      status: 'succeeded',
      attempts: attempts({ finishedAt: now, outcome: 'succeeded' }),
      result,
      effectiveAt: at,
    });
    expect(fail(again, error, now)).toStrictEqual({
      ...written(again),
      status: 'failed',
      attempts: attempts({ finishedAt: now, outcome: 'failed', error }),
      error,
    });
    expect(stop(again, error, now)).toStrictEqual({
      ...written(again),
      status: 'reconciliation_required',
      attempts: attempts({ finishedAt: now, outcome: 'unknown', error }),
      error,
    });
  });

  it('leaves the attempts of an operation that waited as they were', () => {
    const [record, end] = [written(held), { result, effectiveAt: at }];
    expect(succeed(held, result, at, now)).toStrictEqual({ ...record, status: 'succeeded', ...end });
    expect(fail(held, error, now)).toStrictEqual({ ...record, status: 'failed', error });
    expect(stop(held, error, now)).toStrictEqual({ ...record, status: 'reconciliation_required', error });
  });

  it('keeps the decisions of earlier effects beside a later one', () => {
    const decided: RunningOperation = { ...again, checkpoint: { a: '1', b: '1' } };
    expect(recordCheckpoint(decided, { b: '2', c: '2' })).toStrictEqual({
      ...written(decided),
      checkpoint: { a: '1', b: '2', c: '2' },
    });
    expect(recordCheckpoint(again, { a: '1' }).checkpoint).toStrictEqual({ a: '1' });
  });
});

describe('a resolution', () => {
  const resolution = { executorStopped: 'gone', providerObject: 'sub_1', by: 'ops@example.com', at: now } as const;
  const applied = { ...resolution, outcome: 'applied' } as const;
  const ended = attempts({ finishedAt: at, outcome: 'unknown', error });
  const stopped = inStatus(again, 'reconciliation_required', { error, attempts: ended });
  const { error: _former, ...rest } = written(stopped) as Operation & { error?: unknown };

  it('is the end of the operation, as it was investigated, and keeps the end of its attempt', () => {
    expect(resolve(stopped, applied)).toStrictEqual({
      ...rest,
      status: 'succeeded',
      resolution: applied,
      result: { resolvedBy: 'ops@example.com', providerObject: 'sub_1' },
      effectiveAt: now,
    });
    expect(resolve(stopped, { ...resolution, outcome: 'not_applied' })).toStrictEqual({
      ...rest,
      status: 'failed',
      resolution: { ...resolution, outcome: 'not_applied' },
      error: {
        code: 'resolved_not_applied',
        message: 'An investigation by ops@example.com established that nothing was applied.',
      },
    });
  });

  it('ends an attempt that had no end, and gives it no outcome', () => {
    expect(resolve(again, applied).attempts).toStrictEqual(attempts({ finishedAt: now }));
  });

  it('is recorded once', () => {
    expect(() => resolve({ ...stopped, resolution: applied }, applied)).toThrow('operation op-00000001 is resolved');
  });

  it.each<[boolean, string, Operation]>([
    [false, 'pending', inStatus(again, 'pending', {})],
    [true, 'running', again],
    [false, 'waiting for receipts', inStatus(again, 'awaiting_receipts', { lifecycle: announced })],
    [true, 'waiting for its session', inStatus(again, 'awaiting_receipts', { checkout: session })],
    [true, 'waiting for a payment', inStatus(again, 'awaiting_payment', { payment })],
    [true, 'stopped', stopped],
    [false, 'failed', inStatus(again, 'failed', { error })],
    [false, 'a failed checkout', inStatus(again, 'failed', { error, checkout: session })],
    [false, 'succeeded', inStatus(again, 'succeeded', { result: {}, effectiveAt: at })],
  ])('is possible (%s) for an operation that is %s', (possible, _what, operation) => {
    expect(isUnresolved(operation)).toBe(possible);
  });
});
