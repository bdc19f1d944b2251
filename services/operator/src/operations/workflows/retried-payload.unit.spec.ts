/**
 * A repeat sends the same payload, whatever has happened to the workspace meanwhile (workflows §1): path and digest of
 * every call equal those of the first attempt, for every action. Each attempt names its requester.
 */
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, tenant, type OperatorWorld } from '../../testing/operator-world';
import { actionsWithoutCalls, createSituation, spineExamples } from '../testing/example-worlds';
import { runOperation } from './run-operation';

/** An administrator, an event or another operation may change the record between two attempts like this. */
async function changeMirror(world: OperatorWorld): Promise<void> {
  const { ports } = bootOperator(world, 1);
  const former = await world.provider.retrieveSubscription('sub_acme');
  if (former.outcome === 'succeeded')
    world.provider.seed({
      customers: [{ id: 'cus_other' }],
      subscriptions: [{ ...former.value, id: 'sub_other', itemId: 'si_other', customerId: 'cus_other' }],
    });
  const read = (await ports.subscriptions.findById(tenant))!;
  const provider = { ...read.provider, subscriptionId: 'sub_other', itemId: 'si_other', customerId: 'cus_other' };
  await ports.subscriptions.mutate(read, { ...read, provider });
}

async function callsOf(world: OperatorWorld, operationId: string) {
  const operation = world.operations().find(({ _id }) => _id === operationId)!;
  return operation.attempts.map(({ providerCalls }) =>
    providerCalls.map(({ step, path, idempotencyKey, payloadDigest }) => ({
      step,
      path,
      idempotencyKey,
      payloadDigest,
    })),
  );
}

const sending = spineExamples.filter(({ request: { action } }) => !actionsWithoutCalls.has(action));

describe.each(sending.map((each) => [each.request.action, each] as const))(
  'the repeat of %s',
  (_action, { request, in: situation }) => {
    it('sends what the first attempt sent, and names who asked', async () => {
      const world = await createSituation(situation);
      const before = world.provider.sends().length;
      world.provider.failNext('rate_limited', { operationId: request.operationId });
      await runOperation(bootOperator(world, 1).ports, request);
      await deliverSettlements(world, bootOperator(world, 1));
      expect(world.provider.sends().length).toBeGreaterThan(before);
      // Actions that act after their receipts fail there, and do not read the changed workspace again.
      await changeMirror(world);
      await runOperation(bootOperator(world, 2).ports, { ...request, actor: { id: 'colleague' } });
      const attempts = await callsOf(world, request.operationId);
      const sent = attempts.filter((calls) => calls.length > 0);
      expect(sent.length).toBe(2);
      const [first, second] = sent;
      expect(second!.slice(0, first!.length)).toEqual(first);
      const asked = world.operations().find(({ _id }) => _id === request.operationId)!.attempts;
      expect(asked[0]!.actor).toEqual(request.actor);
      expect(asked.at(-1)!.actor).toEqual({ id: 'colleague' });
    });
  },
);
