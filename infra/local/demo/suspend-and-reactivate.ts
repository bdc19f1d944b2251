/** Suspend, then reactivate: access, collection at the provider, and the receipts of every required consumer. */
import type { AdminState } from '@platform/contracts-operator';
import type { Chapter, Stage } from './stage';

async function stateOf({ gateway, tenantId }: Stage): Promise<AdminState> {
  return (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;
}

async function requiredFor({ gateway }: Stage, transition: string): Promise<string[]> {
  const { body } = await gateway.get<{ consumers: { name: string; transitions: string[] }[] }>(
    '/api/saas/lifecycle/consumers',
  );
  return body.consumers
    .filter(({ transitions }) => transitions.includes(transition))
    .map(({ name }) => name)
    .sort();
}

const pagePath = '/dms/pages/shop/orders/stats/open-orders';

interface Action {
  readonly name: 'suspend' | 'reactivate';
  readonly transition: string;
  readonly status: string;
  readonly access: string;
}

async function act(stage: Stage, { name, transition, status, access }: Action): Promise<void> {
  const { gateway, twin, tenantId, builder } = stage;
  const operationId = stage.operationId(name);
  const answer = await gateway.post(`/api/saas/workspaces/${tenantId}/${name}`, { operationId });
  stage.expect(`${name} is accepted`, answer.status === 200 || answer.status === 202, answer);
  const operation = await gateway.settled(tenantId, operationId);
  stage.expect(`the operation ends as succeeded`, operation.status === 'succeeded', operation);
  const receipts = (operation.lifecycle?.receipts ?? []).map(({ consumer }) => consumer).sort();
  const required = await requiredFor(stage, transition);
  stage.expect(
    `the receipts of ${required.join(' and ') || 'nobody'} are its evidence`,
    required.length > 0 && JSON.stringify(receipts) === JSON.stringify(required),
    { receipts, required },
  );
  const page = await (await builder.readerOf(tenantId)).get<{ code?: string }>(pagePath);
  stage.expect(
    `a page of the workspace ${access === 'open' ? 'answers' : 'refuses, and says why'}`,
    access === 'open' ? page.status === 200 : page.status === 403 && page.body.code === 'workspace_closed',
    page,
  );
  const state = await stateOf(stage);
  stage.expect(
    `the workspace is ${status}, access is ${access}`,
    state.status === status && state.access.state === access,
    state,
  );
  stage.expect('no transition is left pending', state.transition === undefined, state);
  const effects = await twin.effects(operationId);
  stage.expect('the provider was changed exactly once', effects.length === 1, effects);
}

export const suspendAndReactivate: Chapter = {
  title: 'Suspend a workspace, then reactivate it',
  play: async (stage) => {
    await act(stage, { name: 'suspend', transition: 'suspended', status: 'suspended', access: 'closed' });
    await act(stage, { name: 'reactivate', transition: 'reactivation_requested', status: 'active', access: 'open' });
  },
};
