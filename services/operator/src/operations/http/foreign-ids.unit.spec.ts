/** For the id of a record that the caller may not read, the answer says only that the id is taken. */
import { actionPath, contractOf, operationActions } from '@platform/contracts-operator';
import { bootOperator, tenant } from '../../testing/operator-world';
import type { Subscription } from '../../mirror/domain/subscription';
import { createTestGateway } from '../../testing/test-gateway';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { runOperation } from '../workflows/run-operation';

const ownersActions = operationActions.filter((action) => contractOf(action).startedBy === 'workspace_owner');

describe.each(ownersActions)('the id of another record, given to %s by the owner of a workspace', (action) => {
  it.each([
    ['of another workspace', { tenantId: 'globex' }],
    ['that a platform owner made in this workspace', { tenantId: tenant }],
  ])('%s tells nothing of it', async (_whose, { tenantId }) => {
    const world = await createSituation(contractOf(action).example.in);
    const life = bootOperator(world, 1);
    const values = { amountCents: 77_700, reason: 'a secret reason' };
    if (tenantId !== tenant)
      await life.ports.subscriptions.insert({ ...(world.subscription() as Subscription), _id: tenantId });
    await runOperation(life.ports, {
      operationId: 'op-taken-0001',
      tenantId,
      action: 'credit_customer',
      values,
      actor: { id: 'owner@platform.example' },
    });
    const answer = await createTestGateway(world, life).request(
      contractOf(action).method,
      actionPath(action).replace(':tenantId', tenant),
      { role: 'user', body: { operationId: 'op-taken-0001', ...exampleRequest(action).values } },
    );
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'operation_id_reused' });
    expect(answer.text).not.toMatch(/globex|credit_customer|77700|secret|owner@/);
    expect(answer.headers['location']).toBeUndefined();
  });
});
