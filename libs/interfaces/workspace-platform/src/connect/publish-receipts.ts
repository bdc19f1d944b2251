/** Publishes the result of a delivery or of a test to the platform: the receipt of a run, or why the run failed. */
import {
  lifecycleMessageIds,
  lifecycleSubjects,
  lifecycleTypes,
  type ConsumerReceipt,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import type { Clock, Ids } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';

/** The trace context of the delivery, passed on to its answers. */
export type Trace = { readonly traceparent?: string };

export interface PublishPorts {
  readonly broker: Pick<Messaging, 'publish'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type Published = Awaited<ReturnType<Messaging['publish']>>;

export function publishReceipt(
  { broker }: PublishPorts,
  consumer: string,
  message: LifecycleMessage,
  receipt: ConsumerReceipt,
  trace: Trace,
): Promise<Published> {
  const { tenantId, operationId, transition } = message;
  return broker.publish({
    subject: lifecycleSubjects.receipt(consumer),
    id: lifecycleMessageIds.receipt(operationId, consumer),
    repeats: 'stored',
    type: lifecycleTypes.receipt,
    body: { tenantId, operationId, transition, ...receipt },
    ...trace,
  });
}

export function publishFailure(
  { broker, clock, ids }: PublishPorts,
  consumer: string,
  message: LifecycleMessage,
  error: string,
  trace: Trace,
): Promise<Published> {
  const { tenantId, operationId, transition } = message;
  return broker.publish({
    subject: lifecycleSubjects.receipt(consumer),
    id: lifecycleMessageIds.deliveryFailed(operationId, consumer, ids.next()),
    repeats: 'stored',
    type: lifecycleTypes.deliveryFailed,
    body: { tenantId, operationId, transition, error, failedAt: clock.now().toISOString() },
    ...trace,
  });
}

export function publishTestReceipt(
  { broker }: PublishPorts,
  consumer: string,
  testId: string,
  receipt: ConsumerReceipt,
): Promise<Published> {
  return broker.publish({
    subject: lifecycleSubjects.receipt(consumer),
    id: lifecycleMessageIds.testReceipt(testId, consumer),
    repeats: 'stored',
    type: lifecycleTypes.testReceipt,
    body: { testId, ...receipt },
  });
}

export function publishTestFailure(
  { broker, clock, ids }: PublishPorts,
  consumer: string,
  testId: string,
  error: string,
): Promise<Published> {
  return broker.publish({
    subject: lifecycleSubjects.receipt(consumer),
    id: lifecycleMessageIds.testFailed(testId, consumer, ids.next()),
    repeats: 'stored',
    type: lifecycleTypes.testFailed,
    body: { testId, error, failedAt: clock.now().toISOString() },
  });
}
