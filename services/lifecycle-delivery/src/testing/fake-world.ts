/** The service on fakes of store and broker, with an operator and consumers that speak raw messages. */
import {
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
  type LifecycleMessage,
  type LifecycleTransition,
} from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog, type Log } from '@platform/kernel';
import type { InboundMessage } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { assembleDelivery, startDelivery, type RunningDelivery } from '../delivery';

export const requestedAt = '2026-01-01T00:00:00.000Z';

export function createFakeWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const operator = broker.connect('operator');
  const consumers = broker.connect('consumers');
  const logged: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => void logged.push(message) };
  const boot = (): Promise<RunningDelivery> =>
    startDelivery({ store, messaging: broker.connect('lifecycle-delivery'), clock, random: () => 0, log });
  const ports = () =>
    assembleDelivery({ store, messaging: broker.connect('probe'), clock, random: () => 0, log }).ports;

  const announce = (operationId: string, transition: LifecycleTransition = 'suspended', tenantId = 'acme') =>
    operator.publish({
      subject: lifecycleSubjects.message(transition),
      id: lifecycleMessageIds.message(operationId),
      type: lifecycleTypes.message(transition),
      body: { tenantId, operationId, transition, requestedAt },
    });
  const announceDeleted = (tenantId: string) =>
    operator.publish({
      subject: lifecycleSubjects.tenantDeleted,
      id: lifecycleMessageIds.tenantDeleted(tenantId),
      type: lifecycleTypes.tenantDeleted,
      body: { tenantId, operationId: `delete-${tenantId}`, deletedAt: requestedAt },
    });
  const register = (
    name: string,
    transitions: readonly LifecycleTransition[] = ['suspended'],
    registeredBy = `${name}-1`,
    over: Record<string, unknown> = {},
  ) => consumers.request(lifecycleRequests.register(name), { name, transitions, registeredBy, ...over }, 1_000);
  const receipt = (
    consumer: string,
    operationId: string,
    over: Record<string, unknown> = {},
    id = `r:${consumer}:${operationId}`,
  ) =>
    consumers.publish({
      subject: lifecycleSubjects.receipt(consumer),
      id,
      type: lifecycleTypes.receipt,
      body: {
        tenantId: 'acme',
        operationId,
        transition: 'suspended',
        receiptId: id,
        effectiveAt: requestedAt,
        ...over,
      },
    });
  const failure = (consumer: string, operationId: string, error: string, id: string) =>
    consumers.publish({
      subject: lifecycleSubjects.receipt(consumer),
      id,
      type: lifecycleTypes.deliveryFailed,
      body: { tenantId: 'acme', operationId, transition: 'suspended', error, failedAt: requestedAt },
    });
  const sent = (prefix: string) =>
    broker.published.filter(
      ({ subject, duplicate, stream }) => subject.startsWith(prefix) && !duplicate && stream !== null,
    );
  const sendRequest = async (subject: string, body: Record<string, unknown> = {}) => {
    const answer = await operator.request(subject, body, 1_000);
    if (!answer.ok) throw new Error(answer.error.serverCode ?? answer.error.code);
    return answer.value as {
      deliveries: Record<string, unknown>[];
      consumers: Record<string, unknown>[];
      message?: Record<string, unknown>;
      nextCursor?: string;
    };
  };
  const consumeAll = async (consumer: string, seen: InboundMessage[]) =>
    consumers.consume({ stream: 'TENANT_LIFECYCLE', durable: consumer }, async (message) => {
      seen.push(message);
      const { operationId, tenantId } = message.body as LifecycleMessage;
      await receipt(consumer, operationId, { tenantId });
      return { kind: 'ack' };
    });
  return {
    clock,
    store,
    broker,
    operator,
    consumers,
    logged,
    boot,
    ports,
    announce,
    announceDeleted,
    register,
    receipt,
    failure,
    sent,
    sendRequest,
    consumeAll,
  };
}

export type FakeWorld = ReturnType<typeof createFakeWorld>;
