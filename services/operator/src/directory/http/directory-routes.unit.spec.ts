import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { workspaceDetailSchema, workspacePageSchema, type WorkspacePage } from '@platform/contracts-operator';
import { attemptRequests } from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import { attemptView } from '../../creations/testing/attempt-view';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { createTestGateway, type Peers } from '../../testing/test-gateway';
import { runOperation } from '../../operations/workflows/run-operation';
import { dashboardModeOf, dashboardUrl } from '../domain/dashboard';
import { exampleWorkspaces } from './directory-examples';

const path = '/api/saas/workspaces';

async function open(peers?: Peers) {
  const world = await createOperatorWorld({ owner: { userId: 'u1', email: 'ann@acme.example' } });
  const life = bootOperator(world, 1);
  // The test world wrote the record directly, without search keys; its next write adds them.
  const subscription = world.subscription()!;
  await life.ports.subscriptions.mutate(subscription, { ...subscription, planId: 'starter' });
  return { world, life, gateway: createTestGateway(world, life, peers) };
}

describe('the directory over HTTP', () => {
  it('finds a workspace by what people know of it, with what they need next', async () => {
    const { gateway } = await open();
    const answer = await gateway.request('GET', `${path}?query=ann@acme.example`);
    expect(answer.status).toBe(200);
    expect(workspacePageSchema.parse(answer.json())).toMatchObject({
      found: 'beginning',
      workspaces: [
        {
          tenantId: tenant,
          workspaceName: 'Acme',
          owner: { userId: 'u1', email: 'ann@acme.example' },
          planId: 'starter',
          status: 'active',
          access: { state: 'open' },
          provider: { customerId: 'cus_acme', subscriptionId: 'sub_acme' },
        },
      ],
    });
  });

  it.each(['limit=101', 'limit=0', 'order=upwards', 'status=odd', 'plan=No', 'cursor=x', 'query=', 'what=1'])(
    'refuses %s by its name',
    async (query) => {
      const { gateway } = await open();
      const answer = await gateway.request('GET', `${path}?${query}`);
      expect(answer.status).toBe(400);
      expect((answer.json() as { errors: { pointer: string }[] }).errors[0]!.pointer).toBe(
        `/query/${query.split('=')[0]!}`,
      );
    },
  );

  it.each(['', `/${tenant}`, '/absent'])('tells others nothing of %s', async (of) => {
    const { gateway } = await open();
    const answer = await gateway.request('GET', `${path}${of}`, { role: 'user' });
    expect({ status: answer.status, body: answer.json() }).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(answer.text).not.toMatch(/cus_acme|ann@|Acme/);
    expect((await gateway.request('GET', `${path}${of}`, { role: 'anonymous' })).status).toBe(401);
  });

  it('shows examples that its own schema accepts', () =>
    expect(workspacePageSchema.parse(exampleWorkspaces) satisfies WorkspacePage).toEqual(exampleWorkspaces));
});

describe('one workspace over HTTP', () => {
  it('says which parts were not answered, and shows the rest', async () => {
    const { gateway, life } = await open();
    const request = { operationId: 'op-suspend-01', tenantId: tenant, action: 'suspend', values: {} } as const;
    await runOperation(life.ports, { ...request, actor: { id: 'p' } });
    const answer = await gateway.request('GET', `${path}/${tenant}`);
    expect(answer.status).toBe(200);
    expect(workspaceDetailSchema.parse(answer.json())).toMatchObject({
      workspace: { tenantId: tenant },
      state: { access: { state: 'closed', reason: 'suspended' } },
      operations: [{ operationId: 'op-suspend-01' }],
      creation: { state: 'unavailable' },
      deliveries: { state: 'unavailable' },
      invoice: { state: 'unavailable' },
      provider: { mode: 'test', customerUrl: 'https://dashboard.stripe.com/test/customers/cus_acme' },
    });
  });

  it('shows what the other services and the provider answer', async () => {
    const peers: Peers = {
      request: async (subject) => {
        if (subject === attemptRequests.read)
          return ok({ attempt: { ...attemptView('committed', tenant), handles: { invoiceId: 'in_absent' } } });
        if (subject === lifecycleRequests.operation) return ok({ deliveries: [] });
        return refused({ code: 'no_responders' as const, message: 'no responders' });
      },
    };
    const { gateway } = await open(peers);
    const detail = workspaceDetailSchema.parse((await gateway.request('GET', `${path}/${tenant}`)).json());
    expect(detail).toMatchObject({
      creation: { state: 'known', value: { outcome: 'created' } },
      deliveries: { state: 'none' },
      invoice: { state: 'none' },
    });
  });

  it('is not found where there is none', async () => {
    const { gateway } = await open();
    expect((await gateway.request('GET', `${path}/absent`)).status).toBe(404);
  });
});

describe('addresses in the dashboard of the provider', () => {
  it.each([
    [{ secretKey: 'sk_test_x' }, 'test', 'https://dashboard.stripe.com/test/invoices/in_1'],
    [{ secretKey: 'rk_live_x' }, 'live', 'https://dashboard.stripe.com/invoices/in_1'],
    [{ secretKey: 'sk_live_x', apiBase: 'http://127.0.0.1:7020' }, 'none', undefined],
  ])('of %j are those of %s mode', (provider, mode, url) => {
    expect(dashboardModeOf(provider)).toBe(mode);
    expect(dashboardUrl(dashboardModeOf(provider), 'invoices', 'in_1')).toBe(url);
  });
});
