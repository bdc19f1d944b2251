/** Three connected servers of the native binary, on free ports of this machine, with the users of one file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@platform/testing';
import { findServer } from './native-servers';

export interface TestCluster {
  /** All three, separated by commas. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `users`: path of a users and permissions file. The servers need a moment to connect to each other. */
export async function startTestCluster(users: string): Promise<TestCluster> {
  const binary = findServer();
  const folder = mkdtempSync(join(tmpdir(), 'nats-three-'));
  copyFileSync(users, join(folder, 'users.conf'));
  const ports = await freePorts(6);
  const routes = ports.slice(3).map((port) => `"nats-route://127.0.0.1:${port}"`);
  const children: ChildProcess[] = ports.slice(0, 3).map((port, at) => {
    const file = join(folder, `${at}.conf`);
    const lines = [
      `server_name: broker-${at}`,
      `listen: "127.0.0.1:${port}"`,
      `jetstream { store_dir: ${JSON.stringify(join(folder, String(at)))} }`,
      `cluster { name: platform, listen: "127.0.0.1:${ports[3 + at]}", routes: [${routes.join(', ')}] }`,
      // The path is relative to this file.
      'include users.conf',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    return spawn(binary, ['-c', file], { stdio: 'ignore' });
  });
  return {
    url: ports
      .slice(0, 3)
      .map((port) => `nats://127.0.0.1:${port}`)
      .join(','),
    stop: async () => {
      for (const child of children) {
        const ended = new Promise((gone) => child.once('exit', gone));
        if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
