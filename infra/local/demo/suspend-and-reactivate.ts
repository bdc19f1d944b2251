/** Suspend, then reactivate: access, collection at the provider, and the receipts of every required consumer. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminState } from '@platform/contracts-operator';
import type { Answer } from './gateway-client';
import type { Chapter, Stage } from './stage';

async function stateOf({ gateway, tenantId }: Stage): Promise<AdminState> {
  return (await gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`)).body;
}

/** A consumer that has unregistered is listed, and nothing waits for it. */
export async function requiredFor({ gateway }: Stage, transition: string): Promise<string[]> {
  const { body } = await gateway.get<{ consumers: { name: string; status: string; transitions: string[] }[] }>(
    '/api/saas/lifecycle/consumers',
  );
  return body.consumers
    .filter(({ status, transitions }) => status === 'registered' && transitions.includes(transition))
    .map(({ name }) => name)
    .sort();
}

const pagePath = '/dms/pages/shop/orders/stats/open-orders';

/** After this time the chapter gives up; on an idle machine guards follow within a second. */
const givenUpAfterMs = 60_000;

interface Action {
  readonly name: 'suspend' | 'reactivate';
  readonly transition: string;
  readonly status: string;
  readonly access: string;
}

/**
 * The first answer that satisfies the condition, or the last one when none does in time, and after how many
 * milliseconds it came.
 */
async function untilHolds<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<[T, number]> {
  const begun = performance.now();
  for (;;) {
    const answer = await ask();
    const milliseconds = performance.now() - begun;
    if (holds(answer) || milliseconds >= givenUpAfterMs) return [answer, milliseconds];
    await delay(25);
  }
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
    `the receipts of ${required.join(' and ') || 'no consumer'} are its evidence`,
    required.length > 0 && JSON.stringify(receipts) === JSON.stringify(required),
    { receipts, required },
  );
  const follows = ({ status: answered, body }: Answer<{ code?: string }>): boolean =>
    access === 'open' ? answered === 200 : answered === 403 && body.code === 'workspace_closed';
  const reader = await builder.readerOf(tenantId);
  const [page, milliseconds] = await untilHolds(() => reader.get<{ code?: string }>(pagePath), follows);
  stage.expect(
    `a page of the workspace ${access === 'open' ? 'answers' : 'refuses and says why'} (after ${Math.round(milliseconds)} ms; the goal on an idle machine is a second)`,
    follows(page),
    { page, milliseconds },
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
