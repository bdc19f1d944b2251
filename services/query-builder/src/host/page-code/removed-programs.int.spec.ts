/** Programs of pages that the system removes, as it removes any temporary files. */
import { rmSync } from 'node:fs';
import { testProject } from '../testing/project';
import { servePages, writeProject, type TestPages } from '../testing/serve-pages';

describe('pages whose programs were removed', () => {
  let pages: TestPages;
  const statusOf = async (path: string): Promise<number> =>
    (await pages.get(`/dms/pages/shop/attack/stats/${path}`)).status;
  const page = `import { Get, Page, PagePermission, type PageUser } from '@platform/page-runtime';
@Page({ title: 'Attack', permission: 'shop.read' })
export class AttackPage {
  @Get('/stats/fine')
  async fine(@PagePermission(AttackPage) _user: PageUser) { return { value: 1 }; }
  @Get('/stats/ends')
  async ends(@PagePermission(AttackPage) user: PageUser) { if (user.id !== 'rehearsal') for (;;); return { value: 1 }; }
}
`;
  beforeEach(async () => {
    const project = writeProject({ ...testProject, 'pages/shop/attack/page.ts': page });
    pages = await servePages(project, { apart: { silentMs: 8_000 } });
  });
  afterEach(() => pages.close());

  it('answer the first request after that', async () => {
    rmSync(pages.codeFolder, { recursive: true });
    expect(await statusOf('fine')).toBe(200);
  });

  it('answer the first request after the process that held them has ended', async () => {
    expect(await statusOf('fine')).toBe(200);
    rmSync(pages.codeFolder, { recursive: true });
    expect(await statusOf('fine')).toBe(200);
    expect(await statusOf('ends')).toBe(500);
    expect(await statusOf('fine')).toBe(200);
  });
});
