/** The directory as a file: page by page, with the filters of the list, harmless in a spreadsheet. */
import type { WorkspacePage } from '@platform/contracts-operator';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createTestGateway } from '../../testing/test-gateway';
import { workspaceRow } from './directory-view';
import { directoryCsv } from './directory-csv';
import { exampleWorkspaces } from './directory-examples';

const path = '/api/saas/workspaces';

/** Acme and four more; every second one is on Pro. */
async function open() {
  const world = await createOperatorWorld();
  const life = bootOperator(world, 1);
  const acme = world.subscription()!;
  for (const [at, name] of ['Globex', '=HYPERLINK("x")', 'Initech, "the"', 'Umbrella'].entries())
    await life.ports.subscriptions.insert({
      ...acme,
      _id: `ws-${at}`,
      workspaceName: name,
      planId: at % 2 === 0 ? 'pro' : 'starter',
    });
  return createTestGateway(world, life);
}

type Gateway = Awaited<ReturnType<typeof open>>;

/** All lines of all pages; every page begins with the names of its columns. */
async function walk(gateway: Gateway, query: string, headers: Record<string, string> = {}): Promise<string[]> {
  const lines: string[] = [];
  let next: string | undefined = `${path}?${query}`;
  while (next !== undefined) {
    const answer = await gateway.request('GET', next, { headers });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="workspaces.csv"');
    const [head, ...rows] = answer.text.trimEnd().split('\r\n');
    expect(head).toMatch(/^workspace,name,owner_id/);
    lines.push(...rows);
    next = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers['link']))?.[1];
  }
  return lines;
}

describe('the directory as comma-separated values', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a word in the query', 'format=csv&limit=2', {}],
    ['the header', 'limit=2', { accept: 'text/csv' }],
  ])('comes for %s, and is walked page by page without repeats or gaps', async (_what, query, headers) => {
    const gateway = await open();
    const list = (await gateway.request('GET', path)).json<WorkspacePage>().workspaces;
    const lines = await walk(gateway, query, headers);
    expect(lines.map((line) => line.split(',')[0])).toEqual(list.map(({ tenantId }) => tenantId));
  });

  it.each(['plan=pro', 'status=active&plan=starter', 'query=glo', 'query=gloxex', 'order=oldest', 'query=absent'])(
    'holds for %s what the list holds',
    async (filter) => {
      const gateway = await open();
      const list = (await gateway.request('GET', `${path}?${filter}`)).json<WorkspacePage>().workspaces;
      expect((await walk(gateway, `${filter}&format=csv&limit=1`)).map((line) => line.split(',')[0])).toEqual(
        list.map(({ tenantId }) => tenantId),
      );
    },
  );

  it('leaves browsers and programs their JSON, and tells others nothing', async () => {
    const gateway = await open();
    const asked = async (options: object) => (await gateway.request('GET', `${path}?format=csv`, options)).status;
    const plain = await gateway.request('GET', path, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(plain.headers['content-type']).toMatch(/^application\/json/);
    expect([await asked({ role: 'user' }), await asked({ role: 'anonymous' })]).toEqual([403, 401]);
  });

  it('has each value under its own column, and nothing where a workspace has none', () => {
    const [globex] = exampleWorkspaces.workspaces;
    const bare = { ...globex!, owner: undefined, pending: undefined, provider: {}, access: { state: 'open' as const } };
    const [head, ...lines] = directoryCsv([globex!, bare]).trimEnd().split('\r\n');
    const [full, empty] = lines.map((line) => {
      const cells = line.split(',');
      return Object.fromEntries(head!.split(',').map((name, at) => [name, cells[at]]));
    });
    expect(full).toEqual({
      ...{ workspace: 'globex', name: 'Globex', owner_id: 'user-7', owner_email: 'billing@globex.example' },
      ...{ plan: 'pro', status: 'active', access: 'closed', closed_because: 'suspended' },
      ...{ pending: 'suspend', pending_operation: 'op-2026-0001', customer: 'cus_globex', subscription: 'sub_globex' },
      ...{ created_at: '2026-03-01T09:30:00.000Z', updated_at: '2026-03-02T08:00:00.000Z' },
    });
    const none = { owner_id: '', owner_email: '', closed_because: '', pending: '', pending_operation: '' };
    expect(empty).toEqual({ ...full, ...none, access: 'open', customer: '', subscription: '' });
  });

  it('quotes, and keeps a spreadsheet from running a name that its owner chose', async () => {
    const world = await createOperatorWorld({
      workspaceName: '=HYPERLINK("http://x.example","a")',
      owner: { userId: '@u', email: '+1@acme.example' },
    });
    const [, line] = directoryCsv([workspaceRow(world.subscription()!)]).split('\r\n');
    expect(line).toMatch(/^acme,"'=HYPERLINK\(""http:\/\/x\.example"",""a""\)",'@u,'\+1@acme\.example,/);
  });
});
