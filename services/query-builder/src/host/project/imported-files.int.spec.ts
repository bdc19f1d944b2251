/** What a page may import besides the files that the builder writes: code in every notation, and nothing else. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeProject } from '../testing/serve-pages';
import { testProject } from '../testing/project';
import { openCodeStore, type CodeStore } from './code-store';
import { compileFiles } from './compile-files';
import { createCompiler } from './compile-pages';
import { judgePage } from './judge-page';
import { createPageModules } from './page-modules';
import { scanProject } from './scan-project';

const pageFile = 'pages/shop/orders/page.ts';
const modelFile = 'resources/orders/model.ts';
const page = testProject[pageFile]!;
const second = page.replaceAll('OrdersPage', 'SecondPage').replaceAll('/shop/orders', '/shop/second');

let projectDir: string;
let store: CodeStore;
const write = (path: string, text: string): void => writeFileSync(join(projectDir, path), text);

beforeEach(() => {
  projectDir = writeProject({ ...testProject, 'pages/shop/second/page.ts': second });
  store = openCodeStore();
});
afterEach(() => {
  store.remove();
  rmSync(projectDir, { recursive: true, force: true });
});

describe('a file that a page imports', () => {
  it.each(['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'json'])(
    'is read again when it is edited: .%s',
    async (end) => {
      const compiler = createCompiler(projectDir, store);
      const source = (title: string): string =>
        end === 'json' ? JSON.stringify({ title }) : `export const title = '${title}';\n`;
      write(pageFile, `import { title } from './words.${end}';\n${page.replace("title: 'Orders'", 'title')}`);
      const titles: unknown[] = [];
      for (const title of ['first', 'second']) {
        write(`pages/shop/orders/words.${end}`, source(title));
        const { pages } = await compiler.compile(await scanProject(projectDir));
        titles.push(await judgePage(pages[0]!, createPageModules(store.folder)));
      }
      expect(titles).toMatchObject([{ title: 'first' }, { title: 'second' }]);
    },
  );

  it.each(['css', 'module.css', 'txt', 'png'])(
    'is no .%s: that page says so at its line, and no other is touched',
    async (end) => {
      write(`pages/shop/orders/words.${end}`, '.a{}');
      write(pageFile, `import './words.${end}';\n${page}`);
      const { pages, problems } = await createCompiler(projectDir, store).compile(await scanProject(projectDir));
      expect(problems).toEqual([
        expect.objectContaining({
          pageRef: '/shop/orders',
          file: pageFile,
          line: 1,
          message: expect.stringContaining(`words.${end}`) as string,
        }),
      ]);
      expect(pages.map(({ pageRef }) => pageRef)).toEqual(['/shop/second']);
    },
  );

  it.each([
    ['words', 'words.tsx'],
    ['words', 'words.js'],
    ['words.js', 'words.js'],
    ['words.jsx', 'words.jsx'],
  ])('is its TypeScript, as an editor says: %s beside %s', async (specifier, beside) => {
    const own = beside.endsWith('x') && specifier !== 'words' ? 'words.tsx' : 'words.ts';
    write(`pages/shop/orders/${own}`, "export const title = 'source';\n");
    write(`pages/shop/orders/${beside}`, "export const title = 'left behind';\n");
    write(pageFile, `import { title } from './${specifier}';\n${page.replace("title: 'Orders'", 'title')}`);
    const { pages } = await createCompiler(projectDir, store).compile(await scanProject(projectDir));
    expect(await judgePage(pages[0]!, createPageModules(store.folder))).toMatchObject({ title: 'source' });
  });

  it('is read again where the folder of the project is a link, and so is the page', async () => {
    const current = `${projectDir}-current`;
    symlinkSync(projectDir, current);
    const compiler = createCompiler(current, store);
    const titled = (title: string): string =>
      `import { title } from '../title';\n${page.replace("title: 'Orders'", `title: title + '${title}'`)}`;
    const titles: unknown[] = [];
    for (const [own, imported] of [
      ['1', 'a'],
      ['1', 'b'],
      ['2', 'b'],
    ] as const) {
      write('pages/shop/title.ts', `export const title = '${imported}';\n`);
      write(pageFile, titled(own));
      const { pages } = await compiler.compile(await scanProject(current));
      titles.push(await judgePage(pages[0]!, createPageModules(store.folder)));
    }
    rmSync(current);
    expect(titles).toMatchObject([{ title: 'a1' }, { title: 'b1' }, { title: 'b2' }]);
  });

  it('that is gone before it is compiled is no failure of the files beside it', async () => {
    const compiled = await compileFiles(projectDir, [modelFile, 'pages/gone.ts'], store);
    expect([modelFile, 'pages/gone.ts'].map((path) => compiled.get(path))).toMatchObject([
      { kind: 'compiled' },
      { kind: 'failed', file: 'pages/gone.ts' },
    ]);
  });
});

describe('a file that is named like a page', () => {
  const compile = async () => createCompiler(projectDir, store).compile(await scanProject(projectDir));
  const add = (path: string): void => {
    mkdirSync(dirname(join(projectDir, path)), { recursive: true });
    write(path, second);
  };

  it.each([
    ['pages/shop/third/page.tsx', '/shop/third'],
    ['pages/shop/third/page.js', '/shop/third'],
    ['pages/Shop Third/page.ts', '/Shop Third'],
    ['pages/shop/[id]/page.ts', '/shop/[id]'],
    ['pages/page.ts', '/'],
  ])('is a problem where it is served by no address: %s', async (file, pageRef) => {
    add(file);
    const { pages, problems } = await compile();
    expect(problems).toEqual([
      { pageRef, file, line: 1, message: expect.stringMatching(/^this file is not served: /) as string },
    ]);
    expect(pages).toHaveLength(2);
  });

  it('is a problem where it is a link, which authors may edit through', async () => {
    add('shared/page.ts');
    mkdirSync(join(projectDir, 'pages/shop/third'));
    symlinkSync('../../../shared/page.ts', join(projectDir, 'pages/shop/third/page.ts'));
    expect((await compile()).problems).toMatchObject([{ pageRef: '/shop/third', file: 'pages/shop/third/page.ts' }]);
  });

  it('is none beside a page, or where a page imports it', async () => {
    add('pages/shop/orders/page.tsx');
    add('pages/shop/parts/page.tsx');
    write(pageFile, `import '../parts/page';\n${page}`);
    expect((await compile()).problems).toEqual([]);
  });
});
