/** Lifecycle delivery on simulated ports: starts the same parts as `startDelivery`, with timers of simulated time. */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { createOutboxRelay } from '@platform/outbox';
import { assembleDelivery } from '../../../services/lifecycle-delivery/src/delivery';
import { onLifecycleMessage } from '../../../services/lifecycle-delivery/src/messages/on-lifecycle-message';
import { onReceipt } from '../../../services/lifecycle-delivery/src/messages/on-receipt';
import { inspectionEndpoints } from '../../../services/lifecycle-delivery/src/messages/serve-inspection';
import { registrationEndpoints } from '../../../services/lifecycle-delivery/src/messages/serve-registration';
import type { DeliveryPorts } from '../../../services/lifecycle-delivery/src/workflows/ports';
import { startRetryWorker } from '../../../services/lifecycle-delivery/src/workflows/retry-worker';
import { sweepEveryMs, type ServiceDependencies } from './dependencies';

const durable = 'lifecycle-delivery';
const concurrency = 32;

export async function bootLifecycleDelivery({ world, store, messaging, sleep }: ServiceDependencies): Promise<object> {
  const { clock, random } = world.timeline;
  const assembled = assembleDelivery({ store, messaging, clock, random: () => random.next(), log: silentLog });
  const relay = createOutboxRelay({
    sources: { lifecycle_messages: assembled.ports.messages.outbox },
    publish: messaging.publish,
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait: (milliseconds) => sleep(milliseconds),
  });
  const ports: DeliveryPorts = {
    ...assembled.ports,
    announce: (recordId, entries) => relay.publishNow('lifecycle_messages', recordId, entries),
  };
  relay.start();
  const worker = startRetryWorker(ports, store, (milliseconds) => sleep(milliseconds));
  await messaging.consume({ stream: lifecycleStreams.messages, durable, concurrency }, onLifecycleMessage(ports));
  await messaging.consume({ stream: lifecycleStreams.receipts, durable, concurrency }, onReceipt(ports));
  await messaging.serve({ name: durable, version: '0.1.0', description: 'simulated' }, [
    ...registrationEndpoints(ports, worker.consumerReturned),
    ...inspectionEndpoints(ports),
  ]);
  return {};
}
