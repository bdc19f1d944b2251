/** The query builder as a separate process, on a copy of a page project and a database with the sample shop. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mintToken, newSigningKey, publicKeySet, type Caller } from '@platform/http-server';
import { openTestDatabase, type TestDatabase } from '@platform/mongo/test-database';
import { freePort } from '@platform/testing';
import { findRoot } from '../../../infra/local/settings';
import { sampleRows } from '../../../services/query-builder/src/domain/sample/rows';
import { compileCacheFlags } from '../../../infra/local/compile-cache-flags';
import { startAccessOwner, type AccessOwner } from '../../support/access-owner';
import { buildBundles } from '../../support/platform';

const root = findRoot(join(__dirname, '..'));
const signingKey = newSigningKey();

interface PageHealth {
  readonly status: string;
  readonly pages: number;
  readonly reloads: number;
  readonly failure?: string;
  readonly problems: readonly {
    readonly pageRef: string;
    readonly file: string;
    readonly line: number;
    readonly message: string;
    readonly serving: string;
  }[];
}

export interface PageService {
  /** The owner of access that its guard asks. */
  readonly owner: AccessOwner;
  readonly database: TestDatabase;
  readonly url: string;
  readonly projectDir: string;
  /** Processes that serve or drain now; undefined where the system does not report them. */
  workers(): number | undefined;
  /** Ends every serving process, where the system reports which these are. */
  killWorkers(): void;
  /** Ends the service as a fault would, and starts it again at its address. */
  restart(): Promise<void>;
  /** Everything that the service logged until its restart. */
  log(): string;
  token(caller?: Partial<Caller>): Promise<string>;
  health(): Promise<PageHealth>;
  /** Waits until the health is the wanted one. */
  healthWhen(wanted: (health: PageHealth) => boolean): Promise<PageHealth>;
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Number of rows of the sample shop; absent: none. */
  readonly rows?: number;
  /** Uses the database of another service, which must end later. */
  readonly beside?: PageService;
  /** A project without pages and resources. */
  readonly empty?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const shopPermissions = ['shop.orders.read', 'shop.customers.read', 'shop.products.read'] as const;
const until = new Date('2026-06-15T12:00:00Z');

export async function startPageService({ rows, beside, empty, env = {} }: StartOptions = {}): Promise<PageService> {
  await buildBundles();
  const projectDir = mkdtempSync(join(tmpdir(), 'page-service-'));
  cpSync(join(root, 'services/query-builder/sample-project'), projectDir, { recursive: true });
  for (const part of empty ? ['pages', 'resources'] : []) rmSync(join(projectDir, part), { recursive: true });
  const database = beside?.database ?? (await openTestDatabase('page-service'));
  if (rows !== undefined) await seed(database, rows);
  const owner = await startAccessOwner();
  const { NODE_OPTIONS: _options, ...inherited } = process.env;
  const flags = [...compileCacheFlags(root), '--enable-source-maps'];
  const environment = {
    ...inherited,
    PAGE_PROJECT_DIR: projectDir,
    MONGODB_URL: database.url,
    MONGODB_DATABASE: database.name,
    NATS_URL: owner.natsUrl,
    JWT_PUBLIC_KEYS: publicKeySet(signingKey),
    PLATFORM_MODE: 'local',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_FORMAT: 'json',
    // Only a suite about this limit has a shorter one: how long a query takes depends on the machine.
    QUERY_MAX_TIME_MS: '120000',
    ...env,
  };
  const run = (port: string): ChildProcess =>
    spawn(process.execPath, [...flags, join(root, 'dist/services/query-builder/main.js')], {
      cwd: root,
      env: { ...environment, PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  // No other program gets such a port from the system between an end and the next start.
  let child = run(env['PORT'] ?? String(await freePort()));
  const { url, log } = await untilReady(child);
  const token = (caller: Partial<Caller> = {}): Promise<string> =>
    mintToken({
      signingKey,
      issuer: 'workspace-platform',
      audience: 'workspace-pages',
      lifetimeSeconds: 3_600,
      caller: {
        subject: 'u-1',
        email: 'kim@example.com',
        role: 'user',
        workspaces: { acme: 'owner' },
        permissions: shopPermissions,
        ...caller,
      },
    });
  const authorization = `Bearer ${await token({ role: 'platform_owner' })}`;
  const health = async (): Promise<PageHealth> =>
    (await fetch(`${url}/api/builder/problems`, { headers: { authorization } })).json() as Promise<PageHealth>;
  return {
    url,
    owner,
    database,
    projectDir,
    log,
    workers: () => workersOf(child.pid!)?.length,
    killWorkers: () => workersOf(child.pid!)?.forEach((pid) => process.kill(pid, 'SIGKILL')),
    async restart() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.kill('SIGKILL')) await ended;
      child = run(new URL(url).port);
      await untilReady(child);
    },
    token,
    health,
    async healthWhen(wanted) {
      for (;;) {
        const found = await health();
        if (wanted(found)) return found;
        await delay(20);
      }
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      await owner.stop();
      if (!beside) await database.drop();
      rmSync(projectDir, { recursive: true, force: true });
    },
  };
}

async function seed(database: TestDatabase, rows: number): Promise<void> {
  const tables = new Map<string, object[]>();
  for (const { resource, row } of sampleRows({ rows, until })) {
    const documents = tables.get(resource) ?? [];
    documents.push(row);
    tables.set(resource, documents);
  }
  for (const [table, documents] of tables) await database.insert(table, documents);
}

function workersOf(pid: number): number[] | undefined {
  const list = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(list)) return undefined;
  const children = readFileSync(list, 'utf8').split(' ').filter(Boolean);
  return children
    .filter(
      (child) =>
        existsSync(`/proc/${child}/cmdline`) &&
        readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('query-builder/main.js'),
    )
    .map(Number);
}

function untilReady(child: ChildProcess): Promise<{ url: string; log: () => string }> {
  let output = '';
  const log = (): string => output;
  return new Promise((fulfil, reject) => {
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-2_000_000);
      const url = /"url":"(http:[^"]+)","message":"ready"/.exec(output)?.[1];
      if (url) fulfil({ url, log });
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code}:\n${output}`)));
  });
}
