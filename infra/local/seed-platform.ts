/**
 * Fills a new local platform: customers and subscriptions in the provider twin first, then the operator's plans and
 * workspaces with the twin's ids. Both sides keep existing objects, so an interrupted seed is simply repeated.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileCacheFlags } from './compile-cache-flags';
import {
  billedEvery,
  currency,
  customerIdOf,
  isPaid,
  ownerEmailOf,
  priceIdOf,
  subscriptionIdOf,
  twinSeed,
  type SeedPlan,
  type SeedWorkspace,
} from './seed-catalog';
import type { LocalSettings } from './settings';

interface TwinSubscription {
  readonly id: string;
  readonly current_period_end?: number;
  readonly items: { readonly data: readonly { readonly id: string; readonly current_period_end?: number }[] };
}

/**
 * Writes plans and workspaces to the twin and to the operator's database. Returns the output of the operator's seed.
 */
export async function seedPlatform(
  settings: LocalSettings,
  plans: readonly SeedPlan[],
  workspaces: readonly SeedWorkspace[],
): Promise<string> {
  const { providerUrl } = settings;
  if (!providerUrl) throw new Error('Only the provider twin is seeded; a real provider account keeps its own objects');
  await setTwinClock(providerUrl);
  await post(`${providerUrl}/_twin/seed`, twinSeed(plans, workspaces));
  // The endpoint comes last, so that seeding sends no events.
  const webhook = webhookOf(settings);
  if (webhook) await post(`${providerUrl}/_twin/seed`, { webhookEndpoints: [webhook] });
  const records = await Promise.all(workspaces.map((workspace) => operatorRecord(settings, providerUrl, workspace)));
  return runOperatorSeed(settings, {
    plans: plans.map((plan) => ({ ...plan, currency, priceId: priceIdOf(plan.planId), billedEvery })),
    workspaces: records,
  });
}

/**
 * A new twin begins at a fixed date, but the local platform should have the current one. The clock never moves
 * backwards.
 */
async function setTwinClock(providerUrl: string): Promise<void> {
  const { now } = (await call(`${providerUrl}/_twin/clock`)) as { now: number };
  const today = Math.floor(Date.now() / 1_000);
  if (now >= today) return;
  await post(`${providerUrl}/_twin/clock`, { to: today });
}

function webhookOf({ root, webhookUrl, secrets }: LocalSettings): { url: string; secret: string } | undefined {
  if (!existsSync(join(root, 'dist/services/billing-webhook/main.js'))) return undefined;
  return { url: webhookUrl, secret: secrets.webhookSecret };
}

async function operatorRecord(
  settings: LocalSettings,
  providerUrl: string,
  workspace: SeedWorkspace,
): Promise<Record<string, unknown>> {
  const { tenantId } = workspace;
  const record = { ...workspace, ownerEmail: ownerEmailOf(tenantId), customerId: customerIdOf(tenantId) };
  if (!isPaid(workspace)) return record;
  const headers = { authorization: `Bearer ${settings.secrets.providerKey}` };
  const subscription = (await call(`${providerUrl}/v1/subscriptions/${subscriptionIdOf(workspace.tenantId)}`, {
    headers,
  })) as TwinSubscription;
  const [item] = subscription.items.data;
  const periodEnd = item?.current_period_end ?? subscription.current_period_end;
  return {
    ...record,
    subscriptionId: subscription.id,
    ...(item ? { itemId: item.id } : {}),
    ...(periodEnd ? { currentPeriodEnd: new Date(periodEnd * 1_000).toISOString() } : {}),
  };
}

function post(url: string, body: unknown): Promise<unknown> {
  return call(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}

async function call(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${init?.method ?? 'GET'} ${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** The operator owns its records, so its own command writes them. */
function runOperatorSeed({ root, mongodbUrl }: LocalSettings, input: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const flags = ['--max-old-space-size=96', ...compileCacheFlags(root)];
    const child = spawn(process.execPath, [...flags, join(root, 'dist/services/operator/seed.js')], {
      env: { PATH: process.env['PATH'] ?? '', MONGODB_URL: mongodbUrl, MONGODB_DATABASE: 'operator' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve(output.trim())
        : reject(new Error(`operator seed ended with code ${code}: ${output.trim()}`)),
    );
    child.stdin.end(JSON.stringify(input));
  });
}
