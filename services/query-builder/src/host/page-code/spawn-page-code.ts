/**
 * Starts a process that runs page code: without an environment, without a connection, without rights on files other than the
 * programs of pages and its own, without processes of its own and, where the system grants a namespace to this user,
 * without a network.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface PageCodePlace {
  /** The bundle of `page-code.ts`. */
  readonly program: string;
  /** Where the programs of pages are. */
  readonly codeFolder: string;
}

/** Mebibytes of the heap: a page that fills it ends its own process. */
const heapMegabytes = 256;

const permissionFlag = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

let namespaces: boolean | undefined;

/** Whether this system gives a process without rights a network namespace of its own. */
export function hasNetworkNamespaces(): boolean {
  namespaces ??=
    process.platform === 'linux' &&
    spawnSync('unshare', ['--user', '--net', process.execPath, '--version'], { timeout: 10_000 }).status === 0;
  return namespaces;
}

/** The program beside the one that this process runs. */
export function siblingProgram(): string {
  return join(dirname(process.argv[1]!), 'page-code.js');
}

/** The process says `ready` when it takes messages. */
export function spawnPageCode({ program, codeFolder }: PageCodePlace): ChildProcess {
  const own = realpathSync(program);
  const flags = [
    permissionFlag,
    '--no-warnings',
    `--max-old-space-size=${heapMegabytes}`,
    // Its own bundle and the programs of pages.
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
