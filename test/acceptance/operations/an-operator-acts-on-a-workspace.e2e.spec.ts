/** The main job on the whole platform, as processes: HTTP in, the provider's twin and consumer services out. */
import type { AdminState, OperationView } from '@platform/contracts-operator';
import type { GatewayClient } from '../../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

/** Workspaces that only this suite uses, on the plans starter, pro and free. */
const [starter, pro, free] = ['acts-starter', 'acts-pro', 'acts-free'] as const;

let platform: SharedPlatform;
let gateway: GatewayClient;
let twin: TwinClient;

beforeAll(async () => {
  platform = await sharedPlatform();
  await platform.seed([
    { tenantId: starter, planId: 'starter' },
    { tenantId: pro, planId: 'pro' },
    { tenantId: free, planId: 'free' },
  ]);
  gateway = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  twin = createTwinClient(platform.twinUrl);
});

const act = <T = OperationView & Problem>(
  tenantId: string,
  action: string,
  body: unknown,
  headers?: Record<string, string>,
) => gateway.post<T>(`/api/saas/workspaces/${tenantId}/${action}`, body, headers);
/** The answer of an action that waits for receipts; a repeat returns the same from the record. */
const acted = async (tenantId: string, action: string, body: { readonly operationId: string }) => {
  const first = await act(tenantId, action, body, { prefer: 'wait=20' });
  if (first.status !== 202) return first;
  await gateway.settled(tenantId, body.operationId);
  return act(tenantId, action, body);
};
const adminState = async (tenantId: string) =>
  (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;

describe('suspension and reactivation of a workspace', () => {
  it('close access, tell every required consumer, and open access only with their receipts', async () => {
    const suspended = await acted(starter, 'suspend', { operationId: 'op-e2e-suspend' });
    expect(suspended).toMatchObject({ status: 200, body: { status: 'succeeded', result: { access: 'closed' } } });
    expect((await adminState(starter)).access).toMatchObject({ state: 'closed', operationId: 'op-e2e-suspend' });
    const evidence = await gateway.evidence(starter, 'op-e2e-suspend');
    expect(evidence.lifecycle.deliveries?.map(({ consumer, status }) => [consumer, status]).sort()).toEqual([
      ['search-index', 'succeeded'],
      ['storage', 'succeeded'],
    ]);
    expect(evidence.provider.objects).toMatchObject([{ kind: 'subscription', summary: { collectionPaused: true } }]);

    const reactivated = await acted(starter, 'reactivate', { operationId: 'op-e2e-reactivate' });
    expect(reactivated).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(reactivated.body.lifecycle?.receipts?.map(({ consumer }) => consumer)).toEqual(['storage']);
    expect(await adminState(starter)).toMatchObject({ status: 'active', access: { state: 'open' } });
    expect((await twin.effects('op-e2e-suspend')).length + (await twin.effects('op-e2e-reactivate')).length).toBe(2);
  });

  it('answers 202 with the address of the record when the caller does not wait', async () => {
    const started = await act(pro, 'suspend', { operationId: 'op-e2e-nowait' }, { prefer: 'wait=0' });
    expect(started.status).toBe(202);
    expect(started.headers.get('location')).toBe(`/api/saas/workspaces/${pro}/operations/op-e2e-nowait`);
    expect((await gateway.settled(pro, 'op-e2e-nowait')).status).toBe('succeeded');
  });

  it('refuses what does not apply, with a code and a record', async () => {
    expect(await act(free, 'reactivate', { operationId: 'op-e2e-not-susp' })).toMatchObject({
      status: 409,
      body: { code: 'not_suspended', operationId: 'op-e2e-not-susp' },
    });
    expect((await gateway.operation(free, 'op-e2e-not-susp')).status).toBe('failed');
  });
});

describe('balance credits', () => {
  it('have one effect however many identical requests race, and one each for different ids', async () => {
    const identical = await Promise.all(
      Array.from({ length: 50 }, () =>
        act(pro, 'balance-credit', { operationId: 'op-e2e-same-0001', amountCents: 100, reason: 'race' }),
      ),
    );
    const answers = new Set(identical.map(({ status, body }) => (status === 409 ? body.code : status)));
    // A request that arrives while the operation runs may be answered with that; every other request gets its outcome.
    answers.delete('operation_running');
    expect(answers).toEqual(new Set([200]));
    expect(await twin.effects('op-e2e-same-0001')).toHaveLength(1);

    const ids = Array.from({ length: 50 }, (_, at) => `op-e2e-each-${String(at).padStart(4, '0')}`);
    const different = await Promise.all(
      ids.map((operationId) => act(pro, 'balance-credit', { operationId, amountCents: 100, reason: 'each' })),
    );
    expect(different.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect((await Promise.all(ids.map((id) => twin.effects(id)))).map(({ length }) => length)).toEqual(
      ids.map(() => 1),
    );
  });

  it('answers a repeat from the record and names the value in which another request differs', async () => {
    const credit = { operationId: 'op-e2e-repeat', amountCents: 250, reason: 'goodwill' };
    const first = await act(pro, 'balance-credit', credit);
    expect((await act(pro, 'balance-credit', credit)).body.revision).toBe(first.body.revision);
    expect(await act(pro, 'balance-credit', { ...credit, amountCents: 300 })).toMatchObject({
      status: 409,
      body: { code: 'operation_id_reused', errors: [{ pointer: '/amountCents' }] },
    });
    expect(await act(starter, 'balance-credit', credit)).toMatchObject({
      status: 409,
      body: { code: 'operation_id_reused', errors: [{ pointer: '/path/tenantId' }] },
    });
    expect(await twin.effects('op-e2e-repeat')).toHaveLength(1);
  });
});

describe('bad input', () => {
  const credit = { operationId: 'op-e2e-bad-0001', amountCents: 100, reason: 'x' };
  it.each([
    ['an unknown field', { ...credit, force: true }, '/force'],
    ['a fraction of a cent', { ...credit, amountCents: 1.5 }, '/amountCents'],
    ['a negative amount', { ...credit, amountCents: -5 }, '/amountCents'],
    ['an amount beyond safe integers', { ...credit, amountCents: 2 ** 60 }, '/amountCents'],
    ['a text for a number', { ...credit, amountCents: '100' }, '/amountCents'],
    ['a blank reason', { ...credit, reason: '   ' }, '/reason'],
    ['a short id', { ...credit, operationId: 'short' }, '/operationId'],
    ['a missing id', { amountCents: 100, reason: 'x' }, '/operationId'],
  ])('with %s is refused with a pointer and leaves nothing behind', async (_what, body, pointer) => {
    const refused = await act(pro, 'balance-credit', body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(refused.body.errors.map((error) => error.pointer)).toContain(pointer);
    expect((await gateway.get(`/api/saas/workspaces/${pro}/operations/op-e2e-bad-0001`)).status).toBe(404);
  });

  it('gives way to an unknown workspace, a wrong role and a missing token, in the documented order', async () => {
    const broken = { force: true };
    expect(await act('nowhere', 'balance-credit', broken)).toMatchObject({ status: 404 });
    const user = createPatientClient(
      platform.gatewayUrl,
      await platform.token({ role: 'user', workspaces: { [pro]: 'owner' } }),
    );
    expect(await user.post(`/api/saas/workspaces/${pro}/balance-credit`, broken)).toMatchObject({ status: 403 });
    expect(
      await createPatientClient(platform.gatewayUrl, 'nonsense').post(
        `/api/saas/workspaces/${pro}/balance-credit`,
        broken,
      ),
    ).toMatchObject({ status: 401 });
    expect(await user.get(`/api/saas/workspaces/${pro}/admin-state`)).toMatchObject({ status: 200 });
    expect(await user.get(`/api/saas/workspaces/${starter}/admin-state`)).toMatchObject({ status: 404 });
  });
});

describe('inspection', () => {
  it('shows streams, durables and the outbox, consumers and deliveries', async () => {
    const streams = await gateway.get<{ streams: { stream: string }[]; outbox: { waiting: number }[] }>(
      '/api/saas/streams',
    );
    expect(streams.body.streams.map(({ stream }) => stream)).toEqual(
      expect.arrayContaining([
        'LIFECYCLE',
        'TENANT_LIFECYCLE',
        'TENANT_RECEIPTS',
        'LIFECYCLE_SETTLED',
        'ALERTS',
        'DEAD_LETTERS',
      ]),
    );
    const consumers = await gateway.get<{ consumers: { name: string }[] }>('/api/saas/lifecycle/consumers');
    // Another suite may have registered one more.
    const names = consumers.body.consumers.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['search-index', 'storage']));
    const deliveries = await gateway.get<{ deliveries: unknown[] }>(
      '/api/saas/lifecycle/deliveries?status=succeeded&limit=2',
    );
    expect(deliveries.body.deliveries).toHaveLength(2);
  });

  it('lists operations by status in pages that do not overlap', async () => {
    const first = await gateway.get<{ operations: OperationView[]; nextCursor: string }>(
      '/api/saas/operations?status=succeeded&limit=20',
    );
    const second = await gateway.get<{ operations: OperationView[] }>(
      `/api/saas/operations?status=succeeded&limit=20&cursor=${first.body.nextCursor}`,
    );
    const ids = [...first.body.operations, ...second.body.operations].map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(40);
    expect(await gateway.get('/api/saas/operations?cursor=nonsense')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('documents itself', async () => {
    const document = await gateway.get<{ openapi: string; paths: Record<string, unknown> }>('/openapi.json');
    expect(document.body.openapi).toBe('3.1.0');
    expect(Object.keys(document.body.paths)).toContain('/api/saas/workspaces/{tenantId}/suspend');
  });
});
