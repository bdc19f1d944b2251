/** Tests on the record of their consumer: which are still sent, what an answer changes, and what people see. */
import { at, stamp } from '../testing/delivery-records';
import type { ConsumerRecord } from './consumer';
import { hasTest, noteAnswer, noteSent, publicationOfTest, testLimits, testsOf, unsentTests } from './consumer-tests';
import type { TestOfConsumer } from './consumer-work';

const draft = {
  _id: 'storage',
  status: 'registered' as const,
  transitions: ['suspended'] as const,
  registeredBy: 'storage-1',
  registeredAt: at(0),
};
const record = (...tests: readonly TestOfConsumer[]): ConsumerRecord => ({ ...draft, ...stamp, tests });
const untested: ConsumerRecord = { ...draft, ...stamp };
const asked = { testId: 't-1', by: 'ann@example.com', reason: 'a look', requestedAt: at(0) };
const other = { ...asked, testId: 't-2' };
const receipt = { receiptId: 'r-1', effectiveAt: at(1), acceptedAt: at(2) };

describe('a test that is recorded and not sent', () => {
  it('is sent while a person waits for it, to a registered consumer that is not paused', () => {
    const after = (ms: number) => unsentTests(record(asked), new Date(asked.requestedAt.getTime() + ms));
    expect([after(0), after(testLimits.sendWithinMs - 1)]).toEqual([[asked], [asked]]);
    expect([after(-1), after(testLimits.sendWithinMs)]).toEqual([[], []]);
    expect(unsentTests(untested, at(1))).toEqual([]);
    expect(unsentTests({ ...record(asked), paused: true }, at(1))).toEqual([]);
    expect(unsentTests({ ...record(asked), status: 'unregistered', unregisteredAt: at(1) }, at(1))).toEqual([]);
  });

  it('is sent once, and not when its answer has come', () => {
    expect(unsentTests(record({ ...asked, sentAt: at(0) }, { ...asked, receipt }, other), at(1))).toEqual([other]);
    expect(noteSent(record(asked, other), 't-1', at(1))).toStrictEqual({
      ...draft,
      tests: [{ ...asked, sentAt: at(1) }, other],
    });
    expect(noteSent(record({ ...asked, sentAt: at(0) }), 't-1', at(1))).toBeNull();
    expect(noteSent(untested, 't-1', at(1))).toBeNull();
  });

  it('is a message with the consumer and the time of the request', () => {
    expect(publicationOfTest('storage', asked)).toStrictEqual({
      ...{ subject: 'tenant.lifecycle.test.storage', id: 'test:storage:t-1', type: 'tenant.lifecycle_test.v1' },
      body: { testId: 't-1', consumer: 'storage', requestedAt: at(0).toISOString() },
    });
  });
});

describe('the answer to a test', () => {
  const body = { testId: 't-1', receiptId: 'r-1', effectiveAt: at(1).toISOString() };
  const failed = { testId: 't-1', error: 'x'.repeat(500), failedAt: at(1).toISOString() };

  it('is recorded on that test alone, and a receipt is final', () => {
    const failure = { error: 'x'.repeat(testLimits.errorCharacters), at: at(2) };
    expect(noteAnswer(record(asked, other), { kind: 'failure', body: failed }, at(2))).toStrictEqual({
      ...draft,
      tests: [{ ...asked, failure }, other],
    });
    const receipted = { ...asked, failure, receipt };
    expect(noteAnswer(record({ ...asked, failure }, other), { kind: 'receipt', body }, at(2))).toStrictEqual({
      ...draft,
      tests: [receipted, other],
    });
    expect(noteAnswer(record(receipted), { kind: 'receipt', body: { ...body, receiptId: 'r-2' } }, at(3))).toBeNull();
    expect(noteAnswer(record(receipted), { kind: 'failure', body: failed }, at(3))).toBeNull();
  });

  it('changes nothing without that test on record', () => {
    expect([record(asked, other), record(other), untested].map((one) => hasTest(one, 't-1'))).toEqual([
      true,
      false,
      false,
    ]);
    expect(noteAnswer(record(other), { kind: 'receipt', body }, at(2))).toBeNull();
  });
});

describe('the tests that a consumer shows', () => {
  const view = { ...asked, requestedAt: at(0).toISOString() };

  it('are the last ones, each with what is known of it, and whether it answers tests', () => {
    const answered = { ...other, sentAt: at(1), receipt, failure: { error: 'no disk', at: at(1) } };
    expect(testsOf({ ...record(answered, asked), answersTests: true }, 2)).toStrictEqual({
      answersTests: true,
      tests: [
        {
          ...{ ...view, testId: 't-2', sentAt: at(1).toISOString() },
          receipt: { receiptId: 'r-1', effectiveAt: at(1).toISOString(), acceptedAt: at(2).toISOString() },
          failure: { error: 'no disk', at: at(1).toISOString() },
        },
        view,
      ],
    });
    expect(testsOf(record(answered, asked), 1)).toStrictEqual({ tests: [view] });
    expect([testsOf(untested, 1), testsOf({ ...record(), answersTests: false }, 1)]).toStrictEqual([{}, {}]);
  });
});
