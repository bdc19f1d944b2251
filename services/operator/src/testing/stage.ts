/** One workspace with its test world and its gateway, and the requests that the gateway's suites send. */
import type { Subscription } from '../mirror/domain/subscription';
import { bootOperator, createOperatorWorld, type OperatorLife, type OperatorWorld } from './operator-world';
import { createTestGateway, type TestGateway } from './test-gateway';

export interface Stage {
  readonly world: OperatorWorld;
  readonly life: OperatorLife;
  readonly gateway: TestGateway;
}

export async function setStage(workspace: Partial<Subscription> = {}): Promise<Stage> {
  const world = await createOperatorWorld(workspace);
  const life = bootOperator(world, 1);
  return { world, life, gateway: createTestGateway(world, life) };
}

export const base = '/api/saas/workspaces/acme';
export const credit = { operationId: 'op-credit-0001', amountCents: 500, reason: 'outage' };
export const post = ({ gateway }: Stage, segment: string, body: unknown, headers?: Record<string, string>) =>
  gateway.request('POST', `${base}/${segment}`, { body, ...(headers && { headers }) });
