/**
 * Answers one test of a consumer of this process. It never reaches `consume`, because it concerns no workspace. It runs
 * once for each time that the broker delivers it. A failure is reported and not tried again, because a person can send
 * another test.
 */
import { consumerTestSchema, type ConsumerReceipt } from '@platform/contracts-lifecycle-delivery';
import type { Log } from '@platform/kernel';
import type { Disposition } from '@platform/messaging';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { awaitRun, type WaitLimits } from './await-run';
import { publishTestFailure, publishTestReceipt, type PublishPorts } from './publish-receipts';
import { decodeReceipt, describeFailure } from './receipts';

export interface AnswerPorts extends PublishPorts {
  readonly log: Log;
  readonly limits: Pick<WaitLimits, 'consumeTimeoutMs'>;
  readonly abandon: AbortSignal;
}

const pauseMs = 1_000;

export async function answerTest(
  { name, answerTest: answer }: TenantLifecycleConsumer,
  body: unknown,
  ports: AnswerPorts,
): Promise<Disposition> {
  const decoded = consumerTestSchema.safeParse(body);
  if (!decoded.success) return { kind: 'dead_letter', reason: 'not a test that this version can read' };
  const test = Object.freeze({ ...decoded.data });
  const run = async (): Promise<ConsumerReceipt> =>
    answer
      ? decodeReceipt(await answer(test))
      : { receiptId: `test:${test.testId}`, effectiveAt: ports.clock.now().toISOString() };
  let published;
  try {
    const receipt = await awaitRun(run(), { ...ports.limits, abandon: ports.abandon }, () => undefined);
    published = await publishTestReceipt(ports, name, test.testId, receipt);
  } catch (error) {
    if (ports.abandon.aborted) return { kind: 'nak', reason: 'this process is being stopped' };
    const reason = describeFailure(error);
    ports.log.warn(
      { consumer: name, testId: test.testId, error: reason },
      'a test of a tenant lifecycle consumer failed',
    );
    published = await publishTestFailure(ports, name, test.testId, reason);
  }
  return published === 'acknowledged'
    ? { kind: 'ack' }
    : { kind: 'nak', reason: 'the answer to a test was not acknowledged by the broker', delayMs: pauseMs };
}
