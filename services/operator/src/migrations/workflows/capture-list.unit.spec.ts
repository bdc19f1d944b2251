/** The list of a migration: read in pages, written once, and never half a list that a job goes on with. */
import { losingWrites } from '@platform/durable/testing';
import { StoreUnavailableError } from '@platform/mongo';
import { newItem } from '../domain/migration-item';
import { bootMigrations, createMigrationWorld, itemStatuses, jobOf, request } from '../testing/migration-world';
import { workspacesOn } from './capture-list';
import { createListDigest } from './list-digest';

const itemsOf = (world: Awaited<ReturnType<typeof createMigrationWorld>>) =>
  world.items().map(({ tenantId, ordinal, subscriptionRevision }) => [ordinal, tenantId, subscriptionRevision]);

/** A world, and what the job becomes on a subscription collection that answers as `find` does. */
async function jobWith(find: () => Promise<never>) {
  const world = await createMigrationWorld(2);
  const { ports } = bootMigrations(world, 1);
  let reads = 0;
  const counted = () => ((reads += 1), find());
  const submitted = bootMigrations(world, 1, {
    ports: { subscriptions: { ...ports.subscriptions, find: counted } },
  }).submit();
  return { world, submitted, reads: () => reads };
}

describe('the workspaces on a plan', () => {
  it.each([
    [0, [], 1],
    [499, [499], 1],
    [500, [500], 2],
    [501, [500, 1], 2],
  ])('are %d, read in pages and not beyond a page that is not full', async (count, pages, reads) => {
    const world = await createMigrationWorld(count);
    const { subscriptions } = bootMigrations(world, 1).ports;
    let asked = 0;
    const find: typeof subscriptions.find = async (...query) => {
      if ((asked += 1) > reads) throw new Error('one read too many');
      return subscriptions.find(...query);
    };
    const found: string[][] = [];
    for await (const page of workspacesOn({ ...subscriptions, find }, 'starter'))
      found.push(page.map(({ _id }) => _id));
    expect(found.map(({ length }) => length)).toEqual(pages);
    expect(found.flat()).toEqual(world.tenants);
    expect(asked).toBe(reads);
  });
});

describe('the capture of a list', () => {
  it('gives each workspace its place and its revision, at most 32 of them at a time', async () => {
    const world = await createMigrationWorld(70);
    const revisions = world.subscriptions().map(({ _id, revision }, at) => [at + 1, _id, revision]);
    const { ports } = bootMigrations(world, 1);
    let [underWay, most] = [0, 0];
    const insert: typeof ports.items.insert = async (...draft) => {
      most = Math.max(most, (underWay += 1));
      return ports.items.insert(...draft).finally(() => (underWay -= 1));
    };
    await bootMigrations(world, 1, { ports: { items: { ...ports.items, insert } } }).submit();
    expect(itemsOf(world)).toEqual(revisions);
    expect(most).toBe(32);
  });

  it('takes an item that it wrote before for its own', async () => {
    const world = await createMigrationWorld(2);
    const { ports, submit } = bootMigrations(world, 1);
    await ports.items.insert(newItem(request.migrationId, 1, world.subscription('ws-001')));
    await submit();
    expect(itemStatuses(world)).toEqual({ 'ws-001': 'succeeded', 'ws-002': 'succeeded' });
    expect(jobOf(world)).toMatchObject({ status: 'completed', captured: { count: 2 } });
  });

  it.each([
    ['in another place', 2, {}],
    ['of another revision', 1, { revision: 'another' }],
  ])('ends the job when it finds an item %s', async (_which, ordinal, change) => {
    const world = await createMigrationWorld(2);
    const { ports, submit } = bootMigrations(world, 1);
    await ports.items.insert(newItem(request.migrationId, ordinal, { ...world.subscription('ws-001'), ...change }));
    await submit();
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'store_unavailable' } });
    expect(world.provider.sends()).toEqual([]);
  });

  it('ends the job when an item cannot be written', async () => {
    const world = await createMigrationWorld(2);
    const { ports } = bootMigrations(world, 1);
    const items = losingWrites(ports.items, ({ ordinal }) => ordinal === 2);
    await bootMigrations(world, 1, { ports: { items } }).submit();
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'store_unavailable' } });
    expect(world.provider.sends()).toEqual([]);
  });

  it('that the store does not answer stops the job after its patience, and nothing is sent', async () => {
    const { world, submitted, reads } = await jobWith(async () => {
      throw new StoreUnavailableError('the store is unreachable');
    });
    await submitted;
    expect(reads()).toBe(3);
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'store_unavailable', message: expect.stringContaining('could not be captured') },
    });
    expect([world.items(), world.provider.sends()]).toEqual([[], []]);
  });

  it('that breaks stops the job, and the reason is thrown for the log', async () => {
    const { world, submitted, reads } = await jobWith(async () => {
      throw new TypeError('broken');
    });
    await expect(submitted).rejects.toThrow(new TypeError('broken'));
    expect(reads()).toBe(1);
    expect(jobOf(world)).toMatchObject({ status: 'reconciliation_required', error: { code: 'internal_error' } });
  });

  it('ends with its process before anything is listed', async () => {
    const world = await createMigrationWorld(2);
    const life = bootMigrations(world, 1);
    life.end();
    await life.submit();
    expect(jobOf(world)).toMatchObject({
      status: 'reconciliation_required',
      error: { code: 'interrupted', message: expect.stringContaining('while the list was captured') },
    });
    expect(world.items()).toEqual([]);
  });
});

describe('the digest of a list', () => {
  const target = { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd' };
  function digestOf(rows: readonly (readonly [string, string])[], from = 'starter', to = target) {
    const list = createListDigest(from, to);
    for (const [tenantId, revision] of rows) list.add(tenantId, revision);
    return list.done();
  }
  const rows = [
    ['a', '1'],
    ['b', '2'],
  ] as const;

  it('is the SHA-256 of what was listed, with the number of workspaces', () => {
    expect(digestOf(rows)).toEqual({ count: 2, digest: expect.stringMatching(/^[\da-f]{64}$/) });
    expect(digestOf(rows)).toEqual(digestOf(rows));
  });

  it.each([
    ['another order', () => digestOf([...rows].reverse())],
    ['another revision', () => digestOf([rows[0], ['b', '3']])],
    ['other names of the same letters', () => digestOf([['a1\nb', '2']])],
    ['another source', () => digestOf(rows, 'free')],
    ['another target', () => digestOf(rows, 'starter', { ...target, amountCents: 5_000 })],
  ])('is another one for %s', (_what, other) => {
    expect(other().digest).not.toBe(digestOf(rows).digest);
  });
});
