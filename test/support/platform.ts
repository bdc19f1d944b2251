/**
 * The whole platform for one end-to-end suite: the very program of `npm start`, as a child process on its own ports and
 * in its own folder. It ends with the suite, also when the test run is killed, because its message channel closes.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlAnswer, ControlReady } from '../../infra/local/control';
import { developmentToken, type TokenRequest } from '../../infra/local/development-token';
import { findRoot, readSettings } from '../../infra/local/settings';
import { runProgram } from './run-program';

export interface StartOptions {
  /** Base of the ports; suites that may run side by side take bases 100 apart. */
  readonly portBase: number;
  /** Folder for data and logs; a temporary one, removed at the end, when absent. */
  readonly localDir?: string;
}

export interface TestPlatform {
  readonly gatewayUrl: string;
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  readonly twinUrl: string;
  readonly localDir: string;
  token(request: TokenRequest): Promise<string>;
  /** SIGKILL; resolves when the process is gone. */
  kill(part: string): Promise<void>;
  /** Starts a killed part; resolves when it is ready. */
  restart(part: string): Promise<void>;
  /** Orderly end of everything. */
  stop(): Promise<void>;
}

const root = findRoot(__dirname);

/** Throws with the platform's own explanation when it does not come up. */
export async function startPlatform({ portBase, localDir }: StartOptions): Promise<TestPlatform> {
  await buildBundles();
  const folder = localDir ?? mkdtempSync(join(tmpdir(), 'workspace-platform-e2e-'));
  const { NATS_URL: _nats, MONGODB_URL: _mongodb, STRIPE_SECRET_KEY: _provider, ...inherited } = process.env;
  const environment = { ...inherited, PORT_BASE: String(portBase), LOCAL_DIR: folder };
  const child = fork(join(root, 'dist/infra/local/start.js'), [], {
    cwd: root,
    env: environment,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  await untilReady(child);
  const settings = readSettings({ PORT_BASE: String(portBase), LOCAL_DIR: folder }, root);
  const ask = createAsk(child);
  return {
    gatewayUrl: settings.gatewayUrl,
    natsUrl: settings.natsUrl,
    mongodbUrl: settings.mongodbUrl,
    twinUrl: settings.providerUrl ?? '',
    localDir: folder,
    token: (request) => developmentToken(settings, request),
    kill: (part) => ask('kill', part),
    restart: (part) => ask('restart', part),
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      if (!localDir) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function buildBundles(): Promise<void> {
  const built = await runProgram(['infra/build.mjs', '--quiet']);
  if (built.status !== 0) throw new Error(`The platform could not be bundled:\n${built.stderr}`);
}

function untilReady(child: ChildProcess): Promise<void> {
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString('utf8')).slice(-20_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return new Promise((fulfil, reject) => {
    child.once('exit', (code) => reject(new Error(`npm start ended with code ${code}:\n${output}`)));
    child.on('message', (message: ControlReady | ControlAnswer) => 'ready' in message && fulfil());
  });
}

function createAsk(child: ChildProcess): (command: 'kill' | 'restart', part: string) => Promise<void> {
  const waiting = new Map<number, { fulfil: () => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on('message', (message: ControlReady | ControlAnswer) => {
    if (!('id' in message)) return;
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.ok) asked?.fulfil();
    else asked?.reject(new Error(message.error));
  });
  child.once('exit', () => waiting.forEach(({ reject }) => reject(new Error('the platform has ended'))));
  return (command, part) =>
    new Promise((fulfil, reject) => {
      const id = ++last;
      waiting.set(id, { fulfil, reject });
      child.send({ id, command, part });
    });
}
