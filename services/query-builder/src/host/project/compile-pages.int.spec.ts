/** Files are compiled one by one and shared; only edited files are compiled and run again. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeProject } from '../testing/serve-pages';
import { pageCodeHere } from '../page-code/page-code';
import { testProject } from '../testing/project';
import { createPageShelf } from '../serving/page-shelf';
import { openCodeStore, type CodeStore } from './code-store';
import { createCompiler, type Compiler } from './compile-pages';
import { judgePage } from './judge-page';
import { loadPage } from './load-page';
import { createPageModules } from './page-modules';
import { scanProject } from './scan-project';

const pageFile = 'pages/shop/orders/page.ts';
const modelFile = 'resources/orders/model.ts';
const second = testProject[pageFile]!.replaceAll('OrdersPage', 'SecondPage').replaceAll('/shop/orders', '/shop/second');

let projectDir: string;
let store: CodeStore;
let compiler: Compiler;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(projectDir, path)), { recursive: true });
  writeFileSync(join(projectDir, path), text);
};
const compile = async () => compiler.compile(await scanProject(projectDir));
const modulesOf = () => createPageModules(store.folder);

beforeEach(() => {
  projectDir = writeProject({ ...testProject, 'pages/shop/second/page.ts': second });
  store = openCodeStore();
  compiler = createCompiler(projectDir, store);
});
afterEach(() => {
  store.remove();
  rmSync(projectDir, { recursive: true, force: true });
});

describe('the files of pages', () => {
  it('are programs of their own: pages with one model share its program and its module', async () => {
    const { pages, problems } = await compile();
    expect(problems).toEqual([]);
    const shared = pages.map(({ files }) => files.find(({ path }) => path === modelFile));
    expect(shared[0]).toEqual(shared[1]);
    const modules = modulesOf();
    const [one, two] = await Promise.all(pages.map((page) => loadPage(page, modules)));
    const modelIn = (loading: typeof one) =>
      loading?.kind === 'loaded' &&
      loading.loaded.routes[0]?.note.parameters.find((note) => note.source === 'model')?.model;
    expect(modelIn(one)).toBeDefined();
    expect(modelIn(one)).toBe(modelIn(two));
  });

  it('are compiled again when they were edited, and change the versions of the pages that import them alone', async () => {
    const before = await compile();
    const programs = readdirSync(store.folder).length;
    write(pageFile, testProject[pageFile]!.replace("title: 'Orders'", "title: 'Edited'"));
    const edited = await compile();
    expect(edited.pages[0]?.version).not.toBe(before.pages[0]?.version);
    expect(edited.pages[1]).toEqual(before.pages[1]);
    // A program and its source map.
    expect(readdirSync(store.folder)).toHaveLength(programs + 2);
    write(modelFile, testProject[modelFile]!.replace("'count'", "'count', /* edited */"));
    const model = await compile();
    expect(model.pages.map(({ version }, at) => version === edited.pages[at]?.version)).toEqual([false, false]);
    // The pages are unchanged; the file that both import is the edited version, and not missing.
    const programOf = ({ pages: [page] }: typeof model) => page?.files.find(({ path }) => path === modelFile)?.code;
    expect(programOf(model)).toMatch(/./);
    expect(programOf(model)).not.toBe(programOf(edited));
  });

  it.each([
    ['the folder', () => rmSync(store.folder, { recursive: true })],
    [
      'a source map',
      () =>
        rmSync(
          join(
            store.folder,
            readdirSync(store.folder).find((name) => name.endsWith('.map'))!,
          ),
        ),
    ],
  ])('are compiled again as they were when the system has removed %s of their programs', async (_what, remove) => {
    const before = await compile();
    const programs = readdirSync(store.folder).sort();
    remove();
    expect(store.isWhole()).toBe(false);
    const again = await compile();
    expect(again).toEqual(before);
    expect(readdirSync(store.folder).sort()).toEqual(programs);
    expect(store.isWhole()).toBe(true);
  });

  it('are known to be incomplete until each of them is compiled again', async () => {
    const seen: boolean[] = [];
    compiler = createCompiler(projectDir, {
      ...store,
      put(code, map) {
        seen.push(store.isWhole());
        return store.put(code, map);
      },
    });
    await compile();
    rmSync(store.folder, { recursive: true });
    seen.length = 0;
    await compile();
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).not.toContain(true);
    expect(store.isWhole()).toBe(true);
  });

  it('that are broken are reported with file and line, by each page that imports them, and by no other', async () => {
    write('resources/other/model.ts', 'export const other = (;\n');
    write('pages/third/page.ts', "import { other } from '../../resources/other/model';\nexport const x = other;\n");
    const { pages, problems } = await compile();
    expect(pages.map(({ pageRef }) => pageRef)).toEqual(['/shop/orders', '/shop/second']);
    expect(problems).toEqual([
      { pageRef: '/third', file: 'resources/other/model.ts', line: 1, message: expect.stringMatching(/Unexpected/) },
    ]);
    write('resources/other/model.ts', 'export const other = 1;\n');
    expect((await compile()).problems).toEqual([]);
  });

  it('that are missing are found as soon as they are there', async () => {
    write('pages/third/page.ts', "import { late } from '../late';\nexport const x = late;\n");
    expect((await compile()).problems).toMatchObject([{ pageRef: '/third', file: 'pages/third/page.ts', line: 1 }]);
    write('pages/late.ts', 'export const late = 1;\n');
    expect((await compile()).problems).toEqual([]);
    rmSync(join(projectDir, 'pages/late.ts'));
    expect((await compile()).problems).toMatchObject([{ pageRef: '/third', line: 1 }]);
  });

  it('may import each other in a circle, data, packages and what Node has', async () => {
    write('lib/a.ts', "import { b } from './b';\nexport const a = () => `a${b()}`;\nexport const end = () => 'end';\n");
    write('lib/b.ts', "import { end } from './a';\nexport const b = () => `b${end()}`;\n");
    write('lib/data.json', '{"title": "From data"}');
    write('node_modules/tiny/package.json', '{"name": "tiny", "type": "module", "exports": "./index.js"}');
    write('node_modules/tiny/index.js', "import { more } from './more.js';\nexport default () => more;\n");
    write('node_modules/tiny/more.js', "export const more = 'tiny';\n");
    const titled = testProject[pageFile]!.replace("title: 'Orders'", 'title: title()').replace(
      '@Page(',
      "import { a } from '../../../lib/a';\nimport data from '../../../lib/data.json';\nimport tiny from 'tiny';\nimport { sep } from 'node:path';\nconst title = () => [a(), data.title, tiny(), sep].join(' ');\n@Page(",
    );
    write(pageFile, titled);
    const { pages, problems } = await compile();
    expect(problems).toEqual([]);
    expect(await judgePage(pages[0]!, modulesOf())).toMatchObject({ kind: 'good', title: 'abend From data tiny /' });
    write('lib/data.json', '{"title": "Other data"}');
    const [edited] = (await compile()).pages;
    expect(await judgePage(edited!, modulesOf())).toMatchObject({ title: 'abend Other data tiny /' });
  });

  it('say where a name is read that a file does not export', async () => {
    write(pageFile, testProject[pageFile]!.replaceAll('OrdersModel', 'MissingModel'));
    const { pages } = await compile();
    expect(await judgePage(pages[0]!, modulesOf())).toEqual({
      kind: 'bad',
      problem: expect.objectContaining({
        file: pageFile,
        message: 'No matching export in "resources/orders/model.ts" for import "MissingModel"',
      }),
    });
  });
});

describe('the shelf of a worker', () => {
  const shelfOf = async () => {
    const { pages } = await compile();
    const served = pages.map((compiled) => ({
      compiled,
      title: compiled.pageRef,
      permission: 'shop.read',
      tenantTables: [],
    }));
    const modules = modulesOf();
    const loaded: string[] = [];
    const load: typeof modules.load = (page) => {
      loaded.push(`${page.pageRef}@${page.version.slice(0, 4)}`);
      return modules.load(page);
    };
    const shelf = createPageShelf(
      { pages: served, unloaded: ['/broken'] },
      pageCodeHere({ ...modules, load }),
      () => undefined,
    );
    return { shelf, served, loaded };
  };
  const find = async (shelf: Awaited<ReturnType<typeof shelfOf>>['shelf'], path: string) => {
    const found = await shelf.find(`/dms/pages${path}`);
    if (found?.kind === 'route') return [found.route.note.method, found.params];
    return found?.kind === 'unloaded' ? [found.kind, found.exact] : found?.kind;
  };

  it('loads a page when it is asked for, once, and none for the list', async () => {
    const { shelf, loaded } = await shelfOf();
    expect(shelf.list().map(({ title }) => title)).toEqual(['/shop/orders', '/shop/second']);
    expect(loaded).toEqual([]);
    expect(await find(shelf, '/shop/orders/stats/count')).toEqual(['count', {}]);
    expect(await find(shelf, '/shop/orders')).toBe('page');
    expect(loaded.map((each) => each.split('@')[0])).toEqual(['/shop/orders']);
  });

  it('finds exactly the addresses that are declared', async () => {
    const { shelf } = await shelfOf();
    expect(await find(shelf, '/shop/orders/stats/of/a%2Fb')).toEqual(['ofStatus', { status: 'a/b' }]);
    for (const path of [
      '/shop/orders/',
      '/shop',
      '/shop/orders/stats/of/',
      '/shop/orders/stats/of/%zz',
      '/Shop/orders',
    ])
      expect([path, await find(shelf, path)]).toEqual([path, undefined]);
    expect(await find(shelf, '/broken')).toEqual(['unloaded', true]);
    expect(await find(shelf, '/broken/stats/x')).toEqual(['unloaded', false]);
  });

  it('loads a page again after an attempt that failed, as when no process of page code starts', async () => {
    const { served } = await shelfOf();
    const code = pageCodeHere(modulesOf());
    const load = jest.fn(code.load).mockRejectedValueOnce(new Error('no folder'));
    const shelf = createPageShelf({ pages: served, unloaded: [] }, { ...code, load }, () => undefined);
    await expect(shelf.find('/dms/pages/shop/orders')).rejects.toThrow('no folder');
    expect(await find(shelf, '/shop/orders')).toBe('page');
  });

  it('replaces what changed, while requests keep the version that they began with', async () => {
    const { shelf, loaded } = await shelfOf();
    const before = await shelf.find('/dms/pages/shop/orders');
    await shelf.find('/dms/pages/shop/second');
    write(pageFile, testProject[pageFile]!.replace("@Get('/stats/count')", "@Get('/stats/counted')"));
    const [edited] = (await compile()).pages;
    shelf.change({
      set: [{ compiled: edited!, title: 'Edited', permission: 'p', tenantTables: [] }],
      gone: [],
      unloaded: [],
    });
    expect(await find(shelf, '/shop/orders/stats/counted')).toEqual(['count', {}]);
    expect(await find(shelf, '/shop/orders/stats/count')).toBeUndefined();
    expect(await find(shelf, '/shop/second/stats/count')).toEqual(['count', {}]);
    expect(before?.kind === 'page' && before.page.routes[0]?.note.endpoint).toBe('/stats/count');
    expect(loaded).toHaveLength(3);
    shelf.change({ set: [], gone: ['/shop/orders'], unloaded: [] });
    expect(await find(shelf, '/shop/orders')).toBeUndefined();
  });
});

describe('a project of many pages', () => {
  it('is compiled in builds of some files each, and an edit leaves what was compiled of other pages as it is', async () => {
    const plain = (at: number) => `export const value${at} = ${at};\n`;
    for (let at = 0; at < 450; at += 1) write(`pages/many/p${at}/page.ts`, plain(at));
    write('pages/many/p399/page.ts', 'export const = 1;\n');
    const { pages, problems } = await compile();
    expect(pages).toHaveLength(451);
    expect(problems.map(({ pageRef }) => pageRef)).toEqual(['/many/p399']);
    write('pages/many/p7/page.ts', plain(700));
    const after = await compile();
    const changed = after.pages.filter((page, at) => page !== pages[at]);
    expect(changed.map(({ pageRef }) => pageRef)).toEqual(['/many/p7']);
  });
});

describe('a header that a route reads', () => {
  const loadWith = async (header: string) => {
    write(pageFile, testProject[pageFile]!.replace("@Header('X-Status')", `@Header(${JSON.stringify(header)})`));
    const page = (await compile()).pages.find(({ pageRef }) => pageRef === '/shop/orders')!;
    const loading = await loadPage(page, modulesOf());
    return loading.kind === 'failed' ? loading.problem.message : 'loaded';
  };

  it.each(['x-status', 'X-STATUS', 'X_Status', 'x.status~1'])('may be written %s', async (header) => {
    expect(await loadWith(header)).toBe('loaded');
  });

  it.each(['Authorization', 'COOKIE', 'Proxy-Authorization', 'Coo\u212aie'])(
    'is never the proof of who calls, however it is written: %s',
    async (header) => {
      expect(await loadWith(header)).toMatch(/is the platform's and is not given to pages/);
    },
  );

  it.each(['', ' X-Status', 'X Status', 'X-Stätus', 'X-Status:', 'X-Status\n'])(
    'has a name that a request can carry, else the page says so when it is loaded: %j',
    async (header) => {
      expect(await loadWith(header)).toMatch(/^byHeader: .* is no name of a header/);
    },
  );
});
