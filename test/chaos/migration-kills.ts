/**
 * `npm run chaos:migration`: a plan migration whose gateway is killed (SIGKILL) every few seconds. It continues only as
 * the specification allows: the next start stops the interrupted job, its unresolved workspaces are investigated
 * off-line, it is closed, and a new job captures the workspaces that are still on the plan. Afterwards lists, outcomes
 * and the provider's ledger are compared. The help's example is the full proof.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, Misuse, runCommand, type CommandValues } from '@platform/command-line';
import type { MigrationPage } from '@platform/contracts-operator';
import { createRandom, type Random } from '@platform/testing';
import { createGatewayClient, type GatewayClient } from '../../infra/local/demo/gateway-client';
import { findRoot, readSettings } from '../../infra/local/settings';
import { seedPlatform } from '../../infra/local/seed-platform';
import { startPlatform, type TestPlatform } from '../support/platform';
import { investigate, type Investigated } from './migration-investigation';
import { judge } from './migration-judgement';
import command from './migration-kills.command.cjs';
import { openBooks, type Books } from './migration-books';

const portBase = 13_500;
const sourcePlan = 'business';
const targetPlan = 'pro';
const seedChunk = 500;
const arrivalsPerRound = 3;
const lookEveryMs = 200;
const under: ReadonlySet<string> = new Set(['pending', 'capturing', 'running']);

interface Plan {
  readonly workspaces: number;
  readonly rate: number;
  readonly minSeconds: number;
  readonly maxSeconds: number;
  readonly seed: number;
}

function show(line: string): void {
  process.stdout.write(`${line}\n`);
}

function planOf({ workspaces, rate, seed, ...seconds }: CommandValues<typeof command>): Plan {
  const { 'min-seconds': minSeconds, 'max-seconds': maxSeconds } = seconds;
  if (maxSeconds < minSeconds) throw new Misuse('--max-seconds is not below --min-seconds');
  return { workspaces, rate, minSeconds, maxSeconds, seed: seed ?? (Date.now() % 100_000) + 1 };
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at + 1).padStart(5, '0')}`);

async function addWorkspaces(platform: TestPlatform, tenants: readonly string[]): Promise<void> {
  const settings = readSettings({ PORT_BASE: String(portBase), LOCAL_DIR: platform.localDir }, findRoot(__dirname));
  for (let from = 0; from < tenants.length; from += seedChunk) {
    // The endpoint is removed while customers are added, because each new customer would send an event.
    await withoutWebhooks(platform, settings.secrets.providerKey);
    if (from > 0 && from % (4 * seedChunk) === 0) show(`  ${from} of ${tenants.length} workspaces are there`);
    await seedPlatform(
      settings,
      [],
      tenants
        .slice(from, from + seedChunk)
        .map((tenantId) => ({ tenantId, workspaceName: tenantId, planId: sourcePlan, status: 'active' as const })),
    );
  }
  await withoutWebhooks(platform, settings.secrets.providerKey);
}

/** Webhook events are part of another run (npm run chaos): without them the machine is free for the migration. */
async function withoutWebhooks({ twinUrl }: TestPlatform, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const listed = (await (await fetch(`${twinUrl}/v1/webhook_endpoints`, { headers })).json()) as {
    data: { id: string }[];
  };
  for (const { id } of listed.data) await fetch(`${twinUrl}/v1/webhook_endpoints/${id}`, { method: 'DELETE', headers });
}

interface Round {
  readonly migrationId: string;
  readonly killed: boolean;
  readonly arrivals: readonly string[];
  readonly investigated: Investigated;
}

/** One job, from its request to its end or to the kill. */
async function playRound(
  platform: TestPlatform,
  gateway: GatewayClient,
  books: Books,
  random: Random,
  plan: Plan,
  number: number,
): Promise<Round> {
  const migrationId = `mig-chaos-${String(number).padStart(4, '0')}`;
  const read = async () =>
    (await gateway.get<MigrationPage>(`/api/saas/plans-deletion/migrations/${migrationId}?limit=1`)).body;
  const requested = await gateway.post(`/api/saas/plans-deletion/${sourcePlan}/migrate-and-delete`, {
    migrationId,
    targetPlanId: targetPlan,
    reason: 'a run of this program',
  });
  if (requested.status !== 202)
    throw new Error(`the request was answered ${requested.status}: ${JSON.stringify(requested.body)}`);
  // Some kills happen during the capture; the others during the run, after workspaces have arrived that are not in its
  // list.
  const duringCapture = random.below(6) === 0;
  while (!duringCapture && ['pending', 'capturing'].includes((await read()).status)) await delay(lookEveryMs);
  const arrivals = duringCapture ? [] : names(`late-${number}`, arrivalsPerRound);
  if (!duringCapture) await addWorkspaces(platform, arrivals);
  const killAt =
    Date.now() +
    (duringCapture ? 0 : plan.minSeconds * 1_000) +
    random.below(duringCapture ? 1_000 : (plan.maxSeconds - plan.minSeconds) * 1_000 + 1);
  while (Date.now() < killAt && under.has((await read()).status)) await delay(lookEveryMs);
  const killed = under.has((await read()).status);
  if (killed) {
    await platform.kill('operator');
    await platform.restart('operator');
  }
  const after = await read();
  if (killed && under.has(after.status) && after.status !== 'pending')
    throw new Error(`after the restart the killed job is ${after.status}`);
  const investigated =
    after.status === 'reconciliation_required'
      ? await investigate(books, migrationId)
      : { applied: 0, notApplied: 0, neverBegun: 0 };
  show(
    `  ${migrationId}: ${killed ? 'SIGKILL' : 'ended'} with ${after.counters.succeeded} of ${after.snapshot?.count ?? 0} migrated; ${investigated.applied + investigated.notApplied} investigated (${investigated.applied} applied), ${investigated.neverBegun} never begun`,
  );
  return { migrationId, killed, arrivals, investigated };
}

async function run(plan: Plan): Promise<number> {
  show(
    `plan migration of ${plan.workspaces} workspaces at ${plan.rate}/s, SIGKILL every ${plan.minSeconds} to ${plan.maxSeconds} s, --seed ${plan.seed}`,
  );
  process.env['MIGRATION_WRITES_PER_SECOND'] = String(plan.rate);
  process.env['MIGRATION_LANES'] ??= '4';
  // The twin stores every workspace, invoice and effect.
  process.env['PROVIDER_TWIN_HEAP_MEGABYTES'] ??= String(128 + Math.ceil(plan.workspaces / 10));
  const platform = await startPlatform({ portBase });
  try {
    return await play(platform, plan);
  } finally {
    await platform.stop();
  }
}

async function play(platform: TestPlatform, plan: Plan): Promise<number> {
  const gateway = createGatewayClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  const tenants = names('ws', plan.workspaces);
  await addWorkspaces(platform, tenants);
  const books = await openBooks(platform);
  try {
    const random = createRandom(plan.seed);
    const rounds: Round[] = [];
    const startedAt = performance.now();
    do rounds.push(await playRound(platform, gateway, books, random, plan, rounds.length + 1));
    while (rounds.at(-1)?.killed);
    const seconds = (performance.now() - startedAt) / 1_000;
    const verdict = await judge(platform, books, { tenants, arrivals: rounds });
    show(`\n${rounds.filter(({ killed }) => killed).length} kills in ${seconds.toFixed(0)} s, ${rounds.length} jobs`);
    for (const line of verdict.facts) show(`  ${line}`);
    show(`violations: ${verdict.violations.length}`);
    verdict.violations.slice(0, 50).forEach((line) => show(`  ${line}`));
    const killed = rounds.some((round) => round.killed);
    if (!killed)
      show('NOT JUDGED: no kill met a job at work; more --workspaces or a shorter --max-seconds give it time');
    return verdict.violations.length === 0 && killed ? 0 : 1;
  } finally {
    await books.close();
  }
}

/** A run that failed reports where. */
function describe(error: unknown) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, code: exitCodes.failed };
}

void runCommand(command, ({ values }) => run(planOf(values)), { describe });
