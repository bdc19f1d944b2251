/**
 * The operator console with 100,000 open items (`CONSOLE_ITEMS` sets another number): how long a page of the work queue
 * takes at the gateway, and how long the browser shows nothing. Operations and their rows are written as the gateway
 * would write them, so its walks find nothing to repair.
 */
import { loadavg } from 'node:os';
import { MongoClient, type Db } from 'mongodb';
import { digestOf } from '@platform/kernel';
import { projectOperation } from '../../services/operator/src/work-queue/domain/project';
import { workItemOf } from '../../services/operator/src/work-queue/domain/work-item';
import type { Operation } from '../../services/operator/src/operations/domain/operation';
import { signIn } from '../acceptance/console/browser';
import { browserIsHere, launchBrowser } from '../support/browser';
import { startPlatform, type TestPlatform } from '../support/platform';
import type { BenchReport } from './report';

const size = Number(process.env['CONSOLE_ITEMS'] ?? 100_000);
const batch = 2_000;
const rounds = 25;
const dayMs = 86_400_000;

/** A realistic mix: mostly the monthly price of a plan, sometimes a credit of any amount. */
function amountOf(at: number): number {
  const plans = [1_900, 4_900, 9_900] as const;
  return at % 5 === 0 ? 100 + ((at * 7_919) % 200_000) : plans[at % 3]!;
}

function operationOf(at: number, now: number): Operation {
  const createdAt = new Date(now - ((at * 104_729) % (30 * dayMs)) - 60_000);
  const _id = `bench-${String(at).padStart(8, '0')}`;
  const values = { amountCents: amountOf(at), reason: 'bench' };
  const tenantId = ['acme', 'globex', 'initech', 'hooli'][at % 4]!;
  const base = {
    _id,
    revision: `bench-${at}`,
    createdAt,
    updatedAt: createdAt,
    tenantId,
    action: 'credit_customer' as const,
    actor: { id: 'bench' },
    values,
    fingerprint: digestOf(values),
    checkpoint: { customerId: `cus_${tenantId}`, currency: 'usd' },
  };
  const error = {
    code: 'outcome_unknown',
    message: 'The outcome of balance credit is not known: connection lost or time-out after the first byte was written',
  };
  const call = {
    step: 'balance_credit',
    method: 'POST' as const,
    path: `/v1/customers/cus_${tenantId}/balance_transactions`,
    idempotencyKey: `${_id}:balance_credit`,
    payloadDigest: 'bench',
    sentAt: createdAt,
    phase: 'bytes_written' as const,
    outcome: 'unknown' as const,
  };
  const attempt = {
    number: 1,
    executor: { service: 'operator', instance: 'operator-1', incarnation: 'bench' },
    startedAt: createdAt,
    finishedAt: createdAt,
    outcome: 'unknown' as const,
    error,
    providerCalls: [call],
  };
  return { ...base, status: 'reconciliation_required', attempts: [attempt], error };
}

async function fill(db: Db): Promise<void> {
  const now = Date.now();
  for (let from = 0; from < size; from += batch) {
    const operations = Array.from({ length: Math.min(batch, size - from) }, (_, at) => operationOf(from + at, now));
    const rows = operations.map((operation) => {
      const facts = projectOperation(
        operation,
        { state: 'unknown' },
        {
          amountCents: Number(operation.values['amountCents']),
          currency: 'usd',
        },
      );
      return {
        ...workItemOf(facts!, new Date(now)),
        revision: `bench-${operation._id}`,
        createdAt: new Date(now),
        updatedAt: new Date(now),
      };
    });
    // The gateway's walk takes a row without its record away, and adds the row of a record that has none.
    await db.collection<{ _id: string }>('operations').insertMany([...operations]);
    await db.collection<{ _id: string }>('work_items').bulkWrite(
      rows.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
      })),
      { ordered: false },
    );
  }
}

interface Timed {
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

async function timed(times: number, work: (round: number) => Promise<void>): Promise<Timed> {
  const samples: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const begun = performance.now();
    await work(round);
    samples.push(performance.now() - begun);
  }
  samples.sort((a, b) => a - b);
  const at = (share: number) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))]!;
  return { p50: at(0.5), p95: at(0.95), most: samples.at(-1)! };
}

const row = (what: string, { p50, p95, most }: Timed): string[] => [
  what,
  p50.toFixed(0),
  p95.toFixed(0),
  most.toFixed(0),
];

async function atTheGateway(platform: TestPlatform, token: string): Promise<string[][]> {
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${platform.gatewayUrl}/api/saas/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const page = (query = '') => get<{ items: unknown[]; nextCursor?: string }>(`work-queue?limit=50${query}`);
  const { total } = await get<{ total: number }>('work-queue/counters');
  if (total < size) throw new Error(`the gateway counts ${total} of ${size} items`);
  await timed(5, async () => void (await page()));
  const rows = [
    row('first page of 50', await timed(rounds, async () => void (await page()))),
    row('first page, one state', await timed(rounds, async () => void (await page('&state=stopped&kind=operation')))),
  ];
  let cursor = (await page()).nextCursor;
  rows.push(
    row(
      'further pages, one after the other',
      await timed(rounds, async () => void ({ nextCursor: cursor } = await page(`&cursor=${cursor}`))),
    ),
  );
  rows.push(
    row('exact counters, queue unchanged', await timed(5, async () => void (await get('work-queue/counters')))),
  );
  rows.push(
    row(
      'search by an id',
      await timed(
        rounds,
        async (round) => void (await get(`search?q=bench-${String(round * 1_009).padStart(8, '0')}`)),
      ),
    ),
  );
  return rows;
}

/** Each round is a browser without a cache; the page's clock shows when it painted and when a row was there. */
async function inTheBrowser(platform: TestPlatform, token: string): Promise<string[][]> {
  if (!browserIsHere) return [['first paint (no Chromium here)', '–', '–', '–']];
  const browser = await launchBrowser();
  const paints: number[] = [];
  const filled: number[] = [];
  try {
    for (let round = 0; round < 5; round += 1) {
      const context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
      const page = await context.newPage();
      await signIn(page, platform.gatewayUrl, token);
      await page.reload();
      await page.waitForSelector('a.row');
      filled.push(await page.evaluate<number>('performance.now()'));
      paints.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
      await context.close();
    }
  } finally {
    await browser.close();
  }
  const of = (samples: number[]): Timed => {
    const sorted = [...samples].sort((a, b) => a - b);
    return { p50: sorted[Math.floor(sorted.length / 2)]!, p95: sorted.at(-1)!, most: sorted.at(-1)! };
  };
  return [row('first contentful paint, Chromium', of(paints)), row('first rows on the page, Chromium', of(filled))];
}

export async function benchConsole(): Promise<BenchReport> {
  const platform = await startPlatform({ portBase: 13_700 });
  const client = await new MongoClient(platform.mongodbUrl).connect();
  try {
    await fill(client.db('operator'));
    const token = await platform.token({ role: 'platform_owner' });
    return {
      title: `operator console: ${size} open items`,
      head: ['milliseconds', 'p50', 'p95', 'most'],
      rows: [...(await atTheGateway(platform, token)), ...(await inTheBrowser(platform, token))],
      notes: [
        `${size} unresolved operations in the journal and the work queue of one local platform (embedded document store, two cores shared with everything else), amounts of three plans and every fifth of any size, ages up to 30 days; load of the machine while measuring ${loadavg()[0]!.toFixed(0)}. Requests one at a time over HTTP, the gateway's own walks under way.`,
      ],
    };
  } finally {
    await client.close();
    await platform.stop();
  }
}
