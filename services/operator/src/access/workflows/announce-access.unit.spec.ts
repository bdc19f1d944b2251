/** What a write of a subscription record carries besides the record. */
import { writeFenced } from '@platform/durable/record';
import type { OutboxEntry } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import { withAccessRevision } from '../../mirror/domain/access';
import { searchKeysOf } from '../../mirror/domain/search-keys';
import type { Subscription } from '../../mirror/domain/subscription';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { createOperatorWorld } from '../../testing/operator-world';
import { announcingAccess, subscriptionsOf } from './announce-access';

const newcomer: Draft<Subscription> = {
  _id: 'newcomer',
  workspaceName: 'Newcomer',
  status: 'active',
  access: { state: 'open', since: new Date(0), operationId: null },
  planId: 'free',
  provider: {},
  isComplimentary: false,
};
const closed = { state: 'closed', since: new Date(0), operationId: 'op-suspend-0001' } as const;
const further: OutboxEntry = {
  id: 'notice:1',
  subject: 'checkout.completed',
  type: 'checkout.completed.v1',
  body: { tenantId: 'newcomer' },
  closesOn: 'publish_ack',
  createdAt: new Date(0),
};

async function open() {
  const world = await createOperatorWorld();
  const records = world.store.collection(subscriptionsCollection);
  const said: [string, readonly OutboxEntry[]][] = [];
  const subscriptions = announcingAccess(records, {
    clock: world.clock,
    publishNow: (tenantId, entries) => void said.push([tenantId, entries]),
  });
  const waiting = async () => (await records.outbox.pending(10)).map(({ entry }) => entry);
  return { world, records, subscriptions, said, waiting };
}

describe('the first write of a workspace', () => {
  it('announces its access together with what the workflow sends, and publishes only the access at once', async () => {
    const { subscriptions, said, waiting } = await open();
    await subscriptions.insert(newcomer, [further]);
    const announcement = {
      id: 'workspace-access:newcomer:0',
      subject: '$KV.workspace_access.newcomer',
      type: 'workspace.access.v1',
      body: { tenantId: 'newcomer', state: 'open', revision: 0 },
      closesOn: 'publish_ack',
      createdAt: expect.any(Date) as Date,
    };
    expect(await waiting()).toEqual([further, announcement]);
    expect(said).toEqual([['newcomer', [announcement]]]);
  });

  it('of a process without a broker leaves the announcement to the relay of another one', async () => {
    const { world, waiting } = await open();
    await subscriptionsOf(world.store, world.clock).insert(newcomer);
    expect(await waiting()).toMatchObject([{ id: 'workspace-access:newcomer:0' }]);
  });
});

describe('a later write of a workspace', () => {
  it('that closes it announces the reason under the next revision', async () => {
    const { world, subscriptions, said, waiting } = await open();
    const current = world.subscription()!;
    await subscriptions.mutate(current, withAccessRevision(current, { ...current, access: closed }), [further]);
    const announcement = {
      id: 'workspace-access:acme:1',
      subject: '$KV.workspace_access.acme',
      body: { tenantId: 'acme', state: 'closed', reason: 'suspended', revision: 1 },
    };
    expect(await waiting()).toMatchObject([further, announcement]);
    expect(said).toMatchObject([['acme', [announcement]]]);
  });

  it('that leaves its access as it is announces and publishes nothing', async () => {
    const { world, subscriptions, said, waiting } = await open();
    const current = world.subscription()!;
    expect(await subscriptions.mutate(current, { ...current, planId: 'pro' })).toMatchObject({ outcome: 'applied' });
    expect([await waiting(), said]).toEqual([[], []]);
  });

  it('finds the workspace by its new name', async () => {
    const { world, subscriptions } = await open();
    const current = world.subscription()!;
    const renamed = { ...current, workspaceName: 'Zebra' };
    await subscriptions.mutate(current, renamed);
    expect(world.subscription()).toMatchObject({ search: searchKeysOf(renamed) });
    expect(searchKeysOf(renamed)).toContain('zebra');
  });
});

describe('the announcing collection', () => {
  it('counts, removes and reads the records that it writes', async () => {
    const { subscriptions, records } = await open();
    await subscriptions.insert(newcomer);
    expect(await subscriptions.count({ planId: 'free' })).toBe(1);
    expect(await subscriptions.find({ planId: 'free' }, { limit: 10 })).toMatchObject([{ _id: 'newcomer' }]);
    await subscriptions.outbox.confirm('newcomer', 'workspace-access:newcomer:0');
    const found = await subscriptions.findById('newcomer');
    expect(await subscriptions.remove(found!)).toMatchObject({ outcome: 'applied' });
    expect(await records.findById('newcomer')).toBeNull();
  });

  it('recognises its own write in the record when the answer of the store was lost', async () => {
    const { world, subscriptions } = await open();
    const current = world.subscription()!;
    world.store.loseNextWrite('after');
    const next = { ...current, workspaceName: 'Zebra' };
    const policy = { tries: 2, pause: () => Promise.resolve() };
    expect(await writeFenced(subscriptions, current, next, [], policy)).toMatchObject({ kind: 'written' });
  });
});
