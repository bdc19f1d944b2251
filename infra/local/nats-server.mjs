// Runs one nats-server with JetStream for the local platform and for tests: bound to 127.0.0.1, with its own data
// folder, and ready only when it answers as a JetStream server. A server left behind by a killed parent is ended first,
// so that after kill -9 a restart finds its port and its data free; a broker whose parent is alive is never touched.
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../../libs/command-line/src/index.cjs';
import command from './nats-server.command.cjs';
import { findNatsServer } from './nats-server.find.mjs';

export { findNatsServer };

const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));
const pollMs = 20;
const lowestPort = 10_000;
const portCount = 5_000;

/**
 * @param {object} options
 * @param {number} options.port 0 takes any free port.
 * @param {string} options.dataDir streams, configuration and pid file; kept between runs.
 * @param {string} [options.logFile] default `<dataDir>/nats-server.log`, appended to.
 * @param {string} [options.localDir] where a found binary is kept; default `LOCAL_DIR` or `.local` of the repository.
 * @param {string} [options.binary] path of the binary, when the caller has found it already.
 * @param {boolean} [options.syncAlways] fsync before each acknowledgement (as in production); needs 2.10.
 * @param {string} [options.extraConfig] lines for the configuration file, for example users and permissions.
 * @param {boolean} [options.detached] own process group: Ctrl-C reaches the caller only, who stops things in order.
 * @param {number} [options.readyTimeoutMs] default 120,000: only a server that hangs takes so long.
 * @param {(line: string) => void} [options.log]
 * @returns {Promise<{url: string, port: number, pid: number, version: string, exited: Promise<number | null>, stop(): Promise<void>}>}
 *   `stop` sends SIGTERM, waits, and after 10 s kills; `exited` settles with the exit code whenever the server ends.
 */
export async function startNatsServer(options) {
  const dataDir = resolve(options.dataDir);
  const localDir = options.localDir ?? process.env.LOCAL_DIR ?? join(repositoryRoot, '.local');
  await mkdir(dataDir, { recursive: true });
  const server = options.binary
    ? { path: options.binary, version: versionOf(options.binary) }
    : await findNatsServer({ localDir, log: options.log });
  const pidFile = join(dataDir, 'nats-server.pid');
  await endOrphan(pidFile, dataDir);

  const port = options.port === 0 ? await freePort() : options.port;
  const logFile = options.logFile ?? join(dataDir, 'nats-server.log');
  const configFile = join(dataDir, 'nats-server.conf');
  // Another server on this port would answer too; the name identifies this one.
  const name = `local-${process.pid}-${Date.now().toString(36)}`;
  await writeFile(configFile, configuration({ ...options, name, port, dataDir, version: server.version }), {
    mode: 0o600,
  });

  await mkdir(dirname(logFile), { recursive: true });
  const output = openSync(logFile, 'a');
  const logFrom = fstatSync(output).size;
  const child = spawn(server.path, ['-c', configFile], {
    stdio: ['ignore', output, output],
    detached: options.detached ?? false,
  });
  closeSync(output);
  const exited = new Promise((settle) => {
    child.once('exit', (code) => settle(code));
    child.once('error', () => settle(null));
  });
  if (child.pid !== undefined) await writeFile(pidFile, JSON.stringify({ pid: child.pid, parent: process.pid }));

  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(kill);
    }
    await rm(pidFile, { force: true });
  };
  try {
    await untilReady({ port, name, exited, timeoutMs: options.readyTimeoutMs ?? 120_000, logFile, logFrom });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `nats://127.0.0.1:${port}`, port, pid: child.pid, version: server.version, exited, stop };
}

function versionOf(binary) {
  return /v?(\d+\.\d+\.\d+)/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[1] ?? '0.0.0';
}

function configuration({ name, port, dataDir, syncAlways, extraConfig, version }) {
  const [major, minor] = version.split('.').map(Number);
  const knowsSyncInterval = major > 2 || (major === 2 && minor >= 10);
  return [
    `server_name: ${name}`,
    'listen: ' + JSON.stringify(`127.0.0.1:${port}`),
    'jetstream {',
    `  store_dir: ${JSON.stringify(join(dataDir, 'jetstream'))}`,
    // The limits of streams are reserved, not used: a small disk must not prevent the start of a development server.
    '  max_file_store: 1TB',
    ...(syncAlways && knowsSyncInterval ? ['  sync_interval: always'] : []),
    '}',
    'max_payload: 1MB',
    ...(extraConfig ? [extraConfig] : []),
    '',
  ].join('\n');
}

/**
 * The server itself could choose a port, but would choose another one at each restart on the same data. The port lies
 * below those that the system gives to other programs, which could take it before the server listens, or between an end
 * and the next start.
 */
async function freePort() {
  for (;;) {
    const port = lowestPort + randomInt(portCount);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => settle(true)));
  });
}

async function untilReady({ port, name, exited, timeoutMs, logFile, logFrom }) {
  const deadline = Date.now() + timeoutMs;
  let ended = false;
  let endedWith;
  void exited.then((code) => {
    ended = true;
    endedWith = code;
  });
  for (;;) {
    const greeting = await readGreeting(port);
    if (ended)
      throw new Error(`nats-server ended with code ${endedWith} before it served: ${await logTail(logFile, logFrom)}`);
    if (greeting?.jetstream && greeting.server_name === name) return;
    if (Date.now() > deadline)
      throw new Error(`nats-server did not serve within ${timeoutMs} ms: ${await logTail(logFile, logFrom)}`);
    await new Promise((settle) => setTimeout(settle, pollMs));
  }
}

/** The server's INFO line, or undefined when no server answers. */
function readGreeting(port) {
  return new Promise((settle) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const finish = (greeting) => {
      socket.destroy();
      settle(greeting);
    };
    socket.setTimeout(1_000, () => finish(undefined));
    socket.once('error', () => finish(undefined));
    socket.once('close', () => settle(undefined));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const line = /^INFO (\{.*\})/.exec(text);
      if (line) finish(JSON.parse(line[1]));
    });
  });
}

/** The log is appended to over many starts, so what earlier ones wrote is skipped. */
async function logTail(logFile, from) {
  const log = await readFile(logFile).catch(() => Buffer.alloc(0));
  return log.subarray(from).toString('utf8').trim().split('\n').slice(-3).join(' | ').slice(-600);
}

/** Ends the server that an earlier, killed parent left on this data folder; refuses when its parent is still alive. */
async function endOrphan(pidFile, dataDir) {
  const recorded = await readFile(pidFile, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  if (!recorded || !Number.isInteger(recorded.pid)) return;
  if (!(await isServerOf(recorded.pid, dataDir))) return;
  const status = await readFile(`/proc/${recorded.pid}/status`, 'utf8').catch(() => '');
  if (Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === recorded.parent) {
    throw new Error(
      `A nats-server (pid ${recorded.pid}) already serves ${dataDir}; stop it first or use another folder.`,
    );
  }
  process.kill(recorded.pid, 'SIGTERM');
  for (let waited = 0; await isServerOf(recorded.pid, dataDir); waited += pollMs) {
    if (waited > 10_000) process.kill(recorded.pid, 'SIGKILL');
    await new Promise((settle) => setTimeout(settle, pollMs));
  }
}

/** A pid is reused sooner or later: only the command line shows that it is still this server. */
async function isServerOf(pid, dataDir) {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.includes('nats-server') && commandLine.split('\0').includes(join(dataDir, 'nats-server.conf'));
}

async function serve({ values }) {
  const server = await startNatsServer({
    port: values.port,
    dataDir: values.data,
    logFile: values.log,
    syncAlways: values['sync-always'],
    extraConfig: values.users ? await readFile(values.users, 'utf8') : undefined,
    detached: true,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      stopping = true;
      void server.stop();
    });
  }
  process.stdout.write(`ready ${server.url}\n`);
  const code = await server.exited;
  if (!stopping) throw new Error(`nats-server ended by itself with code ${code}`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  void commandLine.runCommand(command, serve);
