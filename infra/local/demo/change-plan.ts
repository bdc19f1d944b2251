/**
 * Change the plan: the platform owner upgrades at once; the workspace's owner changes it at the period's end, and drops
 * that change again.
 */
import type { AdminState, OperationView } from '@platform/contracts-operator';
import type { Chapter, Stage } from './stage';

async function stateOf({ owner, tenantId }: Stage): Promise<AdminState> {
  return (await owner.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;
}

async function upgrade(stage: Stage): Promise<void> {
  const { gateway, twin, tenantId } = stage;
  const path = `/api/saas/workspaces/${tenantId}/upgrade`;
  const operationId = stage.operationId('upgrade');
  const upgraded = await gateway.post<OperationView>(path, { operationId, planId: 'business' });
  stage.expect(
    'an upgrade from Pro to Business succeeds',
    upgraded.status === 200 && upgraded.body.status === 'succeeded',
    upgraded,
  );
  const state = await stateOf(stage);
  stage.expect(
    'the workspace is on the new plan',
    state.planId === 'business' && state.transition === undefined,
    state,
  );
  const effects = await twin.effects(operationId);
  stage.expect('the provider was changed exactly once', effects.length === 1, effects);
  const downwards = await gateway.post<{ code: string }>(path, {
    operationId: stage.operationId('upgrade-down'),
    planId: 'starter',
  });
  stage.expect(
    'a cheaper plan is not an upgrade and is refused',
    downwards.status === 409 && downwards.body.code === 'not_an_upgrade',
    downwards,
  );
}

async function changeLater(stage: Stage): Promise<void> {
  const { owner, tenantId } = stage;
  const path = `/api/saas/workspaces/${tenantId}/plan`;
  const planned = await owner.put<OperationView>(path, {
    operationId: stage.operationId('plan-later'),
    planId: 'starter',
  });
  stage.expect(
    'the owner plans the change to Starter for the end of the period',
    planned.status === 200 && planned.body.status === 'succeeded',
    planned,
  );
  const waiting = await stateOf(stage);
  stage.expect(
    'it is pending; the plan is still Business',
    waiting.pendingPlan?.planId === 'starter' && waiting.planId === 'business',
    waiting,
  );
  const dropped = await owner.delete<OperationView>(`${path}/pending`, { operationId: stage.operationId('plan-drop') });
  stage.expect('the owner drops it again', dropped.status === 200 && dropped.body.status === 'succeeded', dropped);
  const after = await stateOf(stage);
  stage.expect('nothing is pending', after.pendingPlan === undefined && after.planId === 'business', after);
}

export const changePlan: Chapter = {
  title: 'Change the plan',
  play: async (stage) => {
    await upgrade(stage);
    await changeLater(stage);
  },
};
