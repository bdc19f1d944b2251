/** The query builder as a separate process, on a copy of the sample project and a database with its rows. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mintToken, newSigningKey, publicKeySet, type Caller } from '@platform/http-server';
import { openTables } from '@platform/mongo';
import { compileCacheFlags } from '../../../infra/local/compile-cache-flags';
import { sampleRows } from '../../../services/query-builder/src/domain/sample/rows';
import { startAccessOwner } from '../../support/access-owner';
import { buildBundles } from '../../support/platform';

const root = resolve(__dirname, '../../..');
const jwt = {
  signingKey: newSigningKey(),
  issuer: 'workspace-platform',
  audience: 'workspace-pages',
};

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface BuilderService {
  /** The page project that it edits and serves. */
  readonly project: string;
  /** Tokens of a platform owner, and of a person who may read one page. */
  readonly owner: string;
  readonly reader: string;
  ask(method: string, path: string, token?: string, body?: unknown): Promise<Answer>;
  /** An operation of the builder, by the platform owner. */
  operate(operation: string, body: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startBuilderService(): Promise<BuilderService> {
  await buildBundles();
  const project = mkdtempSync(join(tmpdir(), 'page-project-e2e-'));
  const database = `query-builder-e2e-${process.pid}`;
  cpSync(join(root, 'services/query-builder/sample-project'), project, { recursive: true });
  await seed(database);
  const owner = await mint({ subject: 'owner', email: 'owner@example.com', role: 'platform_owner' });
  const reader = await mint({
    subject: 'reader',
    email: 'reader@example.com',
    role: 'user',
    workspaces: { acme: 'member' },
    permissions: ['shop.orders.read'],
  });
  const access = await startAccessOwner();
  const { child, url } = await start(project, database, access.natsUrl);
  const ask: BuilderService['ask'] = async (method, path, token, body) => {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
  };
  return {
    project,
    owner,
    reader,
    ask,
    operate: (operation, body) => ask('POST', `/api/builder/${operation}`, owner, body),
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      await access.stop();
      rmSync(project, { recursive: true, force: true });
    },
  };
}

function mint(caller: Pick<Caller, 'subject' | 'email' | 'role'> & Partial<Caller>): Promise<string> {
  return mintToken({ ...jwt, lifetimeSeconds: 3_600, caller: { workspaces: {}, permissions: [], ...caller } });
}

async function seed(database: string): Promise<void> {
  const tables = await openTables({
    url: process.env['TEST_MONGODB_URL']!,
    database,
    appName: 'builder-e2e',
    selectMs: 60_000,
  });
  const rows = new Map<string, object[]>();
  for (const { resource, row } of sampleRows({ rows: 2_000, until: new Date('2026-06-01') }))
    rows.set(resource, [...(rows.get(resource) ?? []), row]);
  for (const [resource, list] of rows) await tables.insert(resource, list as Record<string, unknown>[]);
  await tables.close();
}

/** Resolves when the service prints its address; when it ends first, rejects with its log. */
async function start(
  project: string,
  database: string,
  natsUrl: string,
): Promise<{ child: ChildProcess; url: string }> {
  const flags = [...compileCacheFlags(root), '--enable-source-maps'];
  const child = spawn(process.execPath, [...flags, 'dist/services/query-builder/main.js'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      PAGE_PROJECT_DIR: project,
      MONGODB_URL: process.env['TEST_MONGODB_URL'],
      MONGODB_DATABASE: database,
      NATS_URL: natsUrl,
      JWT_PUBLIC_KEYS: publicKeySet(jwt.signingKey),
      PLATFORM_MODE: 'local',
      LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const url = await new Promise<string>((fulfil, reject) => {
    const keep = (bytes: Buffer): void => {
      log = (log + bytes.toString('utf8')).slice(-100_000);
      const ready = /"url":"(http:[^"]+)","message":"ready"/.exec(log)?.[1];
      if (ready) fulfil(ready);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${log}`)));
  });
  return { child, url };
}
