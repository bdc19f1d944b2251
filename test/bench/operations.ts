/** Credits through the gateway against the floor, 1, 32 and 256 in flight, in alternating rounds on one running platform. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { findRoot } from '../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../support/platform';
import { createTwinClient } from '../../infra/local/demo/twin-client';
import { drive, median, summarise, type BenchReport, type Side } from './report';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const widths = [
  { inFlight: 1, total: 150 },
  { inFlight: 32, total: 800 },
  { inFlight: 256, total: 1_600 },
] as const;

async function startFloor(platform: TestPlatform): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(join(findRoot(__dirname), 'dist/test/bench/operations-floor.js'), { env: { ...process.env, MONGODB_URL: platform.mongodbUrl, TWIN_URL: platform.twinUrl } });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error('the floor ended before it served')));
  });
  return { url: `http://127.0.0.1:${port}/`, child };
}

let sequence = 0;

async function measure(url: string, token: string, inFlight: number, total: number): Promise<Side> {
  const prefix = `bench-${process.pid}-${(sequence += 1)}`;
  const { samplesMs, elapsedMs } = await drive(total, inFlight, async (index) => {
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify({ operationId: `${prefix}-${index}`, amountCents: 1, reason: 'bench' }) });
    const body = await response.text();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${body}`);
  });
  return summarise(samplesMs, elapsedMs);
}

const rate = (side: readonly Side[]) => median(side.map(({ perSecond }) => perSecond)).toFixed(0);
const millis = (values: readonly number[]) => median(values).toFixed(1);

export async function benchOperations(): Promise<BenchReport> {
  const platform = await startPlatform({ portBase: 12_900 });
  const floor = await startFloor(platform);
  try {
    const token = await platform.token({ role: 'platform_owner' });
    const gateway = `${platform.gatewayUrl}/api/saas/workspaces/globex/balance-credit`;
    const rows: string[][] = [];
    for (const { inFlight, total } of widths) {
      await measure(gateway, token, inFlight, Math.ceil(total / 4));
      await measure(floor.url, token, inFlight, Math.ceil(total / 4));
      const ours: Side[] = [];
      const theirs: Side[] = [];
      for (let round = 0; round < rounds; round += 1) {
        ours.push(await measure(gateway, token, inFlight, total));
        theirs.push(await measure(floor.url, token, inFlight, total));
      }
      const ratios = ours.map((side, at) => side.perSecond / theirs[at]!.perSecond);
      const tails = ours.map((side, at) => side.p99Ms / theirs[at]!.p99Ms);
      rows.push([String(inFlight), rate(ours), rate(theirs), median(ratios).toFixed(2), millis(ours.map(({ p50Ms }) => p50Ms)), millis(theirs.map(({ p50Ms }) => p50Ms)), millis(ours.map(({ p99Ms }) => p99Ms)), median(tails).toFixed(2)]);
    }
    const sample = await createTwinClient(platform.twinUrl).effects(`bench-${process.pid}-1-0`);
    if (sample.length !== 1) throw new Error(`a credit had ${sample.length} effects`);
    return {
      title: 'operations: credits per second, gateway against floor',
      head: ['in flight', 'gateway /s', 'floor /s', 'ratio', 'p50 ms', 'floor p50', 'p99 ms', 'p99 ratio'],
      rows,
      notes: [`Medians of ${rounds} alternating rounds on one platform (embedded document store, provider twin), majority and journal on every write. Goal: ratio ≥ 0.85, p99 ratio ≤ 1.30.`],
    };
  } finally {
    floor.child.disconnect();
    await platform.stop();
  }
}
