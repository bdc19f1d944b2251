/**
 * Tests of a consumer: one message that names no workspace and no operation, and what the consumer answered to it. They
 * are on the consumer's record alone, so a test changes no delivery and settles nothing.
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
  /** One that a crash left out is sent within this time; later no person waits for it. */
  sendWithinMs: 600_000,
} as const;

/** Those that are on record and not sent: the process that asked for them ended before. */
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

/** The first receipt is final; a failure is shown until it comes. Null: it changes nothing. */
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

/** Whether it answers tests, and the last `shown` of them. */
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
