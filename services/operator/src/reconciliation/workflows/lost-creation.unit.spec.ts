/** Who paid for a workspace that a restore has lost is not sold a second one before a person has looked at the first. */
import { attemptRequests, creationRequests, type AttemptView } from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import { attemptView } from '../../creations/testing/attempt-view';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import type { Subscription } from '../../mirror/domain/subscription';
import { createTestGateway } from '../../testing/test-gateway';
import { differencesOf, reconciliationPorts } from '../testing/reconciliation-world';
import { closeDifference } from './keep-differences';
import { reconcileSince } from './reconcile-since';

const body = {
  workspaceName: 'New',
  planId: 'starter',
  paymentMethodId: 'pm_card_visa',
  billingProfile: { name: 'New Ltd', country: 'GB' },
};

/**
 * A creation for `Ada@example.com` was made after the backup; the reconciliation has found what it left. Provisioning
 * has `standing` of it.
 */
async function restored(standing?: AttemptView['status'] | 'no answer') {
  const world = await createOperatorWorld();
  const backup = world.clock.now();
  world.clock.advance(60_000);
  const customer = { step: 'create_customer', email: 'Ada@example.com', name: 'Ada' } as const;
  const made = await world.provider.prepare({ operationId: 'lost-workspace' }, customer).send();
  if (made.outcome !== 'succeeded') throw new Error('the lost creation was not made');
  const ports = reconciliationPorts(world);
  await reconcileSince(ports, backup, { dryRun: false, progress: () => undefined });
  const asked: string[] = [];
  const life = bootOperator(world, 1);
  const gateway = createTestGateway(world, life, {
    request: async (subject, { tenantId }) => {
      if (subject === attemptRequests.read) {
        if (standing === 'no answer') return refused({ code: 'timeout', message: 'late' });
        return ok(standing === undefined ? {} : { attempt: attemptView(standing, String(tenantId)) });
      }
      asked.push(subject);
      return ok({ tenantId, status: 'committed', attempt: attemptView('committed', String(tenantId)) });
    },
  });
  const create = async (email: string) => {
    const { status, json } = await gateway.request('POST', '/api/saas/workspaces', { role: 'user', email, body });
    return [status, json<{ readonly code?: string }>().code];
  };
  const read = async (email: string, path = 'lost-workspace') => {
    const { status, json } = await gateway.request('GET', `/api/saas/workspaces/${path}/creation`, {
      role: 'user',
      email,
    });
    return { status, ...json<{ readonly code?: string; readonly detail?: string }>() };
  };
  return { world, ports, gatewayPorts: life.ports, customerId: made.value.id, asked, create, read };
}

describe('a person whose creation was lost with the records', () => {
  it('is refused another workspace, however the address is written, and other people are not', async () => {
    const { world, create, asked } = await restored();
    expect(differencesOf(world)).toMatchObject([{ kind: 'customer_unknown', operationId: 'lost-workspace' }]);
    expect(JSON.stringify(differencesOf(world)).toLowerCase()).not.toContain('ada@example.com');
    expect(await create('ada@example.com')).toEqual([409, 'reconciliation_required']);
    expect(asked).toEqual([]);
    expect(await create('bob@example.com')).toEqual([201, undefined]);
    expect(asked).toEqual([creationRequests.create]);
  });

  it('is served again when a person has closed the case', async () => {
    const { world, ports, create } = await restored();
    const end = { by: 'ann@example.com', reason: 'ended at the provider, and refunded' };
    expect((await closeDifference(ports, differencesOf(world)[0]!._id, end)).ok).toBe(true);
    expect(await create('ada@example.com')).toEqual([201, undefined]);
  });

  it.each<[string, (customerId: string) => Subscription['provider']]>([
    ['names the customer by now', (customerId) => ({ customerId })],
    ['has replaced the customer since', (customerId) => ({ customerId: 'cus_new', formerCustomerIds: [customerId] })],
  ])('was not lost when its workspace %s', async (_what, providerOf) => {
    const { world, gatewayPorts, customerId, create } = await restored();
    const acme = world.subscription()!;
    await gatewayPorts.subscriptions.insert({ ...acme, _id: 'lost-workspace', provider: providerOf(customerId) });
    expect(await create('ada@example.com')).toEqual([201, undefined]);
  });

  it.each<[AttemptView['status'], number, string | undefined]>([
    ['cancelled', 201, undefined],
    ['awaiting_payment', 201, undefined],
    ['reconciliation_required', 201, undefined],
    // It has a workspace, and the gateway has no record of that.
    ['committed', 409, 'reconciliation_required'],
  ])('whose record provisioning has as %s is answered %i', async (standing, status, code) => {
    const { create } = await restored(standing);
    expect(await create('ada@example.com')).toEqual([status, code]);
  });

  it('is refused nothing and sold nothing while provisioning does not answer', async () => {
    const { create, asked } = await restored('no answer');
    expect(await create('ada@example.com')).toEqual([503, 'peer_unavailable']);
    expect(asked).toEqual([]);
  });

  it('reads that it is not known what became of it, and no other person learns of it', async () => {
    const { read } = await restored();
    expect(await read('ada@example.com')).toMatchObject({
      status: 409,
      code: 'reconciliation_required',
      detail:
        'The payment provider has this creation, and the records lack it, as after a restore. A person looks at it.',
    });
    const none = { status: 404, code: 'not_found' };
    expect(await read('bob@example.com')).toMatchObject(none);
    const other = await read('ada@example.com', 'other-workspace');
    expect(other).toMatchObject(none);
    expect(other.detail).toContain('No record says that you have asked for a workspace with this id');
  });
});
