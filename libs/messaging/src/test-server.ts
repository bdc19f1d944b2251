/**
 * The broker of integration tests: the shared one that the test run started (`TEST_NATS_URL`), otherwise a separate
 * process. Tests that kill the broker always start their own.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const launcher = resolve(__dirname, '../../../infra/local/nats-server.mjs');

export interface TestServer {
  readonly url: string;
  /** Ends the broker at once, as a power cut would; its data stays. */
  kill(): Promise<void>;
  /** Starts the broker again on the same port; `wiped` empties its disk first. */
  restart(options?: { readonly wiped?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

/** A separate broker on a free port. `users`: path of a users and permissions file. */
export async function startTestServer(users?: string): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-nats-'));
  let launched = await launch(folder, 0, users);
  const port = Number(new URL(launched.url).port);
  const kill = async (): Promise<void> => {
    const { pid } = JSON.parse(await readFile(join(folder, 'nats-server.pid'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await launched.ended;
  };
  return {
    url: launched.url,
    kill,
    restart: async ({ wiped = false } = {}) => {
      if (wiped) await rm(join(folder, 'jetstream'), { recursive: true, force: true });
      launched = await launch(folder, port, users);
    },
    stop: async () => {
      if (launched.child.exitCode === null) launched.child.kill('SIGTERM');
      await launched.ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `real`: another server than the native one of the run, when a container runtime supplied one. */
export type BrokerKind = 'shared' | 'real';

/** The brokers that the adapter must work with in this run. */
export function brokersUnderTest(): readonly BrokerKind[] {
  const real = process.env['TEST_REAL_NATS_URL'];
  return real === undefined || real === process.env['TEST_NATS_URL'] ? ['shared'] : ['shared', 'real'];
}

/** The shared broker when there is one; `stop` does not end that one. */
export async function sharedTestServer(kind: BrokerKind = 'shared'): Promise<Pick<TestServer, 'url' | 'stop'>> {
  const url = process.env[kind === 'real' ? 'TEST_REAL_NATS_URL' : 'TEST_NATS_URL'];
  return url ? { url, stop: async () => undefined } : startTestServer();
}

async function launch(
  folder: string,
  port: number,
  users?: string,
): Promise<{ url: string; child: ChildProcess; ended: Promise<void> }> {
  const child = spawn(
    process.execPath,
    [launcher, '--port', String(port), '--data', folder, ...(users ? ['--users', users] : [])],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<void>((settle) => child.once('exit', () => settle()));
  const url = await new Promise<string>((settle, fail) => {
    let text = '';
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const ready = /^ready (\S+)$/m.exec(text);
      if (ready?.[1]) settle(ready[1]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => fail(new Error(`The broker did not start: ${text}`)));
  });
  return { url, child, ended };
}
