/**
 * The whole platform for one end-to-end suite: the program of `npm start` as a child process with its own ports and
 * folder. It stops with the suite, even when the test run is killed, because its message channel closes.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCacheFlags } from '../../infra/local/compile-cache-flags';
import type { ControlAnswer, ControlReady } from '../../infra/local/control';
import { developmentToken, type TokenRequest } from '../../infra/local/development-token';
import { findRoot, readSettings, type LocalSettings } from '../../infra/local/settings';
import { onFreePorts } from './free-ports';
import { oncePerRun } from './once-per-run';
import { runProgram } from './run-program';

export interface StartOptions {
  /** Base of the ports; free ones are found when it is absent. */
  readonly portBase?: number;
  /** Folder for data and logs; when absent, a temporary folder that is removed at the end. */
  readonly localDir?: string;
  /** Names of parts that the suite does not need. */
  readonly without?: readonly string[];
}

/** What a caller of a running platform needs: its addresses and folder. */
export interface PlatformAddresses {
  readonly portBase: number;
  readonly gatewayUrl: string;
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  readonly twinUrl: string;
  readonly localDir: string;
  token(request: TokenRequest): Promise<string>;
}

export interface TestPlatform extends PlatformAddresses {
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(part: string): Promise<void>;
  /** Starts a killed part; resolves when it is ready. */
  restart(part: string): Promise<void>;
  /** Stops everything in order. */
  stop(): Promise<void>;
}

export interface Place {
  readonly portBase: number;
  readonly localDir: string;
}

const root = findRoot(__dirname);
/** Those of `npm start`. */
const startFlags = ['--optimize-for-size', '--max-semi-space-size=2'];

/** Throws with the platform's own explanation when it does not start. */
export async function startPlatform({ portBase, localDir, without = [] }: StartOptions): Promise<TestPlatform> {
  await buildBundles();
  const folder = localDir ?? mkdtempSync(join(tmpdir(), 'workspace-platform-e2e-'));
  const start = async (base: number) => ({ base, child: await startAt({ portBase: base, localDir: folder }, without) });
  const { base, child } = portBase === undefined ? await onFreePorts(start) : await start(portBase);
  const control = createControl(child);
  return {
    ...addressesOf(settingsOf({ portBase: base, localDir: folder })),
    kill: (part) => control('kill', part),
    restart: (part) => control('restart', part),
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      if (!localDir) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startAt(place: Place, without: readonly string[]): Promise<ChildProcess> {
  const child = fork(
    join(root, 'dist/infra/local/start.js'),
    without.flatMap((part) => ['--without', part]),
    {
      cwd: root,
      env: platformEnvironment(place),
      execArgv: [...startFlags, ...compileCacheFlags(root)],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  await untilReady(child);
  return child;
}

/** The platform does not use the servers of the run; it starts its own. */
export function platformEnvironment({ portBase, localDir }: Place): NodeJS.ProcessEnv {
  const { NATS_URL: _nats, MONGODB_URL: _mongodb, STRIPE_SECRET_KEY: _provider, ...inherited } = process.env;
  return { ...inherited, PORT_BASE: String(portBase), LOCAL_DIR: localDir };
}

export function settingsOf({ portBase, localDir }: Place): LocalSettings {
  return readSettings({ PORT_BASE: String(portBase), LOCAL_DIR: localDir }, root);
}

export function addressesOf(settings: LocalSettings): PlatformAddresses {
  return {
    portBase: settings.portBase,
    gatewayUrl: settings.gatewayUrl,
    natsUrl: settings.natsUrl,
    mongodbUrl: settings.mongodbUrl,
    twinUrl: settings.providerUrl ?? '',
    localDir: settings.localDir,
    token: (request) => developmentToken(settings, request),
  };
}

/**
 * The environment of the off-line program on this platform, whose provider is the twin; nothing else of the suite's
 * environment is passed on.
 */
export function offLineEnvironment({
  portBase,
  mongodbUrl,
  natsUrl,
  twinUrl,
  localDir,
}: PlatformAddresses): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'] ?? '',
    PORT_BASE: String(portBase),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    STRIPE_API_BASE: twinUrl,
    STRIPE_SECRET_KEY: 'sk_test_ops',
    LOCAL_DIR: localDir,
  };
}

/**
 * In a test run the sources are bundled once. Benches and chaos runs have no shared folder and bundle for themselves.
 */
export async function buildBundles(): Promise<void> {
  const build = async (): Promise<true> => {
    const built = await runProgram(['infra/build.mjs', '--quiet']);
    if (built.status !== 0) throw new Error(`The platform could not be bundled:\n${built.stderr}`);
    return true;
  };
  await (process.env['TEST_RUN_FOLDER'] ? oncePerRun('bundles', build) : build());
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

function createControl(child: ChildProcess): (command: 'kill' | 'restart', part: string) => Promise<void> {
  const waiting = new Map<number, { fulfil: () => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on('message', (message: ControlReady | ControlAnswer) => {
    if (!('id' in message)) return;
    const pending = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.ok) pending?.fulfil();
    else pending?.reject(new Error(message.error));
  });
  child.once('exit', () => waiting.forEach(({ reject }) => reject(new Error('the platform has ended'))));
  return (command, part) =>
    new Promise((fulfil, reject) => {
      const id = ++last;
      waiting.set(id, { fulfil, reject });
      child.send({ id, command, part });
    });
}
