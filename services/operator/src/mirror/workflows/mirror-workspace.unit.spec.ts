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
  ])('of %s begins open, without a transition', async (_what, over, seen) => {
    const { world, events } = await open();
    expect(await mirrorWorkspace(events, committed(over))).toBe('mirrored');
    expect(world.subscription('newcomer')).toMatchObject({
      workspaceName: 'Newcomer',
      access: { state: 'open', operationId: null },
      isComplimentary: false,
      ...seen,
    });
    expect(world.subscription('newcomer')).not.toHaveProperty('transition');
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
    expect((await events.refreshes.find({}, { sort: { _id: 1 }, limit: 10 })).map(({ _id }) => _id)).toEqual([
      'newcomer',
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
      const lost = {
        ...events,
        [part]: {
          ...events[part],
          findById: (id: string) => events[part].findById(id),
          insert: async () => ({ outcome: 'unknown' as const, reason: 'lost' }),
        },
      };
      expect(await mirrorWorkspace(lost, committed())).toBe('again');
      expect(await mirrorWorkspace(events, committed())).toBe('mirrored');
    },
  );
});
