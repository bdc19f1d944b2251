/** A page's programs are made of its project and of packages: no import gives page code another file of the machine. */
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { testProject } from '../testing/project';
import { writeProject } from '../testing/serve-pages';
import { openCodeStore, type CodeStore } from './code-store';
import { createCompiler } from './compile-pages';
import { judgePage } from './judge-page';
import { createPageModules } from './page-modules';
import { scanProject } from './scan-project';

const pageFile = 'pages/shop/orders/page.ts';
const page = testProject[pageFile]!;
const titled = (specifier: string): string =>
  `import * as taken from '${specifier}';\n${page.replace("title: 'Orders'", 'title: JSON.stringify(taken)')}`;

let outside: string;
let projectDir: string;
let store: CodeStore;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(projectDir, path)), { recursive: true });
  writeFileSync(join(projectDir, path), text);
};
const compile = async (dir = projectDir) => createCompiler(dir, store).compile(await scanProject(dir));
const titleOf = async (found: Awaited<ReturnType<typeof compile>>): Promise<unknown> => {
  const verdict = await judgePage(found.pages[0]!, createPageModules(store.folder));
  return verdict.kind === 'good' ? verdict.title : verdict;
};

beforeEach(() => {
  // A project that is a folder in a larger one, as it is beside the service's own files.
  outside = realpathSync(
    writeProject({ 'secret.json': '{"key":"SECRET"}', 'secret.ts': "export const key = 'SECRET';" }),
  );
  const written = writeProject(testProject);
  projectDir = join(outside, 'project');
  renameSync(written, projectDir);
  store = openCodeStore();
});
afterEach(() => {
  store.remove();
  rmSync(outside, { recursive: true, force: true });
});

describe('a file outside of the project', () => {
  it.each([
    ['by a path', () => '../../../../secret.json'],
    ['by a path without its ending', () => '../../../../secret'],
    ['by its whole path', () => join(outside, 'secret.ts')],
    [
      'by a link in the project',
      () => {
        symlinkSync(join(outside, 'secret.json'), join(projectDir, 'pages/shop/orders/link.json'));
        return './link.json';
      },
    ],
    [
      'by a package that names it as its main file',
      () => {
        write('node_modules/tiny/package.json', '{"name":"tiny","main":"../../../secret.json"}');
        return 'tiny';
      },
    ],
    [
      'by a file of a package',
      () => {
        write('node_modules/tiny/package.json', '{"name":"tiny","main":"index.js"}');
        write('node_modules/tiny/index.js', "export { default as held } from '../../../secret.json';\n");
        return 'tiny';
      },
    ],
    [
      'by a name of the project’s own',
      () => {
        write('package.json', '{"name":"pages","imports":{"#held":"../secret.json"}}');
        return '#held';
      },
    ],
  ])('is in no program, whatever imports it: %s', async (_how, prepare) => {
    write(pageFile, titled(prepare()));
    const found = await compile();
    expect(found.pages).toEqual([]);
    expect(found.problems).toMatchObject([{ pageRef: '/shop/orders' }]);
  });

  it('is in a program when it is a file of a package that is linked from there', async () => {
    mkdirSync(join(outside, 'linked/src'), { recursive: true });
    writeFileSync(join(outside, 'linked/package.json'), '{"name":"@our/linked","main":"src/index.ts"}');
    writeFileSync(join(outside, 'linked/src/index.ts'), "export * from './more';\n");
    writeFileSync(join(outside, 'linked/src/more.ts'), "export const more = 'linked';\n");
    mkdirSync(join(projectDir, 'node_modules/@our'), { recursive: true });
    symlinkSync(join(outside, 'linked'), join(projectDir, 'node_modules/@our/linked'));
    write(pageFile, titled('@our/linked'));
    expect(await titleOf(await compile())).toBe('{"more":"linked"}');
  });
});
