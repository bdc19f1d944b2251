import { losingWrites } from '@platform/durable/testing';
import type { WorkspaceCommitted } from '@platform/contracts-provisioning';
import { bootEvents } from '../../provider-events/testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import { mirrorWorkspace } from './mirror-workspace';

const provider = { customerId: 'cus_new', subscriptionId: 'sub_new', itemId: 'si_new' };
const committed = (over: Partial<WorkspaceCommitted> = {}): WorkspaceCommitted => ({
  tenantId: 'newcomer',
  workspaceName: 'Newcomer',
  ownerUserId: 'ann',
  planId: 'starter',
  provider,
  trialing: false,
  committedAt: '2026-01-01T00:00:00.000Z',
  ...over,
});

async function open() {
  const world = await createOperatorWorld();
  return { world, events: bootEvents(world, 1).events };
}

describe('the mirror of a committed workspace', () => {
  it.each<[string, Partial<WorkspaceCommitted>, object]>([
    [
      'a paid plan',
      { currentPeriodEnd: '2026-02-01T00:00:00.000Z' },
      { status: 'active', planId: 'starter', provider, currentPeriodEnd: new Date('2026-02-01T00:00:00.000Z') },
    ],
    ['a trial', { trialing: true }, { status: 'trialing', provider }],
    [
      'a free plan',
      { planId: 'free', provider: { customerId: 'cus_new' } },
      { status: 'active', planId: 'free', provider: { customerId: 'cus_new' } },
    ],
    [
      'a free plan without a customer',
      { planId: 'free', provider: {} },
      { status: 'active', planId: 'free', provider: {} },
    ],
  ])('of %s begins open, without a transition', async (_what, over, seen) => {
    const { world, events } = await open();
    const since = world.clock.now();
    const drafts: object[] = [];
    const subscriptions: typeof events.subscriptions = {
      ...events.subscriptions,
      insert: (draft) => (drafts.push(draft), events.subscriptions.insert(draft)),
    };
    const ports = { ...events, subscriptions, clock: { now: () => since } };
    expect(await mirrorWorkspace(ports, committed(over))).toBe('mirrored');
    const draft = {
      _id: 'newcomer',
      workspaceName: 'Newcomer',
      owner: { userId: 'ann' },
      access: { state: 'open', since, operationId: null },
      accessRevision: 1,
      planId: 'starter',
      isComplimentary: false,
      ...seen,
    };
    expect(drafts).toStrictEqual([draft]);
    expect(world.subscription('newcomer')).toMatchObject(draft);
  });

  it('names its owner as the message does, also without an address', async () => {
    const { world, events } = await open();
    await mirrorWorkspace(events, committed({ ownerEmail: 'ann@new.example' }));
    await mirrorWorkspace(events, committed({ tenantId: 'earlier' }));
    expect(world.subscription('newcomer')!.owner).toEqual({ userId: 'ann', email: 'ann@new.example' });
    expect(world.subscription('earlier')!.owner).toEqual({ userId: 'ann' });
  });

  it('is read again once when there is a subscription, since earlier events were skipped', async () => {
    const { events } = await open();
    await mirrorWorkspace(events, committed());
    await mirrorWorkspace(events, committed({ tenantId: 'free', provider: {} }));
    expect(await events.refreshes.find({}, { sort: { _id: 1 }, limit: 10 })).toMatchObject([
      { _id: 'newcomer', eventId: 'workspace-committed:newcomer', reason: 'workspace_committed' },
    ]);
  });

  it('stays as it has become when the message comes again', async () => {
    const { world, events } = await open();
    await mirrorWorkspace(events, committed());
    const standing = world.subscription('newcomer')!;
    await events.subscriptions.mutate(standing, { ...standing, status: 'past_due', planId: 'pro' });
    expect(await mirrorWorkspace(events, committed())).toBe('mirrored');
    expect(world.subscription('newcomer')).toMatchObject({ status: 'past_due', planId: 'pro' });
  });

  it.each(['subscriptions', 'refreshes'] as const)(
    'is asked for again when it is not known whether %s took it',
    async (part) => {
      const { events } = await open();
      const lost = { ...events, [part]: losingWrites(events[part]) };
      expect(await mirrorWorkspace(lost, committed())).toBe('again');
      expect(await mirrorWorkspace(events, committed())).toBe('mirrored');
    },
  );

  it('is asked for again while a record that is not its own prevents it', async () => {
    const { events } = await open();
    const subscriptions: typeof events.subscriptions = {
      ...events.subscriptions,
      insert: async () => ({ outcome: 'not_applied', existing: null, conflict: ['provider.subscriptionId'] }),
    };
    expect(await mirrorWorkspace({ ...events, subscriptions }, committed())).toBe('again');
  });
});
