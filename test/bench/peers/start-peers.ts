/** Starts one peer at a time on its own loopback ports and folders, with its durable defaults, and ends it again. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { postJson } from '../lean-client';

export interface Peer {
  readonly name: string;
  /** Makes one credit; throws when it does not succeed. */
  readonly credit: (operationId: string) => Promise<void>;
  /** The processes of its code and its store, with those that they start; the provider's is none of them. */
  readonly processes: readonly number[];
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const base = 14_710;
const ports = {
  ingress: base,
  admin: base + 1,
  fabric: base + 2,
  service: base + 3,
  dbos: base + 10,
  postgres: base + 11,
};
const quiet = { DO_NOT_TRACK: '1', RESTATE_DISABLE_TELEMETRY: 'true' };

export async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const { status, text } = await postJson(url, body, headers);
  if (status < 200 || status > 299) throw new Error(`${url} answered ${status}: ${text}`);
}

/** A program in the peers' folder; resolves when it prints that it is ready. */
function launch(
  folder: string,
  file: string,
  environment: Readonly<Record<string, string>>,
  user?: number,
): Promise<ChildProcess> {
  const child = fork(join(folder, file), {
    cwd: folder,
    env: { ...process.env, ...quiet, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(user !== undefined && { uid: user, gid: user }),
  });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-2_000)));
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${output}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null) return;
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  await gone;
}

/** The Restate server on disk, and a service process that it calls. */
export async function startRestate(folder: string, twinUrl: string): Promise<Peer> {
  const data = mkdtempSync(join(tmpdir(), 'bench-restate-'));
  const packages = join(folder, 'node_modules/@restatedev');
  const binary = readdirSync(packages).find((name) => name.startsWith('restate-server-'));
  if (!binary) throw new Error('the registry has no Restate server for this machine');
  const environment = {
    ...process.env,
    ...quiet,
    TMPDIR: data,
    RESTATE_BASE_DIR: data,
    RESTATE_NODE_NAME: 'bench',
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: host,
    RESTATE_ADVERTISED_HOST: host,
    RESTATE_BIND_PORT: String(ports.fabric),
    RESTATE_INGRESS__BIND_ADDRESS: `${host}:${ports.ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `${host}:${ports.admin}`,
    RESTATE_LOG_FILTER: 'error',
  };
  const server = spawn(join(packages, binary, 'bin/restate-server'), ['--no-logo'], {
    env: environment,
    stdio: 'ignore',
  });
  const service = await launch(folder, 'restate-service.mjs', { PORT: String(ports.service), TWIN_URL: twinUrl });
  await eventually(async () => (await fetch(`http://${host}:${ports.admin}/health`)).ok, {
    describe: 'the health of the Restate server',
    deadlineMs: 60_000,
  });
  await post(`http://${host}:${ports.admin}/deployments`, { uri: `http://${host}:${ports.service}`, force: true });
  return {
    name: 'Restate',
    credit: (operationId) =>
      post(
        `http://${host}:${ports.ingress}/credits/credit`,
        { operationId, amountCents: 1 },
        { 'idempotency-key': operationId },
      ),
    processes: [service.pid!, server.pid!],
    stop: async () => {
      await end(service);
      await end(server);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

const unprivileged = 65_534;

/** DBOS in one process with an HTTP server, on an embedded PostgreSQL, which refuses to run as root. */
export async function startDbos(folder: string, twinUrl: string): Promise<Peer> {
  const data = mkdtempSync(join(tmpdir(), 'bench-dbos-'));
  const user = process.getuid?.() === 0 ? unprivileged : undefined;
  if (user !== undefined) chownSync(data, user, user);
  const postgres = await launch(
    folder,
    'postgres.mjs',
    { DATA_DIR: join(data, 'data'), PORT: String(ports.postgres), HOME: data },
    user,
  );
  const service = await launch(folder, 'dbos-service.mjs', {
    PORT: String(ports.dbos),
    TWIN_URL: twinUrl,
    DATABASE_URL: `postgresql://bench:bench@${host}:${ports.postgres}/dbos`,
  });
  return {
    name: 'DBOS',
    credit: (operationId) => post(`http://${host}:${ports.dbos}/`, { operationId, amountCents: 1 }),
    processes: [service.pid!, postgres.pid!],
    stop: async () => {
      await end(service);
      await end(postgres);
      rmSync(data, { recursive: true, force: true });
    },
  };
}
