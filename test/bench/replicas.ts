/**
 * One, two and four replicas of every service under the same load of each: processor time per operation, by part, and at
 * rest. On a machine whose cores all processes share, time per operation shows what the rate cannot: work that each
 * replica adds, and records that they contend for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { replicaOffsets } from '../../infra/local/service-parts';
import { startPlatform, type TestPlatform } from '../support/platform';
import {
  addWorkspaces,
  changes,
  cpuByPart,
  credits,
  measure,
  parts,
  type Cost,
  type Perform,
  type Stage,
} from './actions-work';
import { median, progress, type BenchReport } from './report';

const numbers = [1, 2, 4];
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
/** Of each replica: a replica with fewer requests sends fewer statements in a command, and its code is compiled later. */
const inFlight = 8;
const totals = { credits: 320, transitions: 64 } as const;
const restMs = 20_000;

async function startReplicas(replicas: number): Promise<Stage & { readonly platform: TestPlatform }> {
  const saved = process.env['REPLICAS'];
  process.env['REPLICAS'] = String(replicas);
  try {
    const platform = await startPlatform({ without: ['query-builder'] });
    const { port, hostname } = new URL(platform.gatewayUrl);
    const gateways = replicaOffsets.slice(0, replicas).map((offset) => `http://${hostname}:${Number(port) + offset}`);
    return { platform, gateways };
  } finally {
    if (saved === undefined) delete process.env['REPLICAS'];
    else process.env['REPLICAS'] = saved;
  }
}

const middle = (costs: readonly Cost[]): Cost => ({
  perSecond: median(costs.map(({ perSecond }) => perSecond)),
  p50Ms: median(costs.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(costs.map(({ p99Ms }) => p99Ms)),
  cpuMs: Object.fromEntries(parts.map((part) => [part, median(costs.map(({ cpuMs }) => cpuMs[part]!))])),
});

const rowOf = (load: string, replicas: number, { perSecond, p50Ms, p99Ms, cpuMs }: Cost): string[] => [
  ...[load, String(replicas), perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1)],
  ...parts.map((part) => cpuMs[part]!.toFixed(2)),
];

async function loaded(stage: Stage, replicas: number): Promise<string[][]> {
  const ids = await addWorkspaces(stage.platform, 'scaled', totals.transitions * replicas, 'starter');
  const costs: Record<'credit' | 'suspend' | 'reactivate', Cost[]> = { credit: [], suspend: [], reactivate: [] };
  for (let round = 0; round <= rounds; round += 1) {
    progress(`${replicas} replicas, round ${round} of ${rounds}`);
    const measured = (total: number, perform: Perform) => measure(stage, inFlight * replicas, total, perform);
    const credit = await measured(totals.credits * replicas, await credits(stage, `scaled-${round}`));
    const [suspend, reactivate] = [
      await measured(ids.length, await changes(stage, ids, 'suspend')),
      await measured(ids.length, await changes(stage, ids, 'reactivate')),
    ];
    // The first round compiles the code of every process.
    if (round === 0) continue;
    for (const [kind, cost] of Object.entries({ credit, suspend, reactivate }))
      costs[kind as keyof typeof costs].push(cost);
  }
  return Object.entries(costs).map(([kind, of]) => rowOf(kind, replicas, middle(of)));
}

/** Milliseconds of processor time of each part in a second without requests. */
async function resting({ platform }: Stage, replicas: number): Promise<string[]> {
  const { cpuMs } = await cpuByPart(platform, () => delay(restMs));
  const perSecond = parts.map((part) => ((cpuMs[part]! * 1_000) / restMs).toFixed(2));
  return ['at rest, in a second', String(replicas), '–', '–', '–', ...perSecond];
}

/** Throws when an operation does not succeed. */
export async function benchReplicas(): Promise<BenchReport> {
  const rows: string[][] = [];
  for (const replicas of numbers) {
    const stage = await startReplicas(replicas);
    try {
      rows.push(...(await loaded(stage, replicas)), await resting(stage, replicas));
    } finally {
      await stage.platform.stop();
    }
  }
  rows.sort(([a], [b]) => order.indexOf(a!) - order.indexOf(b!));
  return {
    title: 'replicas: one, two and four replicas of every service, each under the same load',
    head: ['load', 'replicas', 'per second', 'p50 ms', 'p99 ms', ...parts.map((part) => `${part} CPU ms`)],
    rows,
    notes: [
      `Medians of ${rounds} rounds with ${inFlight} requests in flight for each replica, sent to the gateways in turn. All processes share this machine’s cores, so the rate cannot grow with the replicas; CPU is the sum of all replicas of a part, in milliseconds per operation with what follows from it, and at rest in a second. A part whose figure does not grow does no work for the number of replicas.`,
    ],
  };
}

const order = ['credit', 'suspend', 'reactivate', 'at rest, in a second'];
