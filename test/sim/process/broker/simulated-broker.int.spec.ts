/** The model of the broker passes the suite that the real broker passes, through the same adapter. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connectMessaging, ensureTopology, type Messaging } from '@platform/messaging';
import { messagingFeatures } from '../../../../libs/messaging/src/messaging.features';
import { createNamespaceName, settings, topology, until } from '../../../../libs/messaging/src/messaging.nats-support';
import { startSimulatedBroker, type SimulatedBroker } from './server';

describe('the simulated broker', () => {
  let server: SimulatedBroker;
  let url: string;
  let raw: NatsConnection;
  beforeAll(async () => {
    server = await startSimulatedBroker(0, () => 0);
    url = `nats://127.0.0.1:${server.port}`;
    raw = await connect({ servers: url });
  });
  afterAll(async () => {
    await raw.close();
    await server.close();
  });

  messagingFeatures(async () => {
    const namespace = createNamespaceName();
    const open: Messaging[] = [];
    const applyTopology = async (): Promise<void> => void (await ensureTopology({ url, topology, namespace }));
    const wipe = async (): Promise<void> => {
      const jsm = await jetstreamManager(raw);
      for await (const name of jsm.streams.names()) await jsm.streams.delete(name);
    };
    await applyTopology();
    return {
      connect: async (name) => {
        const messaging = await connectMessaging(settings(url, name, namespace));
        open.push(messaging);
        return messaging;
      },
      until,
      publishRaw: async (subject, bytes) => void (await jetstream(raw).publish(`${namespace}.${subject}`, bytes)),
      wipe,
      applyTopology,
      close: async () => {
        await Promise.all(open.map((messaging) => messaging.close()));
        await wipe();
      },
    };
  });
});
