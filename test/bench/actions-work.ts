/**
 * Operations of every kind through the gateway, for the benches that compare kinds and numbers of replicas: the
 * workspaces that they need, and the processor time of each part of a platform.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readLivePids, type PidRecord } from '../../infra/local/pid-files';
import { seedPlatform } from '../../infra/local/seed-platform';
import type { SeedWorkspace } from '../../infra/local/seed-catalog';
import { settingsOf, type PlatformAddresses } from '../support/platform';
import { cpuOf } from './cpu-time';
import { postJson } from './lean-client';
import { drive, summarise, type Side } from './report';

/** Processes of one service are counted together. */
export const parts = ['operator', 'lifecycle-delivery', 'billing-webhook', 'provisioning', 'document-store', 'nats'];

/** Once the provider owes no event, the rest that an operation leaves to do (mirrors, items) is done within this time. */
const afterwardsMs = 1_500;
const lookAgainMs = 250;

/** Performs the operation with this number; throws unless it succeeds. */
export type Perform = (index: number) => Promise<void>;

export interface Stage {
  readonly platform: PlatformAddresses;
  /** One for each replica; requests go to them in turn. */
  readonly gateways: readonly string[];
}

interface Sent {
  readonly path: string;
  readonly token: string;
  readonly body: object;
  /** What the gateway answers when the operation has succeeded. */
  readonly status: number;
}

async function send({ gateways }: Stage, index: number, { path, token, body, status }: Sent): Promise<void> {
  const url = `${gateways[index % gateways.length]}/api/saas/workspaces${path}`;
  const answer = await postJson(url, body, { authorization: `Bearer ${token}`, prefer: 'wait=60' });
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
}

const seededAtOnce = 200;

/** Adds workspaces to a running platform; names their ids. */
export async function addWorkspaces(
  platform: PlatformAddresses,
  prefix: string,
  count: number,
  planId: string,
): Promise<readonly string[]> {
  const settings = settingsOf(platform);
  const workspaces = Array.from({ length: count }, (_, at): SeedWorkspace => {
    const tenantId = `${prefix}-${at}`;
    return { tenantId, workspaceName: `Bench ${prefix} ${at}`, planId, status: 'active' };
  });
  for (let from = 0; from < count; from += seededAtOnce)
    await seedPlatform(settings, [], workspaces.slice(from, from + seededAtOnce));
  return workspaces.map(({ tenantId }) => tenantId);
}

/** A credit may be given to one workspace any number of times. */
export async function credits(stage: Stage, prefix: string): Promise<Perform> {
  const token = await stage.platform.token({ role: 'platform_owner' });
  return (index) =>
    send(stage, index, {
      path: '/globex/balance-credit',
      token,
      body: { operationId: `${prefix}-${index}`, amountCents: 1, reason: 'bench' },
      status: 200,
    });
}

/** One change of each of these workspaces, in their order. */
export async function changes(
  stage: Stage,
  ids: readonly string[],
  action: string,
  values: object = {},
): Promise<Perform> {
  const token = await stage.platform.token({ role: 'platform_owner' });
  const run = `${action}-${(sequence += 1)}`;
  return (index) =>
    send(stage, index, {
      path: `/${ids[index]}/${action}`,
      token,
      body: { operationId: `${run}-${ids[index]}`, ...values },
      status: 200,
    });
}

let sequence = 0;

/** A checkout by the owner of each workspace; it is answered with the address of its page. */
export async function checkouts(stage: Stage, ids: readonly string[]): Promise<Perform> {
  const tokens = await Promise.all(
    ids.map((id) =>
      stage.platform.token({ role: 'user', email: `${id}@bench.example`, workspaces: { [id]: 'owner' } }),
    ),
  );
  const urls = { successUrl: 'https://app.example/done', cancelUrl: 'https://app.example/back' };
  return (index) =>
    send(stage, index, {
      path: `/${ids[index]}/checkout`,
      token: tokens[index]!,
      body: { operationId: `checkout-${ids[index]}`, planId: 'pro', ...urls },
      status: 200,
    });
}

/** A paid workspace for each of `count` persons; it is answered when it is committed. */
export async function creations(stage: Stage, count: number): Promise<Perform> {
  const run = (sequence += 1);
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      stage.platform.token({ role: 'user', email: `person-${run}-${at}@bench.example` }),
    ),
  );
  return (index) =>
    send(stage, index, {
      path: '',
      token: tokens[index]!,
      body: {
        workspaceName: `Fresh ${run} ${index}`,
        planId: 'starter',
        paymentMethodId: 'pm_card_visa',
        billingProfile: { name: 'Ada Lovelace', country: 'GB' },
      },
      status: 201,
    });
}

export interface Cost extends Side {
  /** Milliseconds per operation, by part. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** Figures of a platform that lost a part are not figures of its work. */
function assertUnchanged(localDir: string, before: readonly PidRecord[]): void {
  const after = new Map(readLivePids(localDir).map(({ name, pid }) => [name, pid]));
  const ended = before.filter(({ name, pid }) => after.get(name) !== pid).map(({ name }) => name);
  if (ended.length > 0)
    throw new Error(`${ended.join(', ')} ended during the measurement; read the logs in ${join(localDir, 'logs')}`);
}

/** The processor time of each part while `work` runs. Throws when a part ends meanwhile. */
export async function cpuByPart<T>(
  { localDir }: PlatformAddresses,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly cpuMs: Readonly<Record<string, number>> }> {
  const live = readLivePids(localDir);
  const measured = cpuOf(Object.fromEntries(live.map(({ name, pid }) => [name, pid])), work);
  const { value, cpuMs } = await measured.finally(() => assertUnchanged(localDir, live));
  const sum = (part: string): number =>
    Object.entries(cpuMs).reduce((total, [name, spent]) => total + (partOf(name) === part ? spent : 0), 0);
  return { value, cpuMs: Object.fromEntries(parts.map((part) => [part, sum(part)])) };
}

/** The second replica of a service has its name and a number. */
const partOf = (name: string): string => name.replace(/-\d+$/, '');

/** Whether each event that the provider twin has recorded has been accepted. */
async function owesNothing({ twinUrl }: PlatformAddresses): Promise<boolean> {
  const { pending } = (await (await fetch(`${twinUrl}/_twin/webhooks`)).json()) as {
    readonly pending: readonly { readonly status: string }[];
  };
  return pending.every(({ status }) => status !== 'pending');
}

/** What `total` operations cost, with `inFlight` at a time, and what follows from them. */
export async function measure(stage: Stage, inFlight: number, total: number, perform: Perform): Promise<Cost> {
  const { value, cpuMs } = await cpuByPart(stage.platform, async () => {
    const driven = await drive(total, inFlight, perform);
    while (!(await owesNothing(stage.platform))) await delay(lookAgainMs);
    await delay(afterwardsMs);
    return driven;
  });
  return {
    ...summarise(value.samplesMs, value.elapsedMs),
    cpuMs: Object.fromEntries(Object.entries(cpuMs).map(([part, spent]) => [part, spent / total])),
  };
}
