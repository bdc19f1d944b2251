/** A server that stops listening while a connection to it is on its way refuses that connection, as a kernel does. */
import { createServer } from 'node:net';
import { createFaults } from '../engine/faults';
import { createTimeline } from '../engine/timeline';
import { createNetwork } from './network';

it('refuses a connection that its server has not accepted before it stopped listening', async () => {
  const timeline = createTimeline(1);
  const faults = createFaults({ seed: 1, rates: { crash: 0, freeze: 0, answer: 0, late: 0 } });
  const network = createNetwork({ timeline, faults, trace: { update: () => undefined } });
  const process = timeline.spawn('operator', 'operator-1');
  const server = createServer();
  timeline.enqueue(process, () => network.listen.call(server, 9));
  while (timeline.step());
  const client = network.connect(9);
  const refused = new Promise((resolve) => client.once('error', resolve));
  timeline.step();
  server.close();
  while (timeline.step());
  expect(await refused).toMatchObject({ code: 'ECONNREFUSED' });
});
