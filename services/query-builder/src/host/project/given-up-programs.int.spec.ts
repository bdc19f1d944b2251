/** Programs that no page needs are removed; a page that needs one of them again finds it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeProject } from '../testing/serve-pages';
import { testProject } from '../testing/project';
import { openCodeStore, type CodeStore } from './code-store';
import { createCompiler, type Compiler } from './compile-pages';
import { judgePage } from './judge-page';
import { createPageModules } from './page-modules';
import { scanProject } from './scan-project';

const pageFile = 'pages/shop/orders/page.ts';
const modelFile = 'resources/orders/model.ts';
const [page, model] = [testProject[pageFile]!, testProject[modelFile]!];

let projectDir: string;
let store: CodeStore;
let compiler: Compiler;
const write = (path: string, text: string): void => writeFileSync(join(projectDir, path), text);

beforeEach(() => {
  projectDir = writeProject(testProject);
  store = openCodeStore();
  compiler = createCompiler(projectDir, store);
});
afterEach(() => {
  store.remove();
  rmSync(projectDir, { recursive: true, force: true });
});

/** The verdicts on the pages, with no other programs kept than theirs, as after each edit. */
async function bring(): Promise<string[]> {
  const { pages, problems } = await compiler.compile(await scanProject(projectDir));
  const verdicts = await Promise.all(pages.map((each) => judgePage(each, createPageModules(store.folder))));
  store.retain(new Set(pages.flatMap(({ files }) => files.map(({ code }) => code))));
  return [
    ...problems.map(({ message }) => message),
    ...verdicts.map((verdict) => (verdict.kind === 'bad' ? verdict.problem.message : 'good')),
  ];
}

describe('a page', () => {
  it('that was removed loads when it comes back', async () => {
    expect(await bring()).toEqual(['good']);
    rmSync(join(projectDir, pageFile));
    expect(await bring()).toEqual([]);
    write(pageFile, page);
    expect(await bring()).toEqual(['good']);
  });

  it('that was edited with a model that does not compile loads when the model is repaired', async () => {
    expect(await bring()).toEqual(['good']);
    write(pageFile, page.replace("title: 'Orders'", "title: 'All orders'"));
    write(modelFile, `${model}}`);
    expect(await bring()).toEqual(['Unexpected "}"']);
    write(modelFile, model);
    expect(await bring()).toEqual(['good']);
  });
});
