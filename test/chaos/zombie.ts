/**
 * One zombie per run: the gateway is frozen (SIGSTOP) while its migration waits for the provider's answer, a successor
 * with the same instance name starts and stops the job, and then the frozen process resumes (SIGCONT) with that answer.
 * Its writes must then be refused. The evidence is the revisions of the job and its list before and after.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type Evidence } from '@platform/testing';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import { listParts } from '../../infra/local/parts';
import { readLivePids, removePid, writePid } from '../../infra/local/pid-files';
import { seedPlatform } from '../../infra/local/seed-platform';
import type { LocalSettings } from '../../infra/local/settings';
import type { TestPlatform } from '../support/platform';
import type { Books } from './migration-books';
import { investigate } from './migration-investigation';

const part = 'operator';
const sourcePlan = 'business';
const targetPlan = 'pro';
const tenants = ['zombie-1', 'zombie-2', 'zombie-3', 'zombie-4'];
const heldTenant = 'zombie-2';
const staleWords = 'this executor is stale';
/** Only a part that hangs takes this long, so a busy machine does not end a run. */
const waitMs = 180_000;

export interface ZombieEvidence {
  readonly migrationId: string;
  /** The list during the job's run. */
  readonly captured: readonly string[];
  readonly writes: NonNullable<Evidence['writes']>;
}

type Revisions = ReadonlyMap<string, string>;

/**
 * Only the frozen executor could write these records while the revisions are compared: the job is stopped, and no
 * person investigates it yet.
 */
function writesOf(before: Revisions, after: Revisions): ZombieEvidence['writes'] {
  return [...before].flatMap(([name, revision]) => {
    const [collection = '', id = ''] = name.split('/');
    const base = { collection, id, at: 0 };
    const now = after.get(name);
    const stale = { ...base, expectedRevision: 'of the frozen executor', at: 1 };
    return [
      { ...base, expectedRevision: null, revision, outcome: 'applied' as const },
      now === revision
        ? { ...stale, outcome: 'not_applied' as const }
        : { ...stale, revision: now, outcome: 'applied' as const },
    ];
  });
}

async function revisionsOf(books: Books, migrationId: string): Promise<Revisions> {
  const job = await books.migrations.findById(migrationId);
  const items = await books.itemsOf(migrationId);
  return new Map([
    ...(job ? [[`plan_migrations/${job._id}`, job.revision] as const] : []),
    ...items.map(({ _id, revision }) => [`plan_migration_items/${_id}`, revision] as const),
  ]);
}

async function twin(url: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`the twin answered ${response.status} to ${method} ${url}`);
  return response.json();
}

const successorName = `${part}-successor`;

export interface Successor {
  readonly url: string;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A second process of the gateway: same instance name, another port. Resolves when it is ready; ends if it never is. */
export async function startSuccessor(
  settings: LocalSettings,
  environment: Readonly<Record<string, string>>,
): Promise<Successor> {
  const row = listParts(settings).find(({ name }) => name === part);
  if (!row) throw new Error('the gateway is not among the parts');
  const port = settings.ports.operator + 1;
  const preload = environment['PART_PRELOAD'] ? ['--require', environment['PART_PRELOAD']] : [];
  const child = spawn(process.execPath, [...preload, ...row.command], {
    cwd: settings.root,
    env: { ...process.env, ...row.environment, ...environment, PART_NAME: part, PORT: String(port), INNER_PORT: '' },
    stdio: 'ignore',
  });
  if (child.pid !== undefined) writePid(settings.localDir, successorName, child.pid);
  child.once('exit', () => removePid(settings.localDir, successorName));
  try {
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, {
      describe: 'the successor of the frozen gateway',
      deadlineMs: waitMs,
    });
  } catch (error) {
    await end(child);
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, end: (signal) => end(child, signal) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const ended = new Promise((gone) => child.once('exit', gone));
  if (child.exitCode === null && child.signalCode === null && child.kill(signal)) await ended;
}

/** Starts the migration and returns when the provider holds the answer for one of its workspaces. */
async function holdMigration(platform: TestPlatform, gateway: GatewayClient, migrationId: string): Promise<void> {
  const faults = `${platform.twinUrl}/_twin/faults`;
  await twin(faults, 'POST', {
    match: { method: 'POST', path: `/v1/subscriptions/sub_${heldTenant}` },
    fault: 'hold',
    times: 1,
  });
  const { status, body } = await gateway.post(`/api/saas/plans-deletion/${sourcePlan}/migrate-and-delete`, {
    migrationId,
    targetPlanId: targetPlan,
    reason: 'a run of this program',
  });
  if (status !== 202) throw new Error(`the zombie's migration was answered ${status}: ${JSON.stringify(body)}`);
  await eventually(async () => JSON.stringify(await twin(faults, 'GET')).includes('"held":["'), {
    describe: 'the held request of the migration',
    deadlineMs: waitMs,
  });
}

export interface ZombieStage {
  readonly platform: TestPlatform;
  readonly gateway: GatewayClient;
  readonly books: Books;
  readonly settings: LocalSettings;
  /** The additional environment of this platform's parts. */
  readonly environment: Readonly<Record<string, string>>;
  readonly seed: number;
}

/** If anything fails in between, no process stays frozen and no successor is left running. */
export async function playZombie(stage: ZombieStage): Promise<ZombieEvidence> {
  const { platform, gateway, books, settings, seed } = stage;
  const migrationId = `chaos-zombie-${seed}`;
  await seedPlatform(
    settings,
    [],
    tenants.map((tenantId) => ({ tenantId, workspaceName: tenantId, planId: sourcePlan, status: 'active' as const })),
  );
  await holdMigration(platform, gateway, migrationId);
  const captured = (await books.itemsOf(migrationId)).map(({ tenantId }) => tenantId);
  const frozen = readLivePids(platform.localDir).find(({ name }) => name === part);
  if (!frozen) throw new Error('the gateway does not run');
  const log = join(platform.localDir, 'logs', `${part}.log`);
  const logged = statSync(log).size;
  let successor: Successor | undefined;
  try {
    process.kill(frozen.pid, 'SIGSTOP');
    successor = await startSuccessor(settings, stage.environment);
    await eventually(async () => (await books.migrations.findById(migrationId))?.status === 'reconciliation_required', {
      describe: 'the stop of the job by the successor',
      deadlineMs: waitMs,
    });
    const before = await revisionsOf(books, migrationId);
    await twin(`${platform.twinUrl}/_twin/release`, 'POST', {});
    process.kill(frozen.pid, 'SIGCONT');
    await eventually(() => readFileSync(log).subarray(logged).toString('utf8').includes(staleWords), {
      describe: 'the refusal of the frozen executor',
      deadlineMs: waitMs,
    }).catch(() => undefined);
    return { migrationId, captured, writes: writesOf(before, await revisionsOf(books, migrationId)) };
  } finally {
    process.kill(frozen.pid, 'SIGCONT');
    await successor?.end();
    await platform.kill(part);
    await platform.restart(part);
  }
}

/**
 * Ends the job as an investigator does, once its executors are gone. A job that the frozen executor wrote over is not
 * stopped any more: the checker judges that write.
 */
export async function settleZombie(books: Books, { migrationId }: ZombieEvidence): Promise<void> {
  const job = await books.migrations.findById(migrationId);
  if (job?.status === 'reconciliation_required') await investigate(books, migrationId);
}
