/**
 * Reads the broker like one of its consumers during a run: alerts, and every lifecycle message with the broker's own
 * timestamp. The broker's disk is wiped meanwhile, and the messages that were already read must not be lost with it.
 */
import { silentLog } from '@platform/kernel';
import { connectMessaging, ensureTopology, platformTopology, type DurableDeclaration } from '@platform/messaging';
import { eventually, type AlertEvidence } from '@platform/testing';
import type { SeenMessage } from './observer/seen';

export interface BrokerCollector {
  readonly alerts: readonly AlertEvidence[];
  readonly messages: readonly SeenMessage[];
  /** After a wipe: recreates streams and durables, as the broker's operator would. */
  restoreBroker(): Promise<void>;
  close(): Promise<void>;
}

const reads = { ackWaitMs: 5_000, maxAckPending: 100 };
const alertReader: DurableDeclaration = { stream: 'ALERTS', durable: 'chaos', filterSubjects: ['alert.>'], ...reads };

const lifecycleStream = (): string => {
  const found = platformTopology().streams.find(({ subjects }) =>
    subjects.some((subject) => subject.startsWith('lifecycle.message.')),
  );
  if (!found) throw new Error('no stream keeps lifecycle messages');
  return found.name;
};

export async function collectFromBroker(natsUrl: string): Promise<BrokerCollector> {
  const alerts: AlertEvidence[] = [];
  const messages: SeenMessage[] = [];
  const lifecycleReader: DurableDeclaration = {
    stream: lifecycleStream(),
    durable: 'chaos-lifecycle',
    filterSubjects: ['lifecycle.message.>'],
    ...reads,
  };
  const durables = [alertReader, lifecycleReader];
  const messaging = await connectMessaging({
    url: natsUrl,
    name: 'chaos',
    topology: platformTopology(),
    log: silentLog,
  });
  for (const durable of durables) await messaging.ensureDurable(durable);
  const readings = [
    await messaging.consume(alertReader, async ({ body }) => {
      alerts.push(body as AlertEvidence);
      return { kind: 'ack' };
    }),
    await messaging.consume(lifecycleReader, async ({ subject, body, publishedAt }) => {
      const { operationId, tenantId } = body as { readonly operationId: string; readonly tenantId: string };
      const transition = subject.slice('lifecycle.message.'.length);
      if (transition !== 'tenant_deleted')
        messages.push({ operationId, tenantId, transition, at: publishedAt.getTime() });
      return { kind: 'ack' };
    }),
  ];
  return {
    alerts,
    messages,
    async restoreBroker() {
      const again = { deadlineMs: 180_000 };
      // A broker that was just restarted may be slow to answer.
      await eventually(() => ensureTopology({ url: natsUrl, topology: platformTopology() }), {
        describe: 'the streams after the wipe',
        ...again,
      });
      for (const durable of durables)
        await eventually(() => messaging.ensureDurable(durable).then(() => true), {
          describe: `the durable ${durable.durable} after the wipe`,
          ...again,
        });
    },
    async close() {
      for (const reading of readings) await reading.close();
      await messaging.close();
    },
  };
}
