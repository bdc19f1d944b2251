/**
 * Changes that fall due with time: each is one operation with a fixed id, whichever process starts it and however
 * often.
 */
import { overtakenWrites } from '@platform/durable/testing';
import { chosenOperationIdSchema, operationIdSchema } from '@platform/contracts-operator';
import { accessOf } from '../../mirror/domain/access';
import type { Subscription } from '../../mirror/domain/subscription';
import {
  bootOperator,
  createOperatorWorld,
  tenant,
  withPendingChange,
  type OperatorWorld,
} from '../../testing/operator-world';
import { createSituation } from '../testing/example-worlds';
import { runDueEnds } from './run-due-ends';
import { runOperation } from './run-operation';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A complimentary workspace whose free access ends in ten days. */
async function granted(change: Partial<Subscription> = {}): Promise<OperatorWorld> {
  const at = new Date('2026-01-11T00:00:00.000Z');
  return createOperatorWorld({
    planId: 'pro',
    isComplimentary: true,
    freeUntil: at,
    provider: { customerId: 'cus_acme' },
    ...change,
  });
}

const ended = (world: OperatorWorld) => world.operations().filter(({ _id }) => _id.startsWith('time-'));

describe('the end of free access', () => {
  it('is not begun before its date, and is one operation after it', async () => {
    const world = await granted();
    const life = bootOperator(world, 1);
    expect(await runDueEnds(life.ports)).toEqual({ started: 0, succeeded: 0 });
    expect(accessOf(world.subscription()!)).toMatchObject({ state: 'open' });
    world.clock.advance(400 * dayMs);
    expect(await runDueEnds(life.ports)).toEqual({ started: 1, succeeded: 1 });
    expect(await runDueEnds(life.ports)).toEqual({ started: 0, succeeded: 0 });
    expect(ended(world)).toMatchObject([
      {
        action: 'end_free_access',
        status: 'succeeded',
        actor: { id: 'time' },
        reason: 'Free access was granted until 2026-01-11T00:00:00.000Z',
        values: { freeUntil: '2026-01-11T00:00:00.000Z' },
        result: { status: 'cancelled' },
      },
    ]);
    expect(accessOf(world.subscription()!)).toMatchObject({ state: 'closed', reason: 'cancelled' });
    expect(world.subscription()).not.toHaveProperty('freeUntil');
  });

  it('leaves a plan that costs nothing open', async () => {
    const world = await granted({ planId: 'free' });
    world.clock.advance(400 * dayMs);
    await runDueEnds(bootOperator(world, 1).ports);
    expect(world.subscription()).toMatchObject({ status: 'active', isComplimentary: false });
  });

  it('is one operation of two replicas that look at the same moment', async () => {
    const world = await granted();
    world.clock.advance(400 * dayMs);
    const replicas = [1, 2, 3].map((incarnation) => bootOperator(world, incarnation));
    const reports = await Promise.all(replicas.map(({ ports }) => runDueEnds(ports)));
    expect(reports.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBeGreaterThan(0);
    expect(ended(world)).toHaveLength(1);
    expect(ended(world)[0]).toMatchObject({ status: 'succeeded', attempts: { length: 1 } });
  });

  it('does not end a grant that was prolonged after it was looked at', async () => {
    const world = await granted();
    world.clock.advance(400 * dayMs);
    const life = bootOperator(world, 1);
    const later = new Date(world.clock.now().getTime() + 10 * dayMs);
    const findById: typeof life.ports.operations.findById = async (id) => {
      // Between the read of the workspace and the operation, a person extends the grant.
      const read = world.subscription()!;
      if (read.freeUntil?.getTime() !== later.getTime())
        await life.ports.subscriptions.mutate(read, { ...read, freeUntil: later });
      return life.ports.operations.findById(id);
    };
    await runDueEnds({ ...life.ports, operations: { ...life.ports.operations, findById } });
    expect(world.subscription()).toMatchObject({ isComplimentary: true, freeUntil: later, status: 'active' });
    expect(ended(world)).toMatchObject([{ status: 'failed', error: { code: 'no_free_access' } }]);
  });

  it('waits while another operation holds the workspace, and while it is suspended, without writing anything', async () => {
    const held = { operationId: 'op-other-0001', kind: 'checkout', requestedAt: new Date(0) } as const;
    for (const change of [{ transition: held }, { status: 'suspended' as const }]) {
      const world = await granted(change);
      world.clock.advance(400 * dayMs);
      expect(await runDueEnds(bootOperator(world, 1).ports)).toEqual({ started: 0, succeeded: 0 });
      expect(ended(world)).toEqual([]);
    }
  });

  it('is left to people when the process that ran it is gone: no process takes it over, whatever time passes', async () => {
    const world = await granted();
    world.clock.advance(400 * dayMs);
    const dying = bootOperator(world, 1);
    const mutate: typeof dying.ports.subscriptions.mutate = () => new Promise(() => undefined);
    void runDueEnds({ ...dying.ports, subscriptions: { ...dying.ports.subscriptions, mutate } });
    await new Promise((settled) => setTimeout(settled, 10));
    expect(ended(world)).toMatchObject([{ status: 'running' }]);
    const before = ended(world);
    world.clock.advance(30 * dayMs);
    expect(await runDueEnds(bootOperator(world, 2).ports)).toEqual({ started: 0, succeeded: 0 });
    expect(ended(world)).toEqual(before);
    expect(world.store.quarantined()).toEqual([]);
  });

  it('begins again under the next id when the first failed for good, and not before', async () => {
    const world = await granted();
    world.clock.advance(400 * dayMs);
    const life = bootOperator(world, 1);
    await runDueEnds({ ...life.ports, subscriptions: overtakenWrites(life.ports.subscriptions) });
    expect(ended(world)).toMatchObject([{ status: 'failed', error: { code: 'transition_pending' } }]);
    world.clock.advance(23 * hourMs);
    expect(await runDueEnds(life.ports)).toEqual({ started: 1, succeeded: 1 });
    expect(ended(world).map(({ _id, status }) => [_id.slice(-2), status])).toEqual([
      ['-1', 'failed'],
      ['-2', 'succeeded'],
    ]);
  });

  it('cannot be forestalled by a caller who guesses its id', async () => {
    const world = await granted();
    world.clock.advance(400 * dayMs);
    await runDueEnds(bootOperator(world, 1).ports);
    const [{ _id } = { _id: '' }] = ended(world);
    expect(operationIdSchema.safeParse(_id).success).toBe(true);
    expect(chosenOperationIdSchema.safeParse(_id).success).toBe(false);
  });
});

describe('the end of a cancelled period', () => {
  it('is recorded when the provider shows it and no event has reported it', async () => {
    const world = await createSituation('subscribed');
    const { ports } = bootOperator(world, 1);
    const cancel = { operationId: 'op-cancel-0001', tenantId: tenant, action: 'cancel_subscription' } as const;
    await runOperation(ports, { ...cancel, values: {}, actor: { id: 'owner' } });
    world.clock.advance(40 * dayMs);
    // The end's date has come, and the provider has not carried it out yet.
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
    expect(ended(world)).toEqual([]);
    await world.provider.prepare({ operationId: 'outside' }, { step: 'cancel_now', subscriptionId: 'sub_acme' }).send();
    expect(await runDueEnds(ports)).toEqual({ started: 1, succeeded: 1 });
    expect(ended(world)).toMatchObject([{ action: 'record_subscription_end', status: 'succeeded' }]);
    expect(accessOf(world.subscription()!)).toMatchObject({ state: 'closed', reason: 'cancelled' });
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
  });
});

describe('the end of a cancelled period that a person has withdrawn at the provider', () => {
  it('leaves the mirror when its date has come, also where the event was lost', async () => {
    const world = await createSituation('subscribed');
    const { ports } = bootOperator(world, 1);
    const cancel = { operationId: 'op-cancel-0001', tenantId: tenant, action: 'cancel_subscription' } as const;
    await runOperation(ports, { ...cancel, values: {}, actor: { id: 'owner' } });
    await world.provider
      .prepare({ operationId: 'outside' }, { step: 'keep_after_period', subscriptionId: 'sub_acme' })
      .send();
    world.clock.advance(40 * dayMs);
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
    expect(ended(world)).toEqual([]);
    expect(world.subscription()).toMatchObject({ status: 'active' });
    expect(world.subscription()).not.toHaveProperty('cancelsAt');
  });
});

describe('a plan change that has landed', () => {
  it('is recorded when the provider shows it and no event has reported it', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    const { ports } = bootOperator(world, 1);
    world.clock.advance(40 * dayMs);
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
    world.provider.landScheduledChange(world.subscription()!.provider.scheduleId!);
    expect(await runDueEnds(ports)).toEqual({ started: 1, succeeded: 1 });
    expect(world.subscription()).toMatchObject({ planId: 'pro' });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
  });

  it('leaves the mirror when a person has dropped it at the provider, also where the event was lost', async () => {
    const world = await createOperatorWorld();
    await withPendingChange(world);
    const { ports } = bootOperator(world, 1);
    const { scheduleId } = world.subscription()!.provider;
    const release = { step: 'release_schedule', scheduleId: scheduleId! } as const;
    await world.provider.prepare({ operationId: 'outside' }, release).send();
    world.clock.advance(40 * dayMs);
    expect(await runDueEnds(ports)).toEqual({ started: 0, succeeded: 0 });
    expect(world.subscription()).toMatchObject({ planId: 'starter', status: 'active' });
    expect(world.subscription()).not.toHaveProperty('pendingPlan');
  });
});
