/**
 * SIGKILL for one part after the other, lost answers of the provider in between, and once, in the middle, the broker's
 * disk is wiped while it is down; the seed determines the order.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '@platform/testing';
import type { TwinClient } from '../../infra/local/demo/twin-client';
import type { TestPlatform } from '../support/platform';

const parts = [
  'operator',
  'lifecycle-delivery',
  'provisioning',
  'billing-webhook',
  'nats',
  'document-store',
  'storage-consumer',
  'search-index-consumer',
] as const;
const downMs = 300;
const faults = ['lose_answer_after', 'lose_answer_before', 'status_500', 'rate_limit'] as const;
const paths = [
  '/v1/customers/*/balance_transactions',
  '/v1/customers/*/balance_transactions',
  '/v1/invoices/*/pay',
  '/v1/subscriptions/*',
] as const;

export interface OutageCounts {
  readonly kills: Map<string, number>;
  readonly faults: Map<string, number>;
  faultsLaid: number;
  wipes: number;
  /** The current fault. */
  now: string;
}

export function createOutageCounts(): OutageCounts {
  return { kills: new Map(), faults: new Map(), faultsLaid: 0, wipes: 0, now: '' };
}

export interface OutageOptions {
  readonly platform: TestPlatform;
  readonly twin: TwinClient;
  readonly seed: number;
  readonly seconds: number;
  readonly counts: OutageCounts;
  /** Recreates the streams after the wipe. */
  readonly restoreBroker: () => Promise<void>;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Deletes the broker's messages and durables; its configuration is kept. */
function wipeBroker({ localDir }: TestPlatform): void {
  const folder = join(localDir, 'nats');
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) rmSync(join(folder, entry.name), { recursive: true, force: true });
}

export async function playOutages({
  platform,
  twin,
  seed,
  seconds,
  counts,
  restoreBroker,
}: OutageOptions): Promise<void> {
  const random = createRandom(seed);
  const startedAt = Date.now();
  const past = (share: number): boolean => Date.now() - startedAt >= seconds * 1_000 * share;

  async function layFault(): Promise<void> {
    const fault = random.pick(faults);
    await twin.addFault({ match: { method: 'POST', path: random.pick(paths) }, fault, times: 1 });
    counts.faultsLaid += 1;
    add(counts.faults, fault);
  }

  async function strike(part: string, wipe: boolean): Promise<void> {
    add(counts.kills, part);
    counts.now = wipe ? 'SIGKILL nats and wipe its disk' : `SIGKILL ${part}`;
    await platform.kill(part);
    if (wipe) {
      wipeBroker(platform);
      counts.wipes += 1;
    }
    await pause(downMs);
    await platform.restart(part);
    if (wipe) await restoreBroker();
  }

  while (!past(1)) {
    await pause(800 + random.below(1_500));
    if (random.below(2) === 0) await layFault();
    const wipe = counts.wipes === 0 && past(0.5);
    await strike(wipe ? 'nats' : random.pick(parts), wipe);
  }
  counts.now = 'everything is up again';
  await twin.removeFaults();
}
