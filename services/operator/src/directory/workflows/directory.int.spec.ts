/**
 * A directory of many workspaces is read by index, proven by the number of documents that the server looks at.
 * `DIRECTORY_SIZE` sets another size; filling the embedded store takes most of the time.
 */
import { directoryQuerySchema } from '@platform/contracts-operator';
import { openTestDatabase, type Document, type TestDatabase } from '@platform/mongo/test-database';
import { proofSize } from '@platform/testing';
import { nearKeys, searchKeysOf } from '../../mirror/domain/search-keys';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { listWorkspaces, type DirectoryPorts } from './list-workspaces';

const size = Number(process.env['DIRECTORY_SIZE'] ?? proofSize({ lean: 4_000, full: 20_000 }));
const start = Date.parse('2026-01-01T00:00:00.000Z');
const plans = ['free', 'starter', 'pro'] as const;

let database: TestDatabase;
let ports: DirectoryPorts;

/** Pseudo-random letters, so that the names differ from their first letters on. */
const nameOf = (at: number): string =>
  (at * 2_654_435_761 + 40_503).toString(36).replace(/[0-9]/g, (n) => 'abcdefghij'[+n]!);

const rowOf = (at: number) => {
  const workspace = {
    _id: `ws-${at}`,
    workspaceName: at % 2 === 0 ? `Fleet Customer ${at}` : `${nameOf(at)} Limited`,
    owner: { userId: `user-${at}`, email: `${nameOf(at + 1)}@customer-${at}.example` },
    provider: { customerId: `cus_${nameOf(at + 2)}`, subscriptionId: `sub_${nameOf(at + 3)}` },
  };
  const createdAt = new Date(start + Math.floor(at / 3) * 1_000);
  return {
    ...workspace,
    search: searchKeysOf(workspace),
    status: at % 50 === 0 ? 'suspended' : 'active',
    access: { state: 'open', since: createdAt, operationId: null },
    planId: plans[at % 3],
    isComplimentary: false,
    revision: 'r',
    createdAt,
    updatedAt: createdAt,
  };
};

beforeAll(async () => {
  database = await openTestDatabase('directory');
  const store = await database.connect();
  ports = { subscriptions: store.collection(subscriptionsCollection) };
  await store.ensureIndexes();
  await database.insert(
    'subscriptions',
    Array.from({ length: size }, (_, at) => rowOf(at)),
  );
});
afterAll(() => database.drop());

const list = async (query: Record<string, unknown>) =>
  (await listWorkspaces(ports, directoryQuerySchema.parse(query)))!;

describe(`a directory of ${size} workspaces`, () => {
  it.each<[string, Document, string]>([
    ['no filter', {}, 'by_creation'],
    ['a status', { status: 'suspended' }, 'by_status_and_creation'],
    ['a plan', { planId: 'pro' }, 'by_plan_and_creation'],
    ['a plan and a status', { planId: 'pro', status: 'suspended' }, 'by_plan_status_and_creation'],
    ['the beginning of a common word', { search: 'fleet' }, 'by_search_key'],
    ['a near key', { search: nearKeys('fleeet')[1]! }, 'by_search_key'],
  ])('with %s reads a page of it in one index, from the start and from the middle', async (_what, filter, index) => {
    const middle = new Date(start + Math.floor(size / 6) * 1_000);
    for (const direction of [1, -1] as const)
      for (const from of [null, { createdAt: direction === 1 ? { $gt: middle } : { $lt: middle } }]) {
        const wanted = from ? { $and: [filter, from] } : filter;
        const plan = await database.planOf('subscriptions', wanted, { createdAt: direction, _id: direction }, 51);
        expect(plan.index).toBe(index);
        expect(plan.documents).toBeLessThanOrEqual(60);
      }
  });

  it('finds one among half of all with the same words, in one page', async () => {
    const at = Math.floor(size / 4) * 2;
    expect(await list({ query: `Fleet Customer ${at}` })).toMatchObject({
      found: 'beginning',
      workspaces: expect.arrayContaining([expect.objectContaining({ _id: `ws-${at}` })]),
    });
  });

  it('is searched in pages that neither overlap nor leave anything out, newest first', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ query: 'fleet', limit: 100, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.workspaces.map(({ _id }) => _id));
      cursor = page.nextCursor;
    } while (cursor !== undefined && seen.length < 2_000);
    const newest = Array.from({ length: size }, (_, at) => rowOf(at))
      .filter(({ workspaceName }) => workspaceName.startsWith('Fleet'))
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1));
    expect(seen).toEqual(newest.slice(0, seen.length).map(({ _id }) => _id));
    expect(seen.length).toBe(Math.min(2_000, size / 2));
  });

  it('finds a name with a mistake', async () => {
    const at = Math.floor(size / 2) | 1;
    const wrong = nameOf(at).replace(/^(..)(.)/, '$1');
    const found = await list({ query: wrong });
    expect(found.workspaces.map(({ _id }) => _id)).toContain(`ws-${at}`);
  });

  it('answers a search with a bounded number of reads', async () => {
    const documents: number[] = [];
    const counting: DirectoryPorts = {
      subscriptions: {
        find: async (filter, options) => {
          const rows = await ports.subscriptions.find(filter, options);
          documents.push(rows.length);
          return rows;
        },
      },
    };
    const total = async (query: Record<string, unknown>) => {
      documents.length = 0;
      await listWorkspaces(counting, directoryQuerySchema.parse(query));
      return documents.reduce((sum, each) => sum + each, 0);
    };
    expect(await total({ query: 'fleet customer', plan: 'pro' })).toBeLessThanOrEqual(400);
    expect(await total({ query: 'fleeet custmer' })).toBeLessThanOrEqual(11 * 50 + 400);
    expect(await total({})).toBe(51);
  });
});
