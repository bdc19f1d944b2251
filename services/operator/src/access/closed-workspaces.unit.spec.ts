/**
 * What the members of a closed workspace may still do at the gateway, listed by hand and not derived from the
 * definitions.
 */
import {
  actionPath,
  actionsStartedBy,
  contractOf,
  exampleValues,
  type OperationAction,
} from '@platform/contracts-operator';
import type { Subscription } from '../mirror/domain/subscription';
import { base, credit, post, setStage } from '../testing/stage';

const at = new Date('2025-06-01T00:00:00.000Z');
const closed = { state: 'closed', since: at, operationId: 'op-suspend-1' } as const;

const situations: readonly (readonly [string, string, Partial<Subscription>])[] = [
  ['suspended', 'suspended', { status: 'suspended', access: closed }],
  ['being suspended', 'suspended', { status: 'active', access: closed }],
  ['whose subscription has ended', 'cancelled', { status: 'cancelled' }],
  ['that was never paid for', 'unpaid', { status: 'pending_payment' }],
];

/** Reopens a workspace, so a closed workspace does not refuse it. */
const allowed: readonly OperationAction[] = ['checkout'];

async function ask(action: OperationAction, workspace: Partial<Subscription>) {
  const stage = await setStage(workspace);
  const answer = await stage.gateway.request(
    contractOf(action).method,
    actionPath(action).replace(':tenantId', 'acme'),
    { role: 'user', body: { operationId: contractOf(action).example.operationId, ...exampleValues(action) } },
  );
  return { stage, answer, body: answer.json<{ code?: string; access?: string }>() };
}

describe.each(situations)('in a workspace %s', (_what, reason, workspace) => {
  it.each(actionsStartedBy('workspace_owner').filter((action) => !allowed.includes(action)))(
    '%s is refused before anything is sent',
    async (action) => {
      const { stage, answer, body } = await ask(action, workspace);
      expect([answer.status, body.code, body.access]).toEqual([403, 'workspace_closed', reason]);
      expect(stage.world.provider.ledger()).toEqual([]);
      expect(stage.world.subscription()).not.toHaveProperty('transition');
    },
  );

  it.each(allowed)('%s is not refused for that', async (action) => {
    expect((await ask(action, workspace)).body.code).not.toBe('workspace_closed');
  });

  it('its owner reads why', async () => {
    const { gateway } = await setStage(workspace);
    const state = await gateway.request('GET', `${base}/admin-state`, { role: 'user' });
    expect([state.status, state.json<{ access: object }>().access]).toEqual([
      200,
      expect.objectContaining({ state: 'closed', reason }),
    ]);
  });

  it('the platform acts as before', async () => {
    expect((await post(await setStage(workspace), 'balance-credit', credit)).status).toBe(200);
  });
});
