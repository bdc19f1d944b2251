import { directoryQuerySchema } from '@platform/contracts-operator';
import { createManualClock, createSequentialIds } from '@platform/kernel';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import { announcingAccess } from '../../access/workflows/announce-access';
import { mirror, type Subscription } from '../../mirror/domain/subscription';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { listWorkspaces } from './list-workspaces';

async function directory() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds(1) });
  const subscriptions = announcingAccess(store.collection(subscriptionsCollection), {
    clock,
    publishNow: () => undefined,
  });
  const add = async (name: string, change: Partial<Draft<Subscription>> = {}) => {
    clock.advance(1_000);
    const tenantId = change._id ?? name.toLowerCase().replaceAll(' ', '-');
    await subscriptions.insert({
      _id: tenantId,
      workspaceName: name,
      status: 'active',
      access: { state: 'open', since: clock.now(), operationId: null },
      accessRevision: 1,
      planId: 'starter',
      provider: {},
      isComplimentary: false,
      ...change,
    });
  };
  return { subscriptions, add };
}

async function page(subscriptions: RevisionedCollection<Subscription>, query: Record<string, unknown> = {}) {
  const found = await listWorkspaces({ subscriptions }, directoryQuerySchema.parse(query));
  return found && { ...found, workspaces: found.workspaces.map(({ _id }) => _id) };
}

describe('the directory', () => {
  it('is newest first, and its pages neither repeat nor lose while workspaces are added', async () => {
    const { subscriptions, add } = await directory();
    for (let at = 1; at <= 5; at += 1) await add(`W ${at}`);
    const first = await page(subscriptions, { limit: 2 });
    expect(first).toMatchObject({ found: 'all', workspaces: ['w-5', 'w-4'] });
    await add('W 6');
    const second = await page(subscriptions, { limit: 2, cursor: first!.nextCursor });
    expect(second!.workspaces).toEqual(['w-3', 'w-2']);
    const last = await page(subscriptions, { limit: 2, cursor: second!.nextCursor });
    expect(last).toEqual({ found: 'all', workspaces: ['w-1'] });
    expect((await page(subscriptions, { limit: 2, order: 'oldest' }))!.workspaces).toEqual(['w-1', 'w-2']);
  });

  it('filters by status and plan', async () => {
    const { subscriptions, add } = await directory();
    await add('A', { planId: 'pro' });
    await add('B', { status: 'past_due' });
    await add('C', { planId: 'pro', status: 'past_due' });
    expect((await page(subscriptions, { plan: 'pro' }))!.workspaces).toEqual(['c', 'a']);
    expect((await page(subscriptions, { status: 'past_due' }))!.workspaces).toEqual(['c', 'b']);
    expect((await page(subscriptions, { plan: 'pro', status: 'past_due' }))!.workspaces).toEqual(['c']);
    expect((await page(subscriptions, { plan: 'pro', status: 'past_due', query: 'a' }))!.workspaces).toEqual([]);
  });

  it('refuses the cursor of another list or search', async () => {
    const { subscriptions, add } = await directory();
    for (let at = 0; at < 3; at += 1) await add(`Globex ${at}`);
    const { nextCursor } = (await page(subscriptions, { query: 'globex', limit: 1 }))!;
    expect(await page(subscriptions, { query: 'globex', limit: 1, cursor: nextCursor })).not.toBeNull();
    expect(await page(subscriptions, { query: 'other', limit: 1, cursor: nextCursor })).toBeNull();
    expect(await page(subscriptions, { cursor: 'nonsense' })).toBeNull();
  });
});

describe('a search of the directory', () => {
  const world = async () => {
    const made = await directory();
    const owner = { userId: 'u1', email: 'billing@globex.example' };
    await made.add('Globex Corporation', { _id: 'tenant-1', owner, provider: { customerId: 'cus_Qq11zz' } });
    await made.add('Initech', { _id: 'tenant-2', provider: { subscriptionId: 'sub_77aa' } });
    await made.add('Globe Trotters', { _id: 'tenant-3' });
    return made;
  };

  it.each([
    ['the name, as it is', 'Globex Corporation', ['tenant-1']],
    ['the beginning of words, in any order', 'corp glo', ['tenant-1']],
    ['the beginning of several names', 'globe', ['tenant-3', 'tenant-1']],
    ["the owner's address", 'billing@globex.example', ['tenant-1']],
    ['the id', 'tenant-2', ['tenant-2']],
    ['a customer id', 'cus_Qq11zz', ['tenant-1']],
    ['the beginning of a subscription id', 'sub_77', ['tenant-2']],
  ])('finds by %s', async (_what, query, wanted) => {
    const { subscriptions } = await world();
    expect(await page(subscriptions, { query })).toMatchObject({ found: 'beginning', workspaces: wanted });
  });

  it.each([
    ['globx', ['tenant-1', 'tenant-3']],
    ['initehc', ['tenant-2']],
    ['corporaton globex', ['tenant-1']],
  ])('says that "%s" is near to names, where nothing begins so', async (query, wanted) => {
    const { subscriptions } = await world();
    const found = await page(subscriptions, { query });
    expect({ ...found, workspaces: [...found!.workspaces].sort() }).toEqual({ found: 'near', workspaces: wanted });
  });

  it('finds nothing where nothing is, and nothing for signs alone', async () => {
    const { subscriptions } = await world();
    expect((await page(subscriptions, { query: 'umbrella' }))!.workspaces).toEqual([]);
    expect((await page(subscriptions, { query: '--' }))!.workspaces).toEqual([]);
  });

  it('picks the rarest word, so that a name among thousands of its kind is found at once', async () => {
    const { subscriptions, add } = await directory();
    for (let at = 0; at < 450; at += 1) await add(`Fleet Customer ${at}`);
    expect(await page(subscriptions, { query: 'Fleet Customer 17', limit: 20 })).toMatchObject({
      workspaces: [...Array.from({ length: 10 }, (_, at) => `fleet-customer-17${9 - at}`), 'fleet-customer-17'],
    });
  });

  it('goes on over candidates that do not fit, to the end', async () => {
    const { subscriptions, add } = await directory();
    await add('Fleet wanted', { planId: 'pro' });
    for (let at = 0; at < 450; at += 1) await add(`Fleet ${at}`);
    const found: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const next: Awaited<ReturnType<typeof page>> = await page(subscriptions, {
        query: 'fleet',
        plan: 'pro',
        ...(cursor !== undefined && { cursor }),
      });
      found.push(...next!.workspaces);
      cursor = next!.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect({ found, pages }).toEqual({ found: ['fleet-wanted'], pages: 3 });
  });

  it('knows what a record has become by its next write', async () => {
    const { subscriptions } = await world();
    const before = (await subscriptions.findById('tenant-3'))!;
    await subscriptions.mutate(before, mirror(before, { provider: { customerId: 'cus_late' } }));
    expect((await page(subscriptions, { query: 'late' }))!.workspaces).toEqual(['tenant-3']);
  });
});
