/**
 * Collects alerts while the run goes on: the broker's disk is wiped in between, and the alerts of people must not go
 * with it.
 */
import { silentLog } from '@platform/kernel';
import { connectMessaging, ensureTopology, platformTopology, type DurableDeclaration } from '@platform/messaging';
import { eventually, type AlertEvidence } from '@platform/testing';

export interface AlertCollector {
  readonly alerts: readonly AlertEvidence[];
  /** After a wipe: streams and durables are made again, as the operator of the broker would. */
  restoreBroker(): Promise<void>;
  close(): Promise<void>;
}

const durable: DurableDeclaration = {
  stream: 'ALERTS',
  durable: 'chaos',
  filterSubjects: ['alert.>'],
  ackWaitMs: 5_000,
  maxAckPending: 100,
};

export async function collectAlerts(natsUrl: string): Promise<AlertCollector> {
  const alerts: AlertEvidence[] = [];
  const messaging = await connectMessaging({
    url: natsUrl,
    name: 'chaos',
    topology: platformTopology(),
    log: silentLog,
  });
  await messaging.ensureDurable(durable);
  const reading = await messaging.consume({ stream: durable.stream, durable: durable.durable }, async ({ body }) => {
    alerts.push(body as AlertEvidence);
    return { kind: 'ack' };
  });
  return {
    alerts,
    async restoreBroker() {
      const again = { deadlineMs: 60_000 };
      // A broker that has just come back may be slow to answer.
      await eventually(() => ensureTopology({ url: natsUrl, topology: platformTopology() }), {
        describe: 'the streams after the wipe',
        ...again,
      });
      await eventually(() => messaging.ensureDurable(durable).then(() => true), {
        describe: 'the durable of the alerts after the wipe',
        ...again,
      });
    },
    async close() {
      await reading.close();
      await messaging.close();
    },
  };
}
