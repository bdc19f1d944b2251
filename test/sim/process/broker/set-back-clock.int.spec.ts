/** A machine whose wall clock is set back, as after a start without the network's time, keeps its broker. */
import { silentLog } from '@platform/kernel';
import { connectMessaging, ensureTopology, platformTopology } from '@platform/messaging';
import { eventually } from '@platform/testing';
import { startSimulatedBroker } from './server';

const hourMs = 3_600_000;

describe('a client of the broker whose clock was set back', () => {
  it('connects again after its connection has ended', async () => {
    const broker = await startSimulatedBroker(0, () => 0);
    const url = `nats://127.0.0.1:${broker.port}`;
    const topology = platformTopology();
    await ensureTopology({ url, topology });
    const messaging = await connectMessaging({ url, name: 'operator', topology, log: silentLog });
    const real = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => real() - hourMs);
    try {
      const answers = () => messaging.streamStates(['ALERTS']).then(() => true);
      broker.restart({ losesDisk: false });
      await eventually(() => !messaging.connected(), { describe: 'the end of the connection' });
      await eventually(() => messaging.connected() && answers(), { describe: 'an answer of the broker' });
    } finally {
      clock.mockRestore();
      await messaging.close();
      await broker.close();
    }
  });
});
