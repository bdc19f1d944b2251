/** A consumer team at the gateway: its own consumer in full, and of every other one not even whether it exists. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { ok, refused } from '@platform/kernel';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createTestGateway, type Peers } from '../../testing/test-gateway';

const consumerOf = (name: string) => ({
  ...{ name, transitions: ['suspended'], registeredBy: `${name}-1`, status: 'registered' as const },
  ...{ registeredAt: '2026-01-01T00:00:00.000Z', waitingDeliveries: 0, contact: `${name}@teams.example` },
});
const deliveryTo = (consumer: string) => ({
  ...{ operationId: 'op-2026-0001', tenantId: 'acme', transition: 'suspended', consumer, status: 'pending' },
  ...{ attemptCount: 1, failureCount: 0, createdAt: '2026-01-01T00:00:00.000Z' },
});
const storage = { role: 'user', consumers: ['storage'] } as const;
const base = '/api/saas/lifecycle/consumers';

async function open(more: Partial<Peers> = {}) {
  const asked: [string, object][] = [];
  const request: Peers['request'] = async (subject, body) => {
    asked.push([subject, body as object]);
    if (subject === lifecycleRequests.consumers)
      return ok({ consumers: [consumerOf('mail'), consumerOf('storage')] } as never);
    if (subject === lifecycleRequests.deliveries)
      return ok({ deliveries: [deliveryTo(String((body as { consumer: string }).consumer))] } as never);
    return ok(consumerOf('storage') as never);
  };
  const world = await createOperatorWorld();
  return { asked, gateway: createTestGateway(world, bootOperator(world, 1), { request, ...more }) };
}

describe('a long list of consumers', () => {
  it('is put together from the answers that the broker carries', async () => {
    const pages = [{ consumers: [consumerOf('mail')], nextAfter: 'mail' }, { consumers: [consumerOf('storage')] }];
    const asked: unknown[] = [];
    const request: Peers['request'] = async (_subject, body) => ok(pages[asked.push(body) - 1] as never);
    const { gateway } = await open({ request });
    const { consumers } = (await gateway.request('GET', base)).json<{ consumers: { name: string }[] }>();
    expect(consumers.map(({ name }) => name)).toEqual(['mail', 'storage']);
    expect(asked).toEqual([{}, { after: 'mail' }]);
    asked.length = 0;
    expect((await gateway.request('GET', `${base}/storage`, storage)).status).toBe(200);
  });

  it('is not known while one of them does not come', async () => {
    let asked = 0;
    const request: Peers['request'] = async () =>
      (asked += 1) === 1
        ? ok({ consumers: [consumerOf('mail')], nextAfter: 'mail' } as never)
        : refused({ code: 'timeout', message: 'no answer' } as never);
    expect((await (await open({ request })).gateway.request('GET', base)).status).toBe(503);
  });
});

describe('a consumer team', () => {
  it('reads the registration of its consumer with what the broker says of it', async () => {
    const counts = { pending: 3, ackPending: 1, redelivered: 0, waiting: 1 };
    const durables = [
      { durable: 'mail', ...counts, pending: 9 },
      { durable: 'storage', ...counts },
    ];
    const streamStates = async () => [{ stream: 'TENANT_LIFECYCLE', durables }] as never;
    const { gateway } = await open({ connected: () => true, streamStates });
    const answer = await gateway.request('GET', `${base}/storage`, storage);
    expect([answer.status, answer.json()]).toEqual([
      200,
      { consumer: consumerOf('storage'), lag: { durable: 'present', ...counts } },
    ]);
    const away = await open({ connected: () => false });
    expect((await away.gateway.request('GET', `${base}/storage`, storage)).json()).toEqual({
      consumer: consumerOf('storage'),
    });
  });

  it('reads the deliveries to its consumer alone, whatever it asks for beside', async () => {
    const { gateway, asked } = await open();
    const answer = await gateway.request('GET', `${base}/storage/deliveries?status=pending&limit=5`, storage);
    expect([answer.status, answer.json()]).toEqual([200, { deliveries: [deliveryTo('storage')] }]);
    expect(asked).toEqual([
      [lifecycleRequests.deliveries, { consumer: 'storage', status: 'pending', order: 'newest', limit: 5 }],
    ]);
    expect((await gateway.request('GET', `${base}/storage/deliveries?consumer=mail`, storage)).status).toBe(400);
    expect(asked).toHaveLength(1);
  });

  it.each(['test', 'replay', 'cancel_replay'])('asks for %s in its own name', async (action) => {
    const { gateway, asked } = await open();
    const since = action === 'replay' ? { since: '2026-01-01T00:00:00.000Z' } : {};
    const body = { requestId: 'req-1', action, reason: 'we restored our store', ...since };
    const answer = await gateway.request('POST', `${base}/storage/actions`, { ...storage, email: 's@t.example', body });
    expect(answer.status).toBe(200);
    expect(asked).toEqual([[lifecycleRequests.act, { ...body, consumer: 'storage', by: 's@t.example' }]]);
  });

  it.each(['pause', 'resume'])('is refused a %s, which would hold the platform’s operations', async (action) => {
    const { gateway, asked } = await open();
    const body = { requestId: 'req-1', action, reason: 'we move our store' };
    const others = [storage, { role: 'viewer', consumers: ['storage'] }, { role: 'support' }] as const;
    for (const caller of others) {
      const answer = await gateway.request('POST', `${base}/storage/actions`, { ...caller, body });
      expect([answer.status, answer.json<{ code: string }>().code]).toEqual([403, 'forbidden']);
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ['GET', (name: string) => `${base}/${name}`],
    ['GET', (name: string) => `${base}/${name}/deliveries`],
    ['POST', (name: string) => `${base}/${name}/actions`],
  ] as const)('%s of another team’s consumer tells what one tells that never was', async (method, path) => {
    const { gateway, asked } = await open();
    const body = method === 'POST' ? { requestId: 'req-1', action: 'test', reason: 'to look' } : undefined;
    const told = async (name: string) => {
      const { status, text } = await gateway.request(method, path(name), { ...storage, ...(body && { body }) });
      return [status, text.replaceAll(name, '…').replace(/"requestId":"[^"]+"/, '')];
    };
    const [there, absent] = [await told('mail'), await told('no-such-consumer')];
    expect([there[0], there]).toEqual([404, absent]);
    expect(asked).toEqual([]);
  });

  it.each([base, '/api/saas/lifecycle/deliveries', '/api/saas/streams', '/api/saas/workspaces', '/api/saas/activity'])(
    'sees nothing at %s',
    async (path) => {
      const { gateway, asked } = await open();
      expect((await gateway.request('GET', path, storage)).status).toBe(403);
      expect(asked).toEqual([]);
    },
  );
});
