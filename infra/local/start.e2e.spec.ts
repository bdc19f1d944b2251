/**
 * `npm start` as a person experiences it: README commands as printed, a second start, a part that dies, a start that is
 * killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually, proofSize } from '@platform/testing';
import { runProgram } from '../../test/support/run-program';
import { compileCacheFlags } from './compile-cache-flags';
import { patient } from './demo/patient-client';
import { readLivePids } from './pid-files';
import { findPortBase } from '../../test/support/free-ports';
import { buildBundles } from '../../test/support/platform';

const root = resolve(__dirname, '../..');
const portBase = findPortBase();
const localDir = mkdtempSync(join(tmpdir(), 'workspace-platform-start-'));
const { NATS_URL: _nats, MONGODB_URL: _mongodb, STRIPE_SECRET_KEY: _provider, ...inherited } = process.env;
const environment = { ...inherited, PORT_BASE: String(portBase), LOCAL_DIR: localDir };

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when the output matches; rejects when the process ends first. */
  shows(pattern: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
}

function start(
  args: readonly string[] = [],
  without: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(
    process.execPath,
    [
      ...compileCacheFlags(root),
      'dist/infra/local/start.js',
      ...args,
      ...without.flatMap((part) => ['--without', part]),
    ],
    {
      cwd: root,
      env: { ...environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  let look = (): void => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      look();
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const shows = (pattern: RegExp): Promise<void> =>
    new Promise((fulfil, reject) => {
      look = () => pattern.test(output) && fulfil();
      look();
      void ended.then(() =>
        pattern.test(output) ? fulfil() : reject(new Error(`ended without ${pattern}:\n${output}`)),
      );
    });
  return { child, output: () => output, shows, ended };
}

async function startReady(...given: Parameters<typeof start>): Promise<Started> {
  const started = start(...given);
  await started.shows(/ready after/);
  return started;
}

async function interrupt(started: Started): Promise<number | null> {
  started.child.kill('SIGINT');
  return started.ended;
}

const script = (file: string, ...args: string[]) =>
  runProgram([`dist/infra/local/${file}.js`, ...args], { env: environment });

/** The shell block of the README with this beginning, with this platform's ports and folder; its actions wait longer. */
function readmeCommands(beginning: string): string {
  const blocks = readFileSync(join(root, 'README.md'), 'utf8').match(/(?<=```sh\n)[\s\S]*?(?=```)/g) ?? [];
  return (blocks.find((block) => block.startsWith(beginning)) ?? '')
    .replaceAll('127.0.0.1:7010', `127.0.0.1:${portBase + 10}`)
    .replaceAll('127.0.0.1:7050', `127.0.0.1:${portBase + 50}`)
    .replaceAll('.local/', `${localDir}/`)
    .replaceAll('curl -s', `curl -s -H 'Prefer: ${patient.prefer}'`);
}

/** Every source by its content, without what commands make and keep: another suite builds its site below `.temp`. */
function sources(): ReadonlyMap<string, string> {
  const made = ['node_modules', 'dist', '.nx', '.git', 'coverage', '.temp'];
  const list = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !made.includes(name) && !name.startsWith('.local'))
      .flatMap((entry) => (entry.isDirectory() ? list(join(folder, entry.name)) : [join(folder, entry.name)]));
  return new Map(
    list(root).map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')] as const),
  );
}

beforeAll(async () => {
  await buildBundles();
});
afterAll(() => rmSync(localDir, { recursive: true, force: true }));

describe('a running platform', () => {
  let platform: Started;
  beforeAll(async () => void (platform = await startReady(['--fresh'])));
  afterAll(async () => void (await interrupt(platform)));

  /** The parts that the later starts do not need; the first one starts everything. */
  const aside = ['query-builder', 'billing-webhook', 'provisioning', 'storage-consumer', 'search-index-consumer'];
  const credit = async (): Promise<{ status: number; body: { revision: string } }> => {
    const token = (await script('token', '--role', 'platform_owner')).stdout.trim();
    const response = await fetch(`http://127.0.0.1:${portBase + 10}/api/saas/workspaces/globex/balance-credit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...patient },
      body: JSON.stringify({ operationId: 'start-spec-credit', amountCents: 100, reason: 'A restart' }),
    });
    return { status: response.status, body: (await response.json()) as { revision: string } };
  };

  it('prints its addresses and a token', () => {
    expect(platform.output()).toMatch(new RegExp(`gateway +http://127.0.0.1:${portBase + 10}\n`));
    expect(platform.output()).toMatch(/token +eyJ[\w-]+\.[\w-]+\.[\w-]+\n/);
  });

  it('agrees with its provider from the first moment on, also about what was there before it', async () => {
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const ran = await runProgram(['infra/local/ops.mjs', 'reconcile', '--since', since], { env: environment });
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('4 workspaces compared') as string });
  });

  it('answers the commands of the README as printed', async () => {
    const commands = readmeCommands('TOKEN=');
    expect(commands.match(/curl /g)?.length).toBe(6);
    const ran = await runProgram(
      ['--norc', '-euo', 'pipefail', '-c', commands.replaceAll('curl -s', 'echo; curl -sS -w "\\n%{http_code}"')],
      { command: 'bash', env: environment },
    );
    expect(ran.stderr.replaceAll(/npm warn.*\n/g, '')).toBe('');
    expect(ran.stdout.match(/^\d{3}$/gm)).toEqual(['200', '403', '200', '200', '200', '200']);
    expect(ran.stdout).toContain('"code":"workspace_closed"');
    expect(ran.stdout).toContain('"consumer":"search-index"');
    expect(ran.stdout).toContain('"consumer":"storage"');
  });

  it('serves a copy of the sample pages, so that the builder of the README changes no file of the product', async () => {
    const before = sources();
    const commands = readmeCommands('npm run builder -- sample').replace('--rows 20000', '--rows 2000');
    const token = (await script('token', '--role', 'platform_owner')).stdout.trim();
    const ran = await runProgram(['-uc', commands], { command: 'bash', env: { ...environment, TOKEN: token } });
    expect(ran.status).toBe(0);
    expect(ran.stdout).toMatch(/orders: [1-9]\d* new rows/);
    expect(ran.stdout).toContain('\n+  giftsByMonth()');
    expect(ran.stdout).toContain('\n-  giftsByMonth()');
    expect(sources()).toEqual(before);
    const left = await runProgram(
      ['-r', '-x', '.builder', 'services/query-builder/sample-project', join(localDir, 'pages')],
      { command: 'diff' },
    );
    expect(left).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('plays the demo to its end with every expectation held', async () => {
    // Each of its workspaces causes a handful of events, which pass through three services.
    const demo = await script('demo', '--workspaces', proofSize({ lean: '12', full: '50' }));
    expect({ status: demo.status, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' });
    expect(demo.stdout).toMatch(/a delivery with a stale signature is refused[^]*\n\d+ expectations held, 0 did not/);
  });

  it('mints a token and nothing else, and explains bad arguments', async () => {
    expect((await script('token', '--role', 'user', '--workspace', 'acme:owner')).stdout).toMatch(
      /^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/,
    );
    const refused = await script('token', '--role', 'king');
    expect(refused).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'token: --role is one of viewer, support, finance, approver, platform_owner, user, not king; --help lists the options\n',
    });
  });

  it('is named by a second start on the same folder', async () => {
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`This platform runs already: process ${platform.child.pid}`);
  });

  it('reports a part that dies with the end of its log, and keeps the others', async () => {
    const consumer = readLivePids(localDir).find(({ name }) => name === 'storage-consumer');
    process.kill(consumer?.pid ?? 0, 'SIGKILL');
    await platform.shows(
      /storage-consumer ENDED with signal SIGKILL[\s\S]*ready storage[\s\S]*Nothing is restarted by itself/,
    );
    await eventually(async () => (await fetch(`http://127.0.0.1:${portBase + 10}/readyz`)).ok, {
      describe: 'readiness',
    });
  });

  it('keeps its data through Ctrl-C and a killed start, whose leftovers are ended first; --fresh forgets it, and ends without a reader', async () => {
    const before = await credit();
    expect(before.status).toBe(200);
    const edited = join(localDir, 'pages/edited-by-a-person.md');
    writeFileSync(edited, 'kept\n');
    expect(await interrupt(platform)).toBe(0);
    expect(readLivePids(localDir)).toEqual([]);

    const killed = await startReady([], aside);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const left = readLivePids(localDir).map(({ name }) => name);
    expect(left.sort()).toEqual(['document-store', 'lifecycle-delivery', 'nats', 'operator', 'provider-twin']);

    const again = await startReady([], [...aside, 'lifecycle-delivery']);
    expect(again.output()).toContain('ended what a killed start left behind');
    expect((await credit()).body.revision).toBe(before.body.revision);
    expect(existsSync(edited)).toBe(true);
    await interrupt(again);

    const fresh = await startReady(['--fresh'], [...aside, 'lifecycle-delivery']);
    expect(existsSync(edited)).toBe(false);
    const second = await credit();
    expect(second.status).toBe(200);
    expect(second.body.revision).not.toBe(before.body.revision);
    // The program that reads the output has ended, and with it the pipes.
    for (const output of [fresh.child.stdout, fresh.child.stderr]) output?.destroy();
    expect(await interrupt(fresh)).toBe(0);
    expect(readLivePids(localDir)).toEqual([]);
  });
});

describe('a start that cannot succeed', () => {
  it('names the process that holds a port', async () => {
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(portBase + 10, '127.0.0.1', done));
    const refused = start();
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain(`Port ${portBase + 10} of operator is taken by process ${process.pid}`);
    await new Promise((done) => holder.close(done));
  });

  it.each(['/proc', '/dev/null'])('names the folder that cannot be made, with what to do: below %s', async (above) => {
    const refused = start([], [], { LOCAL_DIR: `${above}/nowhere/local` });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(
      new RegExp(`folder ${above}/nowhere/local \\(LOCAL_DIR\\): it has to be writable`),
    );
  });

  /** A folder for the PATH whose nats-server starts serving only after the other parts have failed or are ready. */
  function slowBroker(): string {
    const folder = join(localDir, 'slow');
    mkdirSync(folder, { recursive: true });
    const real = join(root, '.local/bin/nats-server');
    const binary = existsSync(real) ? real : 'nats-server';
    const script = `#!/bin/sh\nPATH='${process.env['PATH']}'\n[ "$1" = -c ] && sleep 4\nexec ${binary} "$@"\n`;
    writeFileSync(join(folder, 'nats-server'), script, { mode: 0o755 });
    return folder;
  }

  /** The command lines, from the kernel's list, of processes that work in this platform's folder. */
  function processesOfFolder(): string[] {
    const commandOf = (pid: string): string => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    };
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandOf)
      .filter((command) => command.includes(`${localDir}/`));
  }

  it('shows the log of the part that failed, stops the rest, also what was just beginning, and ends with 1', async () => {
    rmSync(join(localDir, 'provider-twin.json'), { force: true });
    writeFileSync(join(localDir, 'provider-twin.json'), 'no twin wrote this\n');
    const failed = start([], ['query-builder', 'billing-webhook', 'provisioning'], {
      PATH: `${slowBroker()}:${process.env['PATH']}`,
    });
    expect(await failed.ended).toBe(1);
    expect(failed.output()).toMatch(
      /The platform did not start\. provider-twin [\s\S]*provider-twin\.json, line 1: .*is not a provider twin journal/,
    );
    expect(readLivePids(localDir)).toEqual([]);
    expect(processesOfFolder()).toEqual([]);
  });
});
