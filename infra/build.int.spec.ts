/** The bundler's script on a small separate repository: what is built, what is skipped, and what is printed. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '..');
let folder: string;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function build(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/build.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout: stdout.replace(/\(\d+ ms\)/, '(n ms)').trim(), stderr };
}

const run = (bundle: string): string =>
  spawnSync(process.execPath, [bundle], { cwd: folder, encoding: 'utf8' }).stdout.trim();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-spec-'));
  mkdirSync(join(folder, 'infra'));
  mkdirSync(join(folder, 'libs/command-line/src'), { recursive: true });
  for (const script of [
    'infra/build.mjs',
    'infra/build.command.cjs',
    'infra/build-page.mjs',
    'infra/build-packages.mjs',
    'libs/command-line/src/index.cjs',
  ])
    copyFileSync(join(root, script), join(folder, script));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  write(
    'tsconfig.base.json',
    JSON.stringify({ compilerOptions: { paths: { '@platform/words': ['./libs/words/src/index.ts'] } } }),
  );
  write('libs/words/src/index.ts', `export const word: string = 'one';`);
  write('services/a/src/main.ts', `import { word } from '@platform/words';\nconsole.log(word);`);
  write('services/b/src/main.ts', `import { z } from 'zod';\nconsole.log(z.string().parse('b'));`);
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the build', () => {
  it('bundles own libraries from their sources and leaves packages outside', () => {
    expect(build()).toMatchObject({ status: 0, stdout: 'build: 2 built, 0 unchanged (n ms)' });
    expect(run('dist/services/a/main.js')).toBe('one');
    expect(run('dist/services/b/main.js')).toBe('b');
    expect(readFileSync(join(folder, 'dist/services/b/main.js'), 'utf8')).toContain('require("zod")');
  });

  it('leaves alone what did not change, also when only the time of a file did', () => {
    build();
    utimesSync(join(folder, 'libs/words/src/index.ts'), new Date(), new Date());
    expect(build().stdout).toBe('build: 0 built, 2 unchanged (n ms)');
  });

  it('builds again what a changed library went into, and only that', () => {
    build();
    write('libs/words/src/index.ts', `export const word: string = 'two';`);
    expect(build().stdout).toBe('build: 1 built, 1 unchanged (n ms)');
    expect(run('dist/services/a/main.js')).toBe('two');
  });

  it('names an entry that cannot be bundled, and builds the others', () => {
    write('services/b/src/main.ts', `import './missing';`);
    const built = build();
    expect(built).toMatchObject({ status: 1, stdout: 'build: 1 built, 0 unchanged, 1 FAILED (n ms)' });
    expect(built.stderr).toContain('services/b/src/main.ts');
    expect(built.stderr).toContain('Could not resolve "./missing"');
    expect(build().stdout).toBe('build: 0 built, 1 unchanged, 1 FAILED (n ms)');
  });

  it('bundles once what programs share, and a program that is started with it needs no packages of its own', () => {
    write(
      'infra/local/shared-packages.cjs',
      readFileSync(join(root, 'infra/local/shared-packages.cjs'), 'utf8').replace(
        /(?<=sharedPackages = )\{[^}]*\}/,
        "{ zod: ['zod'] }",
      ),
    );
    copyFileSync(join(root, 'infra/local/compile-cache.cjs'), join(folder, 'infra/local/compile-cache.cjs'));
    write('package-lock.json', '{}');
    expect(build()).toMatchObject({ status: 0, stdout: 'build: 2 built, 0 unchanged (n ms)' });
    const shared = join(folder, 'dist/packages/zod.js');
    const { mtimeMs } = statSync(shared);
    build();
    expect(statSync(shared).mtimeMs).toBe(mtimeMs);
    rmSync(join(folder, 'node_modules'));
    const start = (...flags: string[]) =>
      spawnSync(process.execPath, [...flags, 'dist/services/b/main.js'], { cwd: folder, encoding: 'utf8' });
    expect(start('--require', './infra/local/compile-cache.cjs')).toMatchObject({ status: 0, stdout: 'b\n' });
    expect(start().stderr).toContain("Cannot find module 'zod'");
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    write('package-lock.json', '{ "lockfileVersion": 3 }');
    build();
    expect(statSync(shared).mtimeMs).toBeGreaterThan(mtimeMs);
  });

  it('builds only what it is asked for', () => {
    expect(build('--quiet', 'services/a/src/main.ts')).toMatchObject({ status: 0, stdout: '' });
    expect(build().stdout).toBe('build: 1 built, 1 unchanged (n ms)');
  });
});
