import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newEndpoint } from '../resources/webhook-endpoints';
import { createState } from '../state';
import { createTwin, type Twin } from '../twin';
import { createWebhooks, type Webhooks } from './index';

const request = { requestId: null, idempotencyKey: null };
let receiver: Server;
let arrived: Promise<void>;
let twin: Twin;
let webhooks: Webhooks;

beforeEach(async () => {
  arrived = new Promise((resolve) => {
    // It never answers.
    receiver = createServer(() => resolve());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  twin = createTwin(createState());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  twin.transact(request, () => newEndpoint(twin, { url, secret: 'whsec_slow', enabledEvents: ['*'], metadata: {} }));
  webhooks = createWebhooks(twin);
});
afterEach(async () => {
  receiver.closeAllConnections();
  await webhooks.close();
  receiver.close();
});

describe('the deliveries of a twin', () => {
  it('are not all looked at again for each change while their receiver is busy', async () => {
    const looks = jest.spyOn(twin.state, 'where');
    const change = (n: number) => twin.transact(request, () => twin.emit('customer.created', { id: `cus_${n}` }));
    change(0);
    webhooks.wake();
    await arrived;
    const before = looks.mock.calls.length;
    for (let n = 1; n <= 50; n += 1) {
      change(n);
      webhooks.wake();
    }
    expect(looks.mock.calls.length).toBe(before);
    expect(twin.state.where('delivery', 'status', 'pending')).toHaveLength(51);
  });
});
