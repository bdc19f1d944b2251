/**
 * One delivery to a consumer of this process: run `consume`, publish its receipt, and acknowledge the delivery only
 * when the broker has acknowledged the receipt. A run that fails or does not end is reported and tried again later.
 */
import {
  isReplayed,
  lifecycleMessageSchema,
  lifecycleTypes,
  type ConsumerReceipt,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { backoffMs, type Log } from '@platform/kernel';
import type { Disposition, Handle } from '@platform/messaging';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { answerTest } from './answer-test';
import { awaitRun } from './await-run';
import { publishFailure, publishReceipt, type PublishPorts, type Trace } from './publish-receipts';
import { decodeReceipt, describeFailure } from './receipts';

export interface DeliveryLimits {
  /** How long a run may take before it is reported as failed. It is not aborted, and a late receipt still counts. */
  readonly consumeTimeoutMs: number;
  /**
   * The most runs of one publication; after them the platform's five-minute retry worker handles the recorded failure.
   */
  readonly runsMax: number;
}

export interface DeliverPorts extends PublishPorts {
  readonly log: Log;
  readonly limits: DeliveryLimits;
  /** Aborted when this process must not wait for runs any longer. */
  readonly abandon: AbortSignal;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/**
 * Number of receipts in memory, with which a repeat is answered instead of running again. A replayed message runs
 * again, once per message id.
 */
const remembered = 1_000;

function rememberReceipts() {
  const receipts = new Map<string, ConsumerReceipt>();
  const keyOf = ({ operationId, transition }: LifecycleMessage, id: string): string =>
    isReplayed(id) ? id : `${transition} ${operationId}`;
  return {
    known: (message: LifecycleMessage, id: string): ConsumerReceipt | undefined => receipts.get(keyOf(message, id)),
    remember(message: LifecycleMessage, id: string, receipt: ConsumerReceipt): void {
      receipts.set(keyOf(message, id), receipt);
      for (const oldest of receipts.keys()) {
        if (receipts.size <= remembered) break;
        receipts.delete(oldest);
      }
    },
  };
}

/** The handler of one consumer's durable. */
export function deliverTo(consumer: TenantLifecycleConsumer, ports: DeliverPorts): Handle {
  const { name } = consumer;
  const { limits, abandon, log } = ports;
  const receipts = rememberReceipts();

  async function settle(message: LifecycleMessage, receipt: ConsumerReceipt, trace: Trace): Promise<Disposition> {
    const published = await publishReceipt(ports, name, message, receipt, trace);
    return published === 'acknowledged'
      ? { kind: 'ack' }
      : { kind: 'nak', reason: 'the receipt was not acknowledged by the broker', delayMs: firstPauseMs };
  }

  async function report(message: LifecycleMessage, error: unknown, run: number, trace: Trace): Promise<Disposition> {
    const { operationId, tenantId } = message;
    const reason = describeFailure(error);
    log.warn({ consumer: name, operationId, tenantId, run, error: reason }, 'a tenant lifecycle consumer failed');
    const published = await publishFailure(ports, name, message, reason, trace);
    if (published === 'acknowledged' && run >= limits.runsMax) return { kind: 'ack' };
    return { kind: 'nak', reason, delayMs: backoffMs(run, firstPauseMs, longestPauseMs) };
  }

  async function run(message: LifecycleMessage, id: string): Promise<ConsumerReceipt> {
    if (!consumer.transitions.includes(message.transition))
      throw new Error(`consumer ${name} does not handle ${message.transition} any more`);
    const receipt = decodeReceipt(await consumer.consume(Object.freeze({ ...message })));
    receipts.remember(message, id, receipt);
    return receipt;
  }

  function settleLate(running: Promise<ConsumerReceipt>, message: LifecycleMessage, trace: Trace): void {
    running
      .then((receipt) => settle(message, receipt, trace))
      .catch((error: unknown) => {
        const fields = { consumer: name, operationId: message.operationId, error: describeFailure(error) };
        log.warn(fields, 'an abandoned run of a tenant lifecycle consumer failed');
      });
  }

  return async ({ id, body, type, headers, deliveryCount }) => {
    if (type === lifecycleTypes.test) return answerTest(consumer, body, ports);
    const decoded = lifecycleMessageSchema.safeParse(body);
    if (!decoded.success || type !== lifecycleTypes.delivery)
      return { kind: 'dead_letter', reason: `not a delivery that this version can read (${type})` };
    const message = decoded.data;
    const trace: Trace = headers.traceparent === undefined ? {} : { traceparent: headers.traceparent };
    const known = receipts.known(message, id);
    if (known) return settle(message, known, trace);
    try {
      const receipt = await awaitRun(run(message, id), { ...limits, abandon }, (late) =>
        settleLate(late, message, trace),
      );
      return await settle(message, receipt, trace);
    } catch (error) {
      if (abandon.aborted) return { kind: 'nak', reason: 'this process is being stopped' };
      return report(message, error, deliveryCount, trace);
    }
  };
}
