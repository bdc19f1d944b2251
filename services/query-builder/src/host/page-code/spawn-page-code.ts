/**
 * Starts a process that runs page code. It has no environment, no connection, no file access except to its own program
 * and those of pages, no child processes and, where the system grants this user a namespace, no network.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface PageCodePlace {
  /** The bundle of `page-code.ts`. */
  readonly program: string;
  /** The folder with the programs of pages. */
  readonly codeFolder: string;
}

/** Mebibytes of the heap: a page that fills it ends only this process. */
const heapMegabytes = 256;

const permissionFlag = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

let namespaces: boolean | undefined;

/** Whether this system grants an unprivileged process its own network namespace. */
export function hasNetworkNamespaces(): boolean {
  namespaces ??=
    process.platform === 'linux' &&
    spawnSync('unshare', ['--user', '--net', process.execPath, '--version'], { timeout: 10_000 }).status === 0;
  return namespaces;
}

/** The program in the same folder as this process's program. */
export function siblingProgram(): string {
  return join(dirname(process.argv[1]!), 'page-code.js');
}

/** The process sends `ready` when it can handle messages. */
export function spawnPageCode({ program, codeFolder }: PageCodePlace): ChildProcess {
  const own = realpathSync(program);
  const flags = [
    permissionFlag,
    '--no-warnings',
    `--max-old-space-size=${heapMegabytes}`,
    // The process may read its own bundle and the programs of pages.
    ...[own, join(realpathSync(codeFolder), '*')].map((path) => `--allow-fs-read=${path}`),
  ];
  const confined = hasNetworkNamespaces();
  return fork(own, [], {
    cwd: '/',
    env: {},
    // Output of page code must not look like a log line of the service.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    ...(confined
      ? { execPath: 'unshare', execArgv: ['--user', '--net', process.execPath, ...flags] }
      : { execArgv: flags }),
  });
}
