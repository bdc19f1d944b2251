/**
 * The executors detect violations: in a small test repository, each rule is broken by some code, and the project that
 * owns the code must fail. Otherwise an executor that always answers "ok" would pass everything in `npm test`.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runProgram } from '../../test/support/run-program';

interface Result {
  readonly success: boolean;
  readonly terminalOutput: string;
}
interface Project {
  readonly name: string;
  readonly root: string;
}
interface Shared {
  ownerOf(file: string, projects: readonly Project[]): string | undefined;
  resultsOf(
    selected: readonly { name: string }[],
    all: readonly Project[],
    findings: readonly { file: string | null; line: string }[],
  ): Map<string, Result>;
}
const repository = resolve(__dirname, '../..');
const load = createRequire(__filename);
const { ownerOf, resultsOf } = load('./run-by-project.cjs') as Shared;
let root: string;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Runs one target of some projects in a process of plain Node, as Nx does; true for each project that passes. */
async function run(target: string, ...names: readonly string[]): Promise<Record<string, boolean>> {
  const projects = Object.fromEntries(['a', 'b'].map((name) => [name, { root: `libs/${name}` }]));
  const tasks = Object.fromEntries(
    names.map((name) => [name, { id: name, target: { project: name, target }, projectRoot: `libs/${name}` }]),
  );
  const call = [{ tasks }, {}, {}, { root, projectsConfigurations: { projects } }].map((part) => JSON.stringify(part));
  const answer = join(root, 'answer.json');
  const script = `require(${JSON.stringify(join(__dirname, `${target}.cjs`))}).batch(${call.join()}).then((results) =>
    require('node:fs').writeFileSync(${JSON.stringify(answer)}, JSON.stringify(results)))`;
  const { status, stderr } = await runProgram(['-e', script], { env: { ...process.env, CI: 'true' } });
  if (status !== 0) throw new Error(stderr);
  const results = JSON.parse(readFileSync(answer, 'utf8')) as Record<string, Result>;
  return Object.fromEntries(Object.entries(results).map(([name, { success }]) => [name, success]));
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'executors-spec-'));
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  write(
    'tsconfig.json',
    '{"compilerOptions":{"strict":true,"noEmit":true,"types":[]},"include":["libs"],"exclude":[]}',
  );
  write('libs/a/one.ts', 'export const one: number = 1;\n');
  write('libs/b/two.ts', "import { one } from '../a/one';\nexport const two: number = one + 1;\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a finding', () => {
  const projects = [
    { name: 'repository', root: '.' },
    { name: 'infra', root: 'infra' },
    { name: 'broker', root: 'infra/nats' },
  ];

  it.each([
    ['infra/nats/apply.ts', 'broker'],
    ['infra/setup.mjs', 'infra'],
    ['infrastructure.ts', 'repository'],
  ])('in %s belongs to %s, the deepest folder that holds it', (file, owner) => {
    expect(ownerOf(file, projects)).toBe(owner);
  });

  it.each([
    ['of one project fails that project', 'infra/setup.mjs', { infra: false, broker: true }],
    ['without a file fails all, because none is proven', null, { infra: false, broker: false }],
    ['in a project that was not selected fails all', 'eslint.config.mjs', { infra: false, broker: false }],
  ])('%s', (_title, file, expected) => {
    const results = resultsOf([{ name: 'infra' }, { name: 'broker' }], projects, [{ file, line: 'broken' }]);
    expect(Object.fromEntries([...results].map(([name, { success }]) => [name, success]))).toEqual(expected);
  });
});

describe('typecheck', () => {
  it('passes what is right, and fails the project whose file is wrong', async () => {
    expect(await run('typecheck', 'a', 'b')).toEqual({ a: true, b: true });
    write('libs/b/two.ts', "export const two: number = 'two';\n");
    expect(await run('typecheck', 'a', 'b')).toEqual({ a: true, b: false });
    expect(existsSync(join(root, '.local/failed-tasks/typecheck-b'))).toBe(true);
    expect(existsSync(join(root, '.local/failed-tasks/typecheck-a'))).toBe(false);
  });

  it('does not pass a project over an error in another one that its program reads', async () => {
    write('libs/a/one.ts', "export const one: number = 'one';\n");
    expect(await run('typecheck', 'b')).toEqual({ b: false });
  });
});

describe('typecheck of one project', () => {
  it('knows the style that another project declares, as the program of all projects does', async () => {
    write('libs/a/src/css.d.ts', "declare module 'a/style.css' {\n  const text: string;\n  export default text;\n}\n");
    write('libs/b/styled.ts', "import text from 'a/style.css';\nexport const shown: string = text;\n");
    expect(await run('typecheck', 'b')).toEqual({ b: true });
    expect(await run('typecheck', 'a', 'b')).toEqual({ a: true, b: true });
  });
});

describe('lint', () => {
  beforeEach(() => {
    write('eslint.config.mjs', "export default [{ files: ['**/*.js'], rules: { 'no-var': 'error' } }];\n");
    write('.oxlintrc.json', '{"plugins":["typescript"],"rules":{"typescript/no-floating-promises":"error"}}');
  });

  it('fails the project that breaks a rule of ESLint', async () => {
    write('libs/a/old.js', 'var x = 1;\nexport default x;\n');
    expect(await run('lint', 'a', 'b')).toEqual({ a: false, b: true });
  });

  it('fails the project that breaks a rule that needs types', async () => {
    write(
      'libs/b/lost.ts',
      'const work = async (): Promise<void> => {};\nexport const start = (): void => {\n  work();\n};\n',
    );
    expect(await run('lint', 'a', 'b')).toEqual({ a: true, b: false });
  });
});

describe('test', () => {
  const reporter = JSON.stringify(join(repository, 'test/support/totals-reporter.cjs'));

  it('fails the project whose suite fails, and keeps the totals of each', async () => {
    write('jest.config.cjs', `module.exports = { testMatch: ['**/*.spec.js'], reporters: [${reporter}] };\n`);
    write('libs/a/good.spec.js', "it('holds', () => expect(1).toBe(1));\n");
    write('libs/b/bad.spec.js', "it('does not hold', () => expect(1).toBe(2));\n");
    expect(await run('test', 'a', 'b')).toEqual({ a: true, b: false });
    expect(load(join(root, '.local/test-totals/b.json'))).toMatchObject({ passed: 0, failed: 1 });
  });

  it('passes no project when the run fails outside its suites', async () => {
    write(
      'jest.config.cjs',
      `module.exports = { testMatch: ['**/*.spec.js'], globalTeardown: './end.cjs', reporters: [${reporter}] };\n`,
    );
    write('end.cjs', "module.exports = () => Promise.reject(new Error('not ended'));\n");
    write('libs/a/good.spec.js', "it('holds', () => expect(1).toBe(1));\n");
    expect(await run('test', 'a', 'b')).toEqual({ a: false, b: false });
  });
});
