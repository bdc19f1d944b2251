/** What the holder of a transition writes to the mirror, and what it leaves to others. */
import { losingWrites } from '@platform/durable/testing';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { holdsTransition, type Subscription } from '../domain/subscription';
import { mirrorRefreshesCollection } from '../store/mirror-refreshes';
import { clearLeftTransition, mirrorWhileHeld } from './held-transition';

const transition = { operationId: 'op-holder-00001', kind: 'change_plan', requestedAt: new Date(0) } as const;
const isHeld = (subscription: Subscription) => holdsTransition(subscription, transition.operationId);
const patch = { planId: 'pro' } as const;

async function open(change: Partial<Subscription> = { transition }) {
  const world = await createOperatorWorld(change);
  const { ports } = bootOperator(world, 1);
  const asked: string[] = [];
  const { subscriptions } = ports;
  const watched: typeof ports = {
    ...ports,
    subscriptions: {
      ...subscriptions,
      findById: (id) => (asked.push('read'), subscriptions.findById(id)),
      mutate: (...write) => (asked.push('write'), subscriptions.mutate(...write)),
    },
  };
  const notes = () => world.store.collection(mirrorRefreshesCollection).all();
  return { world, ports: watched, asked, notes };
}

describe('the mirror under a transition', () => {
  it('is written by the holder, and the transition remains', async () => {
    const { world, ports, asked } = await open();
    const mirrored = await mirrorWhileHeld(ports, { tenantId: tenant }, isHeld, patch);
    expect(mirrored).toEqual({ kind: 'written', subscription: world.subscription() });
    expect(world.subscription()).toMatchObject({ planId: 'pro', transition });
    expect(asked).toEqual(['read', 'write']);
  });

  it('is written over what the holder has just read, without another reading', async () => {
    const { world, ports, asked } = await open();
    await mirrorWhileHeld(ports, { tenantId: tenant, read: world.subscription() }, isHeld, patch);
    expect(world.subscription()?.planId).toBe('pro');
    expect(asked).toEqual(['write']);
  });

  it.each([
    ['whose transition is gone', tenant, {}],
    ['whose workspace is gone', 'other', { transition }],
  ])('is not written by an executor %s', async (_which, tenantId, change) => {
    const { ports, asked } = await open(change);
    expect(await mirrorWhileHeld(ports, { tenantId }, isHeld, patch)).toEqual({ kind: 'fenced_off' });
    expect(asked).toEqual(['read']);
  });

  it('is not known to be written while the store does not answer', async () => {
    const { world, ports } = await open();
    world.store.setAvailable(false);
    expect(await mirrorWhileHeld(ports, { tenantId: tenant }, isHeld, patch)).toEqual({ kind: 'store_unavailable' });
  });
});

describe('the end of a transition', () => {
  const refresh = { eventId: 'operation:op-holder-00001', reason: 'operation' } as const;
  const renamed = ({ workspaceName }: Subscription) => ({ planId: `plan of ${workspaceName}` });

  it('is written with the last change of its holder', async () => {
    const { world, ports, asked, notes } = await open();
    expect(await clearLeftTransition(ports, { tenantId: tenant }, isHeld, renamed)).toBe(true);
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(world.subscription()?.planId).toBe('plan of Acme');
    expect([asked, notes()]).toEqual([['read', 'write'], []]);
  });

  it('is written over what the holder has just read, without another reading', async () => {
    const { world, ports, asked } = await open();
    const held = { tenantId: tenant, read: world.subscription() };
    expect(await clearLeftTransition(ports, held, isHeld, renamed)).toBe(true);
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(asked).toEqual(['write']);
  });

  it.each([
    ['it was cleared already', tenant, {}],
    ['the workspace is gone', 'other', { transition }],
    ['another operation holds the workspace', tenant, { transition: { ...transition, operationId: 'op-other-00001' } }],
  ])('needs nothing when %s', async (_when, tenantId, change) => {
    const { world, ports, asked, notes } = await open(change);
    const before = world.subscription();
    expect(await clearLeftTransition(ports, { tenantId }, isHeld, renamed, refresh)).toBe(true);
    expect(world.subscription()).toEqual(before);
    expect([asked, notes()]).toEqual([['read'], []]);
  });

  it('comes after the note to read the mirror again, so that a crash in between loses nothing', async () => {
    const { ports, notes } = await open();
    const subscriptions: typeof ports.subscriptions = {
      ...ports.subscriptions,
      mutate: async () => {
        throw new Error('this process is gone');
      },
    };
    const clearing = clearLeftTransition({ ...ports, subscriptions }, { tenantId: tenant }, isHeld, renamed, refresh);
    await expect(clearing).rejects.toThrow('this process is gone');
    expect(notes()).toMatchObject([{ _id: tenant, ...refresh }]);
    expect(await clearLeftTransition(ports, { tenantId: tenant }, isHeld, renamed, refresh)).toBe(true);
  });

  it('waits for the note: the transition remains while it cannot be made', async () => {
    const { world, ports } = await open();
    const refreshes = losingWrites(ports.refreshes);
    const held = { tenantId: tenant };
    expect(await clearLeftTransition({ ...ports, refreshes }, held, isHeld, renamed, refresh)).toBe(false);
    expect(world.subscription()).toMatchObject({ transition, planId: 'starter' });
  });

  it('is not known while the store does not answer', async () => {
    const { world, ports } = await open();
    world.store.setAvailable(false);
    expect(await clearLeftTransition(ports, { tenantId: tenant }, isHeld, renamed)).toBe(false);
  });
});
