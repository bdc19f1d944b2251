/** Which tenants a page of the inventory holds, whichever of the two lists knows a tenant and ends first. */
import type { TenantPageRequest, TenantRowPage } from '@platform/contracts-provisioning';
import { createFakeStore } from '@platform/mongo/testing';
import type { Subscription } from '../../mirror/domain/subscription';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { readInventory } from './read-inventory';

type Row = TenantRowPage['rows'][number];

const row = (tenantId: string, status: Row['status'] = 'provisioned'): Row => ({ tenantId, status });

/** The gateway's records, and provisioning with its rows and the tenants whose gate is open. */
async function stageOf({
  records,
  rows,
  committed = [],
}: {
  readonly records: readonly (string | (Partial<Subscription> & { readonly _id: string }))[];
  readonly rows: readonly Row[];
  readonly committed?: readonly string[];
}) {
  const subscriptions = createFakeStore().collection(subscriptionsCollection);
  for (const record of records)
    await subscriptions.insert({
      workspaceName: 'a workspace',
      status: 'active',
      access: { state: 'open', since: new Date(0), operationId: null },
      accessRevision: 1,
      planId: 'free',
      provider: {},
      isComplimentary: false,
      ...(typeof record === 'string' ? { _id: record } : record),
    });
  const asked: TenantPageRequest[] = [];
  const tenantRows = async (request: TenantPageRequest): Promise<TenantRowPage> => {
    asked.push(request);
    const page = rows.filter(({ tenantId }) => tenantId > (request.after ?? '')).slice(0, request.limit);
    const judged = new Set([...request.judge, ...page.map(({ tenantId }) => tenantId)]);
    return { rows: page, committed: committed.filter((tenantId) => judged.has(tenantId)) };
  };
  return { subscriptions, tenantRows, asked };
}

async function walkThrough(stage: Awaited<ReturnType<typeof stageOf>>, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await readInventory(stage, { cursor, limit });
    ids.push(...page!.tenants.map(({ tenantId }) => tenantId));
    cursor = page!.nextCursor;
  } while (cursor !== undefined);
  return ids;
}

describe('a page of the inventory', () => {
  it('holds the tenants of both lists once, in the order of their ids, with the gate and their access', async () => {
    const stage = await stageOf({
      records: ['tn-b', 'acme', { _id: 'tn-d', status: 'suspended', accessRevision: 4 }],
      rows: [row('tn-b'), row('tn-c'), row('tn-d')],
      committed: ['acme', 'tn-b', 'tn-d'],
    });
    expect(await readInventory(stage, { limit: 10 })).toStrictEqual({
      tenants: [
        { tenantId: 'acme', committed: true, access: { state: 'open', revision: 1 } },
        { tenantId: 'tn-b', committed: true, access: { state: 'open', revision: 1 } },
        { tenantId: 'tn-c', committed: false, access: { state: 'closed', reason: 'preparing', revision: 0 } },
        { tenantId: 'tn-d', committed: true, access: { state: 'closed', reason: 'suspended', revision: 4 } },
      ],
    });
  });

  it('asks provisioning for the same stretch, and for the gate of the tenants that it found itself', async () => {
    const stage = await stageOf({ records: ['a', 'b', 'c'], rows: [] });
    const stretches: unknown[] = [];
    const find: typeof stage.subscriptions.find = (filter, options) => {
      stretches.push(options);
      return stage.subscriptions.find(filter, options);
    };
    for (const cursor of [undefined, 'b'])
      await readInventory({ ...stage, subscriptions: { find } }, { cursor, limit: 2 });
    const sort = { _id: 1 };
    expect(stretches).toStrictEqual([
      { sort, limit: 2 },
      { sort, limit: 2, after: ['b'] },
    ]);
    expect(stage.asked).toStrictEqual([
      { limit: 2, judge: ['a', 'b'] },
      { after: 'b', limit: 2, judge: ['c'] },
    ]);
  });

  it('leaves out what is cancelled, what is deleted, and what the gateway has begun to delete', async () => {
    const deletion = { startedAt: new Date(1), operationId: 'op-delete-0001' };
    const stage = await stageOf({
      records: ['tn-a', { _id: 'tn-b', deletion }, 'tn-d'],
      rows: [row('tn-a'), row('tn-b'), row('tn-c', 'cancelled'), row('tn-d', 'deleted')],
    });
    expect(await walkThrough(stage, 10)).toEqual(['tn-a']);
  });

  it('is none while provisioning does not answer, because half a list would look whole', async () => {
    const { subscriptions } = await stageOf({ records: ['a'], rows: [] });
    expect(await readInventory({ subscriptions, tenantRows: async () => null }, { limit: 10 })).toBeNull();
  });

  it('names its last tenant as the place to go on only while a list may have more', async () => {
    const stage = await stageOf({ records: ['a', 'b'], rows: [] });
    expect(await readInventory(stage, { limit: 2 })).toMatchObject({ nextCursor: 'b' });
    expect(await readInventory(stage, { limit: 3 })).not.toHaveProperty('nextCursor');
  });
});

describe('the pages of the inventory', () => {
  const lists = {
    'the records ahead of the rows': [
      ['a', 'y', 'z'],
      ['b', 'c', 'd', 'e'],
    ],
    'the rows ahead of the records': [
      ['b', 'c', 'd', 'e'],
      ['a', 'y', 'z'],
    ],
    'only records': [['a', 'b', 'c', 'd'], []],
    'only rows': [[], ['a', 'b', 'c', 'd']],
    'both lists the same': [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
  } as const;
  const sizes = [1, 2, 3, 4, 5];
  const cases = Object.entries(lists).flatMap(([name, both]) => sizes.map((size) => [size, name, both] as const));

  it.each(cases)('of %i tenants are together every tenant once, with %s', async (limit, _name, [records, rows]) => {
    const stage = await stageOf({ records, rows: rows.map((id) => row(id)) });
    expect(await walkThrough(stage, limit)).toEqual([...new Set([...records, ...rows])].sort());
  });
});
