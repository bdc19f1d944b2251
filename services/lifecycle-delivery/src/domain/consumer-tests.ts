/**
 * Tests of a consumer: one message without workspace and operation, and the consumer's answer. They are only on the
 * consumer's record, so a test changes no delivery and settles nothing.
 */
import {
  lifecycleMessageIds,
  lifecycleSubjects,
  lifecycleTypes,
  type ConsumerTest,
  type ConsumerTestView,
  type ConsumerView,
  type TestFailed,
  type TestReceipt,
} from '@platform/contracts-lifecycle-delivery';
import type { Checked } from '@platform/durable/steps';
import { consumerSteps, type ConsumerRecord } from './consumer';
import type { TestOfConsumer } from './consumer-work';

export const testLimits = {
  kept: 20,
  errorCharacters: 120,
  /** A test that a crash left unsent is sent within this time; after that no person waits for it. */
  sendWithinMs: 600_000,
} as const;

/** Tests that are recorded but not sent, because the requesting process ended before. */
export function unsentTests({ status, paused, tests = [] }: ConsumerRecord, now: Date): readonly TestOfConsumer[] {
  if (status !== 'registered' || paused) return [];
  return tests.filter(({ sentAt, receipt, requestedAt }) => {
    const age = now.getTime() - requestedAt.getTime();
    return !sentAt && !receipt && age >= 0 && age < testLimits.sendWithinMs;
  });
}

export function publicationOfTest(consumer: string, { testId, requestedAt }: TestOfConsumer) {
  return {
    subject: lifecycleSubjects.test(consumer),
    id: lifecycleMessageIds.test(testId, consumer),
    type: lifecycleTypes.test,
    body: { testId, consumer, requestedAt: requestedAt.toISOString() } satisfies ConsumerTest,
  };
}

/** Null when there is nothing to note. */
export function noteSent(record: ConsumerRecord, testId: string, sentAt: Date): Checked<ConsumerRecord> | null {
  return withTest(record, testId, (test) => (test.sentAt ? null : { ...test, sentAt }));
}

export type TestAnswer =
  { readonly kind: 'receipt'; readonly body: TestReceipt } | { readonly kind: 'failure'; readonly body: TestFailed };

/** The first receipt is final; a failure is shown until a receipt arrives. Null: the answer changes nothing. */
export function noteAnswer(record: ConsumerRecord, answer: TestAnswer, at: Date): Checked<ConsumerRecord> | null {
  return withTest(record, answer.body.testId, (test) => {
    if (test.receipt) return null;
    if (answer.kind === 'failure')
      return { ...test, failure: { error: answer.body.error.slice(0, testLimits.errorCharacters), at } };
    const { receiptId, effectiveAt } = answer.body;
    return { ...test, receipt: { receiptId, effectiveAt: new Date(effectiveAt), acceptedAt: at } };
  });
}

export function hasTest({ tests = [] }: ConsumerRecord, testId: string): boolean {
  return tests.some((test) => test.testId === testId);
}

function withTest(
  record: ConsumerRecord,
  testId: string,
  change: (test: TestOfConsumer) => TestOfConsumer | null,
): Checked<ConsumerRecord> | null {
  const { tests = [] } = record;
  const test = tests.find((each) => each.testId === testId);
  const changed = test && change(test);
  if (!changed) return null;
  return consumerSteps.keep<ConsumerRecord>(record, {
    tests: tests.map((each) => (each === test ? changed : each)),
  });
}

/** Whether the consumer answers tests, and the last `shown` of its tests. */
export function testsOf(
  { answersTests, tests = [] }: ConsumerRecord,
  shown: number,
): Pick<ConsumerView, 'answersTests' | 'tests'> {
  return { ...(answersTests && { answersTests }), ...(tests.length > 0 && { tests: tests.slice(-shown).map(viewOf) }) };
}

function viewOf({ testId, by, reason, requestedAt, sentAt, receipt, failure }: TestOfConsumer): ConsumerTestView {
  return {
    ...{ testId, by, reason, requestedAt: requestedAt.toISOString() },
    ...(sentAt && { sentAt: sentAt.toISOString() }),
    ...(receipt && {
      receipt: {
        receiptId: receipt.receiptId,
        effectiveAt: receipt.effectiveAt.toISOString(),
        acceptedAt: receipt.acceptedAt.toISOString(),
      },
    }),
    ...(failure && { failure: { error: failure.error, at: failure.at.toISOString() } }),
  };
}
