/**
 * A separate page project: created from the template, on the packages as npm would install them, and with no other file
 * of this repository.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram, type ProgramRun } from '../test/support/run-program';

const root = resolve(__dirname, '..');
let folder: string;
let project: string;

/** Unpacks what `npm install` would, without a registry. */
function install(): void {
  const scope = join(project, 'node_modules/@platform');
  mkdirSync(scope, { recursive: true });
  for (const file of readdirSync(join(project, 'vendor'))) {
    const target = join(scope, file.replace(/^platform-(.*)-\d+\.\d+\.\d+\.tgz$/, '$1'));
    mkdirSync(target);
    execFileSync('tar', ['xzf', join(project, 'vendor', file), '-C', target, '--strip-components=1']);
  }
  for (const name of ['typescript', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
}

const compile = (...options: readonly string[]): Promise<ProgramRun> =>
  runProgram([join(root, 'node_modules/typescript/bin/tsc'), '-p', project, ...options]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packed-'));
  project = join(folder, 'our-pages');
  const made = await runProgram(['infra/pack.mjs', '--out', join(folder, 'packages'), '--project', project]);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  install();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a page project from the template', () => {
  it('compiles, and its own check loads every page and rehearses every route', async () => {
    expect(await compile()).toMatchObject({ status: 0, stdout: '' });
    const checked = await runProgram(['--test', '--test-reporter=tap', join(project, 'test/pages.test.mjs')]);
    expect(checked.stdout).toContain('ok 2 - visits/page.js can be served');
    expect(checked.status).toBe(0);
  });

  const refusals = [
    ["'startedAt', 'ge'", "'startedAt', 'contains'", 'an operator that there is none of'],
    ["'startedAt', 'ge'", "'begunAt', 'ge'", 'a field that the resource has not'],
    ["bucket: 'day'", "bucket: 'week'", 'a bucket that there is none of'],
  ] as const;

  describe('whose model is wrong', () => {
    const copyOf = (wrong: string): string => `model-${refusals.findIndex((row) => row[1] === wrong)}.ts`;
    let refused: ProgramRun;

    // Each wrong model is a file of its own, so that one run of the compiler judges all of them.
    beforeAll(async () => {
      const model = join(project, 'resources/visits');
      const text = readFileSync(join(model, 'model.ts'), 'utf8');
      for (const [right, wrong] of refusals) writeFileSync(join(model, copyOf(wrong)), text.replace(right, wrong));
      refused = await compile('--noEmit');
      for (const [, wrong] of refusals) rmSync(join(model, copyOf(wrong)));
    });

    it.each(refusals)('has types that refuse %s → %s: %s', (_right, wrong) => {
      expect(refused.status).not.toBe(0);
      expect(refused.stdout).toContain(copyOf(wrong));
      expect(refused.stdout).not.toContain('model.ts');
    });
  });

  it('fails its own check for a chain that no request could run', async () => {
    const file = join(project, 'resources/visits/model.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace("'startedAt', 'ge', minStartedAt", "'begunAt' as never, 'ge', minStartedAt as never"),
    );
    await compile();
    const checked = await runProgram(['--test', join(project, 'test/pages.test.mjs')]);
    writeFileSync(file, text);
    expect(checked.status).not.toBe(0);
  });

  it('is refused where it would fall into files that are there', async () => {
    const again = await runProgram(['infra/pack.mjs', '--out', join(folder, 'again'), '--project', project]);
    expect(again).toMatchObject({ status: 2, stdout: '' });
    expect(again.stderr).toContain('is not empty');
  });
});

describe('the packages', () => {
  it('hold typed entries, and name in their dependencies all that they import', async () => {
    const typed = join(folder, 'types');
    mkdirSync(typed);
    symlinkSync(join(project, 'node_modules'), join(typed, 'node_modules'));
    writeFileSync(
      join(typed, 'use.ts'),
      `import { createTemplateRegistry, type QueryBuilder } from '@platform/builder';
import { createBuilderClient } from '@platform/builder/client';
import { isPageRef } from '@platform/base/page';
export const used: [QueryBuilder?, boolean?] = [undefined, isPageRef('/a')];
export const made = [createTemplateRegistry(), createBuilderClient];
`,
    );
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'node16',
      '--target',
      'es2023',
      '--types',
      'node',
    ];
    // The compiler of this repository, because it also judges every library's declarations.
    const compiled = await runProgram([
      join(root, 'node_modules/typescript-native/bin/tsc'),
      ...options,
      join(typed, 'use.ts'),
    ]);
    expect(compiled).toMatchObject({ status: 0, stdout: '' });
    for (const name of readdirSync(join(project, 'node_modules/@platform'))) {
      const own = join(project, 'node_modules/@platform', name);
      const { dependencies = {}, ...rest } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
        dependencies?: Record<string, string>;
        private?: boolean;
      };
      expect(rest.private).toBeUndefined();
      const sources = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /\.(?:d\.ts|js)$/.test(file),
      );
      const imported = sources.flatMap((file) =>
        [...readFileSync(join(own, file), 'utf8').matchAll(/(?:from|require\()\s*["']([^."'][^"']*)["']/g)].map(
          ([, path]) => path!,
        ),
      );
      const missing = imported.filter(
        (path) =>
          !path.startsWith('node:') &&
          !Object.keys(dependencies).some((each) => path === each || path.startsWith(`${each}/`)),
      );
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });
});
