/** An attempt that loses the race for the subscription is judged once more, or ends; it takes nothing that is not its own. */
import { losingWrites, onlyThe, overtakenWrites } from '@platform/durable/testing';
import { accessOf } from '../../mirror/domain/access';
import { bootOperator, createOperatorWorld, type OperatorWorld } from '../../testing/operator-world';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { recordEnd } from '../testing/record-end';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';

const suspend = exampleRequest('suspend');

/** The ports of an executor whose first write of the subscription is overtaken; `meanwhile` runs just before it. */
function racing(world: OperatorWorld, meanwhile: () => unknown = () => undefined): OperatorPorts {
  const { ports } = bootOperator(world, 1);
  const first = onlyThe(1);
  const subscriptions = overtakenWrites(ports.subscriptions, async () => {
    if (!first()) return false;
    await meanwhile();
    return true;
  });
  return { ...ports, subscriptions };
}

describe('an attempt that loses the race for the subscription', () => {
  it('takes the transition when it is still admitted', async () => {
    const world = await createOperatorWorld();
    expect((await runOperation(racing(world), suspend)).kind).toBe('unfinished');
    expect(world.subscription()).toMatchObject({ transition: { operationId: suspend.operationId, attempt: 1 } });
    expect(world.operations()).toMatchObject([{ attempts: { length: 1 } }]);
  });

  it('never closes access when people have ended its operation meanwhile', async () => {
    const world = await createOperatorWorld();
    const before = accessOf(world.subscription()!);
    const ports = racing(world, () => recordEnd(world, suspend.operationId, 'not_applied'));
    expect(await runOperation(ports, suspend)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'resolved_not_applied' } },
    });
    expect(accessOf(world.subscription()!)).toEqual(before);
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(world.provider.sends()).toEqual([]);
  });

  it('says that its record is gone, and takes nothing', async () => {
    const world = await createOperatorWorld();
    let gone = false;
    const ports = racing(world, () => (gone = true));
    const operations: OperatorPorts['operations'] = {
      ...ports.operations,
      findById: async (id) => (gone ? null : ports.operations.findById(id)),
    };
    expect(await runOperation({ ...ports, operations }, suspend)).toEqual({
      kind: 'store_unavailable',
      detail: expect.stringContaining('has disappeared') as string,
    });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(world.provider.sends()).toEqual([]);
  });

  it.each([
    ['is refused, and the change that has landed meanwhile is mirrored', false],
    ['says that its refusal could not be recorded', true],
  ])('%s', async (_what, unrecorded) => {
    const world = await createSituation('change_pending');
    const { scheduleId } = world.subscription()!.provider;
    const ports = racing(world, () => world.provider.landScheduledChange(scheduleId!));
    const operations = losingWrites(ports.operations, ({ status }) => unrecorded && status === 'failed');
    const answer = await runOperation({ ...ports, operations }, exampleRequest('drop_pending_change'));
    expect(answer).toMatchObject(
      unrecorded
        ? { kind: 'store_unavailable', detail: expect.stringContaining('could not be recorded') as string }
        : { kind: 'failed', operation: { error: { code: 'change_already_landed' } } },
    );
    expect(world.subscription()).toMatchObject({ planId: unrecorded ? 'starter' : 'pro' });
    expect(world.subscription()).not.toHaveProperty('transition');
  });
});
