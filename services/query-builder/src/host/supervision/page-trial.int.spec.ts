import { rmSync } from 'node:fs';
import { openCodeStore } from '../project/code-store';
import { createCompiler } from '../project/compile-pages';
import { scanProject } from '../project/scan-project';
import { buildPageCode, writeProject } from '../testing/serve-pages';
import { createPageTrial } from './page-trial';

const pageThat = (name: string, does: string): string => `
  import { Get, Page, PagePermission, type PageUser } from '@platform/page-runtime';
  @Page({ title: '${name}', permission: 'shop.read' })
  export class ${name}Page {
    @Get('/stats/one')
    async one(@PagePermission(${name}Page) _user: PageUser) { ${does} return { value: 1 }; }
  }`;

describe('a page that blocks its trial', () => {
  it('holds up the others no longer than its own limit, whatever it writes to its console', async () => {
    const folder = writeProject({
      'pages/shop/a/page.ts': pageThat('A', 'for (;;);'),
      'pages/shop/b/page.ts': pageThat('B', ''),
      'pages/shop/c/page.ts': pageThat(
        'C',
        "setInterval(() => console.log('not yet'), 100); await new Promise((done) => setTimeout(done, 600_000));",
      ),
    });
    const store = openCodeStore();
    const { pages } = await createCompiler(folder, store).compile(await scanProject(folder));
    const place = { program: await buildPageCode(), codeFolder: store.folder };
    const trial = createPageTrial({ ...place, timeMs: 60_000, pageMs: 8_000, idleMs: 60_000 });
    const blocked = expect.stringContaining('it said nothing for 8000 ms') as string;
    try {
      expect(pages.map(({ pageRef }) => pageRef)).toEqual(['/shop/a', '/shop/b', '/shop/c']);
      expect(await trial.judge(pages)).toMatchObject([
        { kind: 'bad', problem: { message: blocked } },
        { kind: 'good' },
        { kind: 'bad', problem: { message: blocked } },
      ]);
    } finally {
      trial.close();
      store.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
