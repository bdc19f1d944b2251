/**
 * The directory and the activity of a large platform through the gateway: pages and searches one at a time, and how many
 * documents the store looks at for each, which does not depend on the machine. `WORKSPACES` and `OPERATIONS` set other
 * sizes; `FILL_MINUTES` ends the writing of each collection after its half of that time, and the report names what there
 * is then.
 */
import { loadavg } from 'node:os';
import { MongoClient, type Db } from 'mongodb';
import { searchKeysOf } from '../../services/operator/src/mirror/domain/search-keys';
import { startPlatform, type TestPlatform } from '../support/platform';
import { progress, type BenchReport } from './report';

let workspaces = Number(process.env['WORKSPACES'] ?? 1_000_000);
let operations = Number(process.env['OPERATIONS'] ?? 10_000_000);
const fillMs = Number(process.env['FILL_MINUTES'] ?? Infinity) * 30_000;
const portion = 2_000;
const portionsAtOnce = 8;
const rounds = 40;
const secondMs = 1_000;
const plans = ['free', 'starter', 'pro', 'business'] as const;

/** Letters that differ from the first one on; the same for the same number. */
function lettersOf(at: number): string {
  return (at * 2_654_435_761 + 40_503).toString(36).replaceAll(/[0-9]/g, (digit) => 'abcdefghij'[Number(digit)]!);
}

function workspaceOf(at: number, now: number) {
  const createdAt = new Date(now - (workspaces - at) * secondMs);
  const named = {
    _id: `ws-${at}`,
    workspaceName: `${lettersOf(at)} Limited`,
    owner: { userId: `user-${at}`, email: `${lettersOf(at + 1)}@customer-${at}.example` },
    provider: { customerId: `cus_${lettersOf(at + 2)}`, subscriptionId: `sub_${lettersOf(at + 3)}` },
  };
  return {
    ...named,
    ...{ search: searchKeysOf(named), status: at % 50 === 0 ? 'suspended' : 'active', planId: plans[at % 4] },
    ...{ access: { state: 'open', since: createdAt, operationId: null }, isComplimentary: false },
    ...{ revision: 'bench', createdAt, updatedAt: createdAt },
  };
}

function operationOf(at: number, now: number) {
  const createdAt = new Date(now - (operations - at) * secondMs);
  return {
    _id: `bench-${String(at).padStart(9, '0')}`,
    tenantId: `ws-${at % workspaces}`,
    ...{ action: at % 7 === 0 ? 'suspend' : 'credit_customer', status: at % 100 === 0 ? 'failed' : 'succeeded' },
    ...(at % 100 === 0 && { error: { code: 'provider_refused', message: 'refused' } }),
    ...{ actor: { id: `person-${at % 40}`, email: `person-${at % 40}@platform.example` } },
    ...{ values: { amountCents: 100 + ((at * 7_919) % 900), reason: 'bench' }, fingerprint: 'bench', attempts: [] },
    ...{ revision: 'bench', createdAt, updatedAt: createdAt },
  };
}

/**
 * Answers how many were written. Several portions are under way at once, because the store writes them with one commit:
 * search keys are random, so each commit changes pages all over their index.
 */
async function fill(
  db: Db,
  collection: string,
  size: number,
  rowOf: (at: number, now: number) => { _id: string },
): Promise<number> {
  const now = Date.now();
  const ended = () => Date.now() - now > fillMs;
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < size && !ended()) {
      const from = next;
      next += portion;
      const rows = Array.from({ length: Math.min(portion, size - from) }, (_, at) => rowOf(from + at, now));
      await db.collection<{ _id: string }>(collection).insertMany(rows, { ordered: false });
      if (from % 50_000 === 0) progress(`${collection}: ${from} of ${size}`);
    }
  };
  await Promise.all(Array.from({ length: portionsAtOnce }, write));
  return Math.min(size, next);
}

const asked: readonly (readonly [string, (round: number) => string])[] = [
  ['directory, first page of 50', () => 'workspaces?limit=50'],
  ['directory, one status and plan', () => 'workspaces?limit=50&status=suspended&plan=free'],
  ['search by the beginning of a name', (round) => `workspaces?query=${lettersOf(round * 1_009).slice(0, 6)}`],
  ['search by an owner’s address', (round) => `workspaces?query=${lettersOf(round * 1_013 + 1)}@customer`],
  ['search by a provider id', (round) => `workspaces?query=cus_${lettersOf(round * 1_019 + 2)}`],
  ['activity, first page of 50', () => 'activity?limit=50'],
  ['activity of one workspace', (round) => `activity?limit=50&workspace=ws-${(round * 1_009) % workspaces}`],
  ['activity of one person, one action', () => 'activity?limit=50&actor=person-7@platform.example&action=suspend'],
  ['activity, amounts from to', () => 'activity?limit=50&amountFrom=200&amountTo=300'],
  [
    'activity of an hour long ago',
    () => `activity?limit=50&to=${new Date(Date.now() - (operations / 2) * secondMs).toISOString()}`,
  ],
];

async function timed(platform: TestPlatform, token: string, pathOf: (round: number) => string) {
  const samples: number[] = [];
  let rows = 0;
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const response = await fetch(`${platform.gatewayUrl}/api/saas/${pathOf(round)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const page = (await response.json()) as { readonly workspaces?: unknown[]; readonly activity?: unknown[] };
    samples.push(performance.now() - begun);
    if (response.status !== 200)
      throw new Error(`${pathOf(round)} answered ${response.status}: ${JSON.stringify(page)}`);
    rows = (page.workspaces ?? page.activity ?? []).length;
  }
  samples.sort((a, b) => a - b);
  return { p50: samples[Math.floor(rounds * 0.5)]!, p95: samples[Math.floor(rounds * 0.95)]!, rows };
}

export async function benchDirectory(): Promise<BenchReport> {
  const platform = await startPlatform({ without: ['query-builder', 'storage-consumer', 'search-index-consumer'] });
  const client = await new MongoClient(platform.mongodbUrl).connect();
  try {
    const db = client.db('operator');
    workspaces = await fill(db, 'subscriptions', workspaces, workspaceOf);
    operations = await fill(db, 'operations', operations, operationOf);
    const token = await platform.token({ role: 'viewer' });
    const rows: string[][] = [];
    for (const [what, pathOf] of asked) {
      await timed(platform, token, pathOf);
      const { p50, p95, rows: found } = await timed(platform, token, pathOf);
      rows.push([what, p50.toFixed(0), p95.toFixed(0), String(found)]);
    }
    return {
      title: `directory and activity: ${workspaces} workspaces, ${operations} operations`,
      head: ['milliseconds', 'p50', 'p95', 'rows'],
      rows,
      notes: [
        `${workspaces} workspaces and ${operations} operations in one local platform on the embedded document store; requests one at a time over HTTP, each kind once before it is measured. Load of the machine while measuring ${loadavg()[0]!.toFixed(0)}. The documents looked at are held by services/operator/src/directory/workflows/directory.int.spec.ts and services/operator/src/activity/workflows/activity.int.spec.ts, which do not depend on the machine.`,
      ],
    };
  } finally {
    await client.close();
    await platform.stop();
  }
}
