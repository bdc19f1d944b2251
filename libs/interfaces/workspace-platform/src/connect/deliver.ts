/**
 * One delivery to a consumer of this process: run `consume`, publish its receipt, and acknowledge the delivery only
 * when the broker has acknowledged the receipt. A run that fails or does not end is reported and tried again later.
 */
import {
  lifecycleMessageSchema,
  lifecycleMessageIds,
  LIFECYCLE_SUBJECTS,
  LIFECYCLE_TYPES,
  type ConsumerReceipt,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { backoffMs, type Clock, type Ids, type Log } from '@platform/kernel';
import type { Disposition, Handle, Messaging } from '@platform/messaging';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { decodeReceipt, describeFailure } from './receipts';

export interface DeliveryLimits {
  /** How long a run may take before it is reported as failed; it is not cut off, and a late receipt still counts. */
  readonly consumeTimeoutMs: number;
  /** Runs of one publication; after them the recorded failure is left to the platform's five-minute retry worker. */
  readonly runsMax: number;
}

export interface DeliverPorts {
  readonly broker: Pick<Messaging, 'publish'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: DeliveryLimits;
  /** Aborts when this process must not wait for runs any longer. */
  readonly abandon: AbortSignal;
}

/** The trace context of the delivery, carried on to what answers it. */
type Trace = { readonly traceparent?: string };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Receipts remembered so that a repeat republishes instead of running again. */
const REMEMBERED = 1_000;

/** The handler of one consumer's durable. */
export function deliverTo(consumer: TenantLifecycleConsumer, ports: DeliverPorts): Handle {
  const receipts = new Map<string, ConsumerReceipt>();
  const keyOf = ({ operationId, transition }: LifecycleMessage): string => `${transition} ${operationId}`;

  function remember(message: LifecycleMessage, receipt: ConsumerReceipt): ConsumerReceipt {
    receipts.set(keyOf(message), receipt);
    for (const oldest of receipts.keys()) {
      if (receipts.size <= REMEMBERED) break;
      receipts.delete(oldest);
    }
    return receipt;
  }

  async function publishReceipt(
    message: LifecycleMessage,
    receipt: ConsumerReceipt,
    trace: Trace,
  ): Promise<Disposition> {
    const { tenantId, operationId, transition } = message;
    const id = lifecycleMessageIds.receipt(operationId, consumer.name);
    const published = await ports.broker.publish({
      subject: LIFECYCLE_SUBJECTS.receipt(consumer.name),
      id,
      type: LIFECYCLE_TYPES.receipt,
      body: { tenantId, operationId, transition, ...receipt },
      ...trace,
    });
    return published === 'acknowledged'
      ? { kind: 'ack' }
      : { kind: 'nak', reason: 'the receipt was not acknowledged by the broker', delayMs: FIRST_PAUSE_MS };
  }

  async function reportFailure(
    message: LifecycleMessage,
    error: unknown,
    run: number,
    trace: Trace,
  ): Promise<Disposition> {
    const { tenantId, operationId, transition } = message;
    const reason = describeFailure(error);
    ports.log.warn(
      { consumer: consumer.name, operationId, tenantId, run, error: reason },
      'a tenant lifecycle consumer failed',
    );
    const body = { tenantId, operationId, transition, error: reason, failedAt: ports.clock.now().toISOString() };
    const id = lifecycleMessageIds.deliveryFailed(operationId, consumer.name, ports.ids.next());
    const published = await ports.broker.publish({
      subject: LIFECYCLE_SUBJECTS.receipt(consumer.name),
      id,
      type: LIFECYCLE_TYPES.deliveryFailed,
      body,
      ...trace,
    });
    if (published === 'acknowledged' && run >= ports.limits.runsMax) return { kind: 'ack' };
    return { kind: 'nak', reason, delayMs: backoffMs(run, FIRST_PAUSE_MS, LONGEST_PAUSE_MS) };
  }

  /** Starts a run. A receipt that comes after the wait was given up is still published. */
  async function run(message: LifecycleMessage, trace: Trace): Promise<ConsumerReceipt> {
    const running = (async () =>
      remember(message, decodeReceipt(await consumer.consume(Object.freeze({ ...message })))))();
    const waited = await endOfWait(running, ports.limits.consumeTimeoutMs, ports.abandon);
    if (waited === 'ended') return running;
    running
      .then((receipt) => publishReceipt(message, receipt, trace))
      .catch((error: unknown) => {
        ports.log.warn(
          { consumer: consumer.name, operationId: message.operationId, error: describeFailure(error) },
          'an abandoned run of a tenant lifecycle consumer failed',
        );
      });
    throw new Error(
      waited === 'abandoned'
        ? 'this process is being stopped'
        : `consume did not answer within ${ports.limits.consumeTimeoutMs} ms`,
    );
  }

  return async (inbound) => {
    const decoded = lifecycleMessageSchema.safeParse(inbound.body);
    if (!decoded.success || inbound.type !== LIFECYCLE_TYPES.delivery)
      return { kind: 'dead_letter', reason: `not a delivery that this version can read (${inbound.type})` };
    const message = decoded.data;
    const { traceparent } = inbound.headers;
    const trace: Trace = traceparent === undefined ? {} : { traceparent };
    const known = receipts.get(keyOf(message));
    if (known) return publishReceipt(message, known, trace);
    try {
      if (!consumer.transitions.includes(message.transition))
        throw new Error(`consumer ${consumer.name} does not handle ${message.transition} any more`);
      return await publishReceipt(message, await run(message, trace), trace);
    } catch (error) {
      if (ports.abandon.aborted) return { kind: 'nak', reason: 'this process is being stopped' };
      return reportFailure(message, error, inbound.deliveryCount, trace);
    }
  };
}

/** How the wait for a run ended: by its own end (also a failure), by the limit, or because the process stops. */
async function endOfWait(
  running: Promise<unknown>,
  timeoutMs: number,
  abandon: AbortSignal,
): Promise<'ended' | 'limit' | 'abandoned'> {
  let finish = (): void => undefined;
  const given = new Promise<'limit' | 'abandoned'>((resolve) => {
    const timer = setTimeout(() => resolve('limit'), timeoutMs);
    const onAbort = (): void => resolve('abandoned');
    abandon.addEventListener('abort', onAbort, { once: true });
    if (abandon.aborted) onAbort();
    finish = () => {
      clearTimeout(timer);
      abandon.removeEventListener('abort', onAbort);
    };
  });
  const ended = running.then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  return Promise.race([ended, given]).finally(() => finish());
}
