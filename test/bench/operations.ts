/**
 * Credits through the gateway compared with the floor, 1, 32 and 256 in flight, in alternating rounds on one running
 * platform.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { readLivePids } from '../../infra/local/pid-files';
import { findRoot } from '../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../support/platform';
import { createTwinClient } from '../../infra/local/demo/twin-client';
import { cpuOf } from './cpu-time';
import { drive, median, progress, summarise, type BenchReport, type Side } from './report';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** Credits before the measurement, after which the code of both sides is compiled. */
const warmUp = 1_500;
const widths = [
  { inFlight: 1, total: 150 },
  { inFlight: 32, total: 800 },
  { inFlight: 256, total: 1_600 },
] as const;

async function startFloor(platform: TestPlatform): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(join(findRoot(__dirname), 'dist/test/bench/operations-floor.js'), {
    env: { ...process.env, MONGODB_URL: platform.mongodbUrl, TWIN_URL: platform.twinUrl },
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', () => reject(new Error('the floor ended before it served')));
  });
  return { url: `http://127.0.0.1:${port}/`, child };
}

/** Batches of credits on the platform that is measured. */
let sequence = 0;

type Measured = Side & { readonly cpuMs: Readonly<Record<string, number>> };

async function measure(
  url: string,
  token: string,
  inFlight: number,
  total: number,
  pids: Readonly<Record<string, number>>,
): Promise<Measured> {
  const prefix = `bench-${process.pid}-${(sequence += 1)}`;
  const { value, cpuMs } = await cpuOf(pids, () =>
    drive(total, inFlight, async (index) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ operationId: `${prefix}-${index}`, amountCents: 1, reason: 'bench' }),
      });
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${body}`);
    }),
  );
  return {
    ...summarise(value.samplesMs, value.elapsedMs),
    cpuMs: Object.fromEntries(Object.entries(cpuMs).map(([name, spent]) => [name, spent / total])),
  };
}

const rate = (side: readonly Side[]) => median(side.map(({ perSecond }) => perSecond)).toFixed(0);
const millis = (values: readonly number[]) => median(values).toFixed(1);
const cpu = (side: readonly Measured[], name: string) => median(side.map(({ cpuMs }) => cpuMs[name]!)).toFixed(2);

function rowOf(inFlight: number, ours: readonly Measured[], theirs: readonly Measured[]): string[] {
  const ratios = ours.map((side, at) => side.perSecond / theirs[at]!.perSecond);
  const tails = ours.map((side, at) => side.p99Ms / theirs[at]!.p99Ms);
  const [p50, p99] = [(side: Side) => side.p50Ms, (side: Side) => side.p99Ms];
  const cpus = ['service', 'store', 'provider'].map((name) => `${cpu(ours, name)} / ${cpu(theirs, name)}`);
  return [
    String(inFlight),
    rate(ours),
    rate(theirs),
    median(ratios).toFixed(2),
    millis(ours.map(p50)),
    millis(theirs.map(p50)),
    millis(ours.map(p99)),
    median(tails).toFixed(2),
    ...cpus,
  ];
}

/** Alternating rounds on one platform; throws when a request fails or a credit has not exactly one effect. */
export async function benchOperations(): Promise<BenchReport> {
  sequence = 0;
  const platform = await startPlatform({ portBase: 12_900 });
  const floor = await startFloor(platform);
  try {
    const token = await platform.token({ role: 'platform_owner' });
    const gateway = `${platform.gatewayUrl}/api/saas/workspaces/globex/balance-credit`;
    const pidOf = Object.fromEntries(readLivePids(platform.localDir).map(({ name, pid }) => [name, pid]));
    const shared = { store: pidOf['document-store']!, provider: pidOf['provider-twin']! };
    const sides = {
      ours: (inFlight: number, total: number) =>
        measure(gateway, token, inFlight, total, { ...shared, service: pidOf['operator']! }),
      theirs: (inFlight: number, total: number) =>
        measure(floor.url, token, inFlight, total, { ...shared, service: floor.child.pid! }),
    };
    const rows: string[][] = [];
    progress(`warming up, ${warmUp} credits on either side`);
    await sides.ours(32, warmUp);
    await sides.theirs(32, warmUp);
    for (const { inFlight, total } of widths) {
      await sides.ours(inFlight, Math.ceil(total / 4));
      await sides.theirs(inFlight, Math.ceil(total / 4));
      const ours: Measured[] = [];
      const theirs: Measured[] = [];
      for (let round = 0; round < rounds; round += 1) {
        progress(`${inFlight} in flight, round ${round + 1} of ${rounds}`);
        ours.push(await sides.ours(inFlight, total));
        theirs.push(await sides.theirs(inFlight, total));
      }
      rows.push(rowOf(inFlight, ours, theirs));
    }
    const sample = await createTwinClient(platform.twinUrl).effects(`bench-${process.pid}-1-0`);
    if (sample.length !== 1) throw new Error(`a credit had ${sample.length} effects`);
    return {
      title: 'operations: credits per second, gateway against floor',
      head: [
        'in flight',
        'gateway /s',
        'floor /s',
        'ratio',
        'p50 ms',
        'floor p50',
        'p99 ms',
        'p99 ratio',
        'service CPU ms',
        'store CPU ms',
        'provider CPU ms',
      ],
      rows,
      notes: [
        `Medians of ${rounds} alternating rounds on one platform (embedded document store, provider twin), majority and journal on every write. Goal: ratio ≥ 0.85, p99 ratio ≤ 1.30.`,
        'CPU: milliseconds per credit, gateway / floor, as the kernel counts them.',
      ],
    };
  } finally {
    floor.child.disconnect();
    await platform.stop();
  }
}
