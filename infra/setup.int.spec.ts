/** Set-up and the closing line of CI, on a small repository with a package manager that only records its calls. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(__dirname, '..');
let folder: string;

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  chmodSync(join(folder, file), mode);
}

function run(command: string, args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = {
    ...process.env,
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    NATS_URL: 'nats://127.0.0.1:1',
  };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

const setup = (...args: string[]) => run(process.execPath, ['infra/setup.mjs', ...args]);
const quiet = '--no-audit --no-fund --loglevel=error --prefer-offline';
const calls = (): string[] =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'setup-spec-'));
  mkdirSync(join(folder, 'infra'));
  mkdirSync(join(folder, 'libs/command-line/src'), { recursive: true });
  for (const file of [
    'infra/setup.mjs',
    'infra/build.mjs',
    'infra/build.command.cjs',
    'infra/build-page.mjs',
    'infra/build-packages.mjs',
    'libs/command-line/src/index.cjs',
    'tsconfig.base.json',
  ])
    copyFileSync(join(root, file), join(folder, file));
  write('package-lock.json', '{"lockfileVersion":3}');
  write(
    'bin/npm',
    `#!/bin/sh\necho "$@" >> ${folder}/calls\nmkdir -p ${folder}/node_modules/esbuild\necho '{}' > ${folder}/node_modules/esbuild/package.json\n`,
    0o755,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('set-up', () => {
  it('says in one line each what it did, and does not install twice', () => {
    const first = setup();
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(
      first.stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/\d+ (ms|s)/, 'n $1')),
    ).toEqual([
      `setup: node ${process.versions.node}`,
      'setup: packages: installing all (first set-up) …',
      'setup: packages installed in n s',
      'setup: nats-server: using the one at NATS_URL',
      'setup: build: 0 built, 0 unchanged (n ms)',
    ]);
    expect(setup().stdout).toContain('setup: packages unchanged');
    expect(calls()).toEqual([`ci --include=dev ${quiet}`]);
  });

  it('installs again when the lock file changed', () => {
    setup();
    write('package-lock.json', '{"lockfileVersion":3,"changed":true}');
    expect(setup().stdout).toContain('installing all (package-lock.json changed)');
    expect(calls()).toHaveLength(2);
  });

  it('installs for running what running needs, and adds the rest when tests need it', () => {
    expect(setup('--run').stdout).toContain('installing what running needs (first set-up)');
    expect(setup('--run').stdout).toContain('packages unchanged');
    expect(setup().stdout).toContain('installing all (those for development are missing)');
    expect(setup('--run').stdout).toContain('packages unchanged');
    expect(setup().stdout).toContain('packages unchanged');
    expect(calls()).toEqual([`ci --omit=dev ${quiet}`, `install --no-save --include=dev ${quiet}`]);
  });

  it('never reduces a full installation, by itself or by hand, to what running needs', () => {
    setup();
    write('package-lock.json', '{"lockfileVersion":3,"changed":true}');
    expect(setup('--run').stdout).toContain('installing all (package-lock.json changed)');
    rmSync(join(folder, 'node_modules/.installed-lock'));
    write('node_modules/.package-lock.json', '{"packages":{"node_modules/jest":{"dev":true}}}');
    expect(setup('--run').stdout).toContain('installing all (first set-up)');
    expect(calls()).toEqual(Array(3).fill(`ci --include=dev ${quiet}`));
  });

  it('tells what to do when packages cannot be installed, without the address that npm names, and tries again next time', () => {
    write(
      'bin/npm',
      `#!/bin/sh\necho "$@" >> ${folder}/calls\necho 'npm error code EUSAGE' >&2\necho 'npm error https://registry.example/x' >&2\nexit 1\n`,
      0o755,
    );
    const failed = setup();
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('npm error code EUSAGE');
    expect(failed.stderr).toContain('setup stopped: `npm ci --include=dev` failed');
    expect(failed.stderr).not.toContain('registry.example');
    setup();
    expect(calls()).toHaveLength(2);
  });
});

describe('.ci/run', () => {
  beforeEach(() => {
    mkdirSync(join(folder, '.ci'));
    copyFileSync(join(root, '.ci/run'), join(folder, '.ci/run'));
    // A suite must install nothing on the machine.
    write('bin/apt-get', '#!/bin/sh\nexit 1\n', 0o755);
  });

  it.each([
    ['12 passed, 0 failed', 0],
    ['11 passed, 1 failed', 1],
  ])('closes with "%s" also when the package manager adds lines after it', (totals, code) => {
    write(
      'bin/npm',
      `#!/bin/sh\necho "$@" > ${folder}/calls\necho "$CI"\necho '${totals}'\necho 'npm error Lifecycle script failed' >&2\nexit ${code}\n`,
      0o755,
    );
    const ran = run('bash', ['.ci/run']);
    expect({ status: ran.status, last: lastLine(ran.stdout) }).toEqual({ status: code, last: totals });
    expect(calls()).toEqual(['test']);
  });

  it('counts a run that never reached the tests as a failure', () => {
    write('bin/npm', '#!/bin/sh\necho broken\nexit 1\n', 0o755);
    const ran = run('bash', ['.ci/run']);
    expect({ status: ran.status, last: lastLine(ran.stdout) }).toEqual({ status: 1, last: '0 passed, 1 failed' });
  });
});
