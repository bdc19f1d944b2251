/**
 * Requester and reason: every action accepts a reason, the record and its attempts keep it, and the operation, its case
 * and the activity show it. A repeat by another person for another reason is recorded with both.
 */
import {
  actionPath,
  contractOf,
  exampleValues,
  operationActions,
  type OperationAction,
  type OperationView,
} from '@platform/contracts-operator';
import { settle } from '@platform/testing';
import { describeOperation } from '../../cli/describe-operation';
import { bootOperator, tenant, type OperatorWorld } from '../../testing/operator-world';
import { createTestGateway } from '../../testing/test-gateway';
import { createSituation } from '../testing/example-worlds';

const why = 'asked for by telephone';
const again = 'the provider is back';
const [first, second] = ['ann@example.com', 'ben@example.com'];

async function asked(action: OperationAction, changes: readonly object[]) {
  const { method, startedBy, example } = contractOf(action);
  const world = await createSituation(example.in);
  const gateway = createTestGateway(world, bootOperator(world, 1));
  const role = startedBy === 'platform_owner' ? 'platform_owner' : 'user';
  for (const { email, reason, away } of changes as { email: string; reason: string; away?: true }[]) {
    world.provider.setDown(away === true);
    const path = actionPath(action).replace('{tenantId}', tenant).replace(':tenantId', tenant);
    const body = { operationId: example.operationId, ...exampleValues(action, { optional: true }), reason };
    await gateway.request(method, path, { role, email, body, headers: { prefer: 'wait=0' } });
    await settle();
  }
  world.provider.setDown(false);
  const read = await gateway.request('GET', `/api/saas/workspaces/${tenant}/operations/${example.operationId}`);
  const activity = await gateway.request('GET', `/api/saas/activity?workspace=${tenant}&limit=20`);
  return { view: read.json<OperationView>(), activity: activity.json<{ rows: object[] }>(), world };
}

/** Actions that need the provider first: while it is unreachable they fail provably, and can be repeated. */
const callsAtOnce = (action: OperationAction): boolean => !['reactivate', 'end_free_access'].includes(action);

/** What `ops operations show` prints of the operation that was asked for. */
const printed = (world: OperatorWorld, action: OperationAction): string =>
  describeOperation(
    world.operations().find((operation) => operation.action === action)!,
    {},
  );

describe.each(operationActions)('the action %s', (action) => {
  // The reason of a credit is one of its values, so another reason would be another credit.
  const reason = 'reason' in contractOf(action).values ? why : again;

  it('takes a reason, which its record, its attempt, the activity and ops show with the person', async () => {
    const { view, activity, world } = await asked(action, [{ email: first, reason: why }]);
    expect(printed(world, action)).toMatch(new RegExp(`^reason +${why}$`, 'mu'));
    expect(view).toMatchObject({ action, reason: why, actor: { email: first }, attempts: [{ reason: why }] });
    expect(JSON.stringify(activity)).toContain(why);
  });

  it('records who repeated it, and why, beside who asked first', async () => {
    const { view, world } = await asked(action, [
      { email: first, reason: why, away: true },
      { email: second, reason },
    ]);
    expect(view).toMatchObject({ reason: why, actor: { email: first } });
    expect(view.attempts).toHaveLength(callsAtOnce(action) ? 2 : 1);
    if (!callsAtOnce(action)) return;
    expect(view.attempts).toMatchObject([
      { actor: { email: first }, reason: why },
      { actor: { email: second }, reason },
    ]);
    expect(printed(world, action)).toMatch(new RegExp(`asked by ${second}: ${reason}$`, 'mu'));
  });
});
