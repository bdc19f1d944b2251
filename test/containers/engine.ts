/**
 * The container engine. The engine of this machine is used when it responds and images can be pulled. Otherwise a
 * private engine starts with its own data, socket and process id under `.local`, so that images built here do not
 * affect the user's engine.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { eventually } from '@platform/testing';
import { run, tryRun, type Ran, type RunOptions } from './run';

export interface Engine {
  /** Names the engine and the client, for the report. */
  readonly description: string;
  /** True when images can be pulled, so that none is built here. */
  readonly pulls: boolean;
  /** Throws with the end of the output unless docker exits with 0. */
  docker(args: readonly string[], options?: RunOptions): Promise<string>;
  tryDocker(args: readonly string[], options?: RunOptions): Promise<Ran>;
  tryCompose(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Stops what this module started. */
  close(): Promise<void>;
}

/** Explains why no engine is available. */
export class NoEngineError extends Error {}

interface Client {
  readonly program: string;
  readonly compose: readonly string[];
}

const howToGetOne =
  'Install an engine (Debian: apt-get install docker.io docker-compose debootstrap iptables) and run the command again, as a user who may use it; root may also run it with no engine started.';
/** From this version on, the client needs a plug-in for the kind of build that the Dockerfile requires. */
const clientWithPlugins = 23;
const startTimeoutMs = 60_000;

function programs(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...new Set(folders.filter(Boolean).map((folder) => join(folder, name)))].filter((path) => existsSync(path));
}

/** Finds a client that can build with secrets: old clients have this built in, newer ones need a plug-in. */
async function findClient(): Promise<Client> {
  for (const program of programs('docker')) {
    const { stdout } = await tryRun(program, ['--version']);
    const major = Number(/version (\d+)/.exec(stdout)?.[1] ?? NaN);
    if (Number.isNaN(major)) continue;
    if (major >= clientWithPlugins && (await tryRun(program, ['buildx', 'version'])).code !== 0) continue;
    if ((await tryRun(program, ['compose', 'version'])).code === 0) return { program, compose: [program, 'compose'] };
    const [standalone] = programs('docker-compose');
    if (standalone !== undefined) return { program, compose: [standalone] };
  }
  throw new NoEngineError(`No docker client that can build and compose is here. ${howToGetOne}`);
}

function engineAt(client: Client, host: string | undefined, pulls: boolean, close: () => Promise<void>): Engine {
  const env = {
    DOCKER_BUILDKIT: '1',
    COMPOSE_DOCKER_CLI_BUILD: '1',
    BUILDKIT_PROGRESS: 'plain',
    ...(host !== undefined && { DOCKER_HOST: host }),
  };
  const withEnv = (options: RunOptions = {}): RunOptions => ({ ...options, env: { ...env, ...options.env } });
  const [composeProgram = '', ...composeWords] = client.compose;
  return {
    description: `${host === undefined ? "this machine's engine" : 'an engine of its own'}, client ${client.program}, ${client.compose.length > 1 ? 'compose plug-in' : 'docker-compose'}`,
    pulls,
    docker: (args, options) => run(client.program, args, withEnv(options)),
    tryDocker: (args, options) => tryRun(client.program, args, withEnv(options)),
    tryCompose: (args, options) => tryRun(composeProgram, [...composeWords, ...args], withEnv(options)),
    close,
  };
}

/** The pid file of an engine that no longer runs may remain. */
function isAlive(pidFile: string): boolean {
  if (!existsSync(pidFile)) return false;
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts a private engine, or uses the one that an interrupted run left running. */
async function startPrivate(client: Client, folder: string): Promise<Engine> {
  const [daemon] = programs('dockerd');
  if (daemon === undefined || process.getuid?.() !== 0)
    throw new NoEngineError(
      `No container engine answers, and none can be started here (${daemon === undefined ? 'there is no dockerd' : 'only root may start one'}). ${howToGetOne}`,
    );
  mkdirSync(folder, { recursive: true });
  const pidFile = join(folder, 'pid');
  const host = `unix://${join(folder, 'docker.sock')}`;
  const places = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', pidFile];
  if (!isAlive(pidFile)) {
    const log = openSync(join(folder, 'log'), 'a');
    spawn(daemon, [...places, '--host', host], { detached: true, stdio: ['ignore', log, log] }).unref();
  }
  const close = async (): Promise<void> => {
    if (!isAlive(pidFile)) return;
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
    await eventually(() => !isAlive(pidFile), { describe: 'the end of the engine', deadlineMs: startTimeoutMs });
  };
  const engine = engineAt(client, host, false, close);
  try {
    await eventually(async () => (await engine.tryDocker(['info'])).code === 0, {
      describe: 'an engine that answers',
      deadlineMs: startTimeoutMs,
    });
  } catch {
    throw new NoEngineError(`The engine started here does not answer; its log: ${join(folder, 'log')}`);
  }
  return engine;
}

/**
 * `folder`: where a private engine keeps its data; the path must be short, because the length of a socket's path is
 * limited. `probe`: an image whose presence, or successful pull, shows that this machine's engine can be used. Throws
 * {@link NoEngineError}.
 */
export async function openEngine(folder: string, probe: string): Promise<Engine> {
  const client = await findClient();
  const shared = engineAt(client, undefined, true, async () => undefined);
  if ((await shared.tryDocker(['info'], { timeoutMs: 20_000 })).code === 0) {
    const there = await shared.tryDocker(['image', 'inspect', probe]);
    if (there.code === 0 || (await shared.tryDocker(['pull', '--quiet', probe])).code === 0) return shared;
  }
  return startPrivate(client, folder);
}
