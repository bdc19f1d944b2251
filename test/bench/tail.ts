/**
 * Where a slow request spends its time: credits one at a time, and for each one what every process did meanwhile, as the
 * kernel counts it. The slowest are compared with the ordinary ones.
 */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLivePids } from '../../infra/local/pid-files';
import { findRoot } from '../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../support/platform';
import { postJson } from './lean-client';
import { drive, progress, summarise, type BenchReport } from './report';

const credits = Number(process.env['BENCH_CREDITS'] ?? 3_000);
/** Credits before the measurement, after which the code of all parts is compiled. */
const warmUp = 2_500;
const slowestShare = 0.02;

/** Milliseconds of a process so far: on a core, and ready to run while no core was free. */
interface Scheduled {
  readonly ranMs: number;
  readonly waitedMs: number;
}
const onPath = ['caller', 'operator', 'document-store', 'provider-twin'] as const;
type OnPath = (typeof onPath)[number];

interface Credit {
  readonly startedAt: number;
  readonly latencyMs: number;
  readonly spent: Readonly<Record<OnPath, Scheduled>>;
  /** The other threads of the processes on the path: collection of garbage, compilation, file synchronisation. */
  readonly helpersMs: number;
  /** The other processes of the platform, by name. */
  readonly others: Readonly<Record<string, number>>;
}

/** The main thread runs the program. */
function mainThreadOf(pid: number): Scheduled {
  const [ran = NaN, waited = NaN] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}

/** A thread may end between the listing and the reading. */
function allThreadsOf(pid: number): number {
  const ranMs = (task: string): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      return 0;
    }
  };
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + ranMs(task), 0);
}

interface Watched {
  readonly pids: Readonly<Record<OnPath, number>>;
  readonly others: readonly (readonly [name: string, pid: number])[];
}

function watchedOf(platform: TestPlatform): Watched {
  const live = Object.fromEntries(readLivePids(platform.localDir).map(({ name, pid }) => [name, pid]));
  const pids = Object.fromEntries(onPath.map((name) => [name, name === 'caller' ? process.pid : live[name]!]));
  const path = new Set(Object.values(pids));
  return { pids: pids as Record<OnPath, number>, others: Object.entries(live).filter(([, pid]) => !path.has(pid)) };
}

function readAll({ pids, others }: Watched) {
  return {
    path: Object.fromEntries(onPath.map((name) => [name, mainThreadOf(pids[name])])) as Record<OnPath, Scheduled>,
    threadsMs: Object.values(pids).reduce((sum, pid) => sum + allThreadsOf(pid), 0),
    others: Object.fromEntries(others.map(([name, pid]) => [name, allThreadsOf(pid)])),
  };
}

async function measure(watched: Watched, send: (index: number) => Promise<void>): Promise<Credit[]> {
  const measured: Credit[] = [];
  for (let index = 0; index < credits; index += 1) {
    if (index % 500 === 0) progress(`credit ${index} of ${credits}`);
    const before = readAll(watched);
    const startedAt = performance.timeOrigin + performance.now();
    await send(index);
    const latencyMs = performance.timeOrigin + performance.now() - startedAt;
    const after = readAll(watched);
    const spent = Object.fromEntries(
      onPath.map((name) => [
        name,
        {
          ranMs: after.path[name].ranMs - before.path[name].ranMs,
          waitedMs: after.path[name].waitedMs - before.path[name].waitedMs,
        },
      ]),
    ) as Record<OnPath, Scheduled>;
    const mainMs = Object.values(spent).reduce((sum, { ranMs }) => sum + ranMs, 0);
    const helpersMs = after.threadsMs - before.threadsMs - mainMs;
    const others = Object.fromEntries(
      Object.entries(after.others).map(([name, ranMs]) => [name, ranMs - before.others[name]!]),
    );
    measured.push({ startedAt, latencyMs, spent, helpersMs, others });
  }
  return measured;
}

type Pauses = readonly (readonly [number, number])[];

/** Milliseconds of the pauses within a request. */
function pausedMs(pauses: Pauses, { startedAt, latencyMs }: Credit): number {
  const until = startedAt + latencyMs;
  return pauses.reduce(
    (sum, [at, lasted]) => sum + Math.max(0, Math.min(at + lasted, until) - Math.max(at, startedAt)),
    0,
  );
}

function pausesIn(folder: string, pid: number): Pauses {
  const file = join(folder, `${pid}.json`);
  if (!existsSync(file)) throw new Error(`the process ${pid} has left no record of its garbage collection`);
  return JSON.parse(readFileSync(file, 'utf8')) as Pauses;
}

const mean = (values: readonly number[]): string =>
  (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2);

function rowOf(name: string, group: readonly Credit[], pauses: Readonly<Record<string, Pauses>>): string[] {
  const of = (pick: (credit: Credit) => number): string => mean(group.map(pick));
  const ran = (part: OnPath) => of(({ spent }) => spent[part].ranMs);
  const path = (pick: (scheduled: Scheduled) => number) => (credit: Credit) =>
    onPath.reduce((sum, part) => sum + pick(credit.spent[part]), 0);
  const waited = path(({ waitedMs }) => waitedMs);
  const onCore = path(({ ranMs }) => ranMs);
  return [
    name,
    String(group.length),
    of(({ latencyMs }) => latencyMs),
    ...onPath.map(ran),
    of((credit) => Object.values(pauses).reduce((sum, each) => sum + pausedMs(each, credit), 0)),
    of(({ helpersMs }) => helpersMs),
    of(waited),
    of(({ others }) => Object.values(others).reduce((sum, ranMs) => sum + ranMs, 0)),
    of((credit) => Math.max(0, credit.latencyMs - onCore(credit) - waited(credit))),
  ];
}

/** What the other parts did during the slowest, the busiest first. */
function othersOf(group: readonly Credit[]): string {
  const names = Object.keys(group[0]?.others ?? {});
  const means = names.map((name) => [name, Number(mean(group.map(({ others }) => others[name]!)))] as const);
  return means
    .sort(([, a], [, b]) => b - a)
    .slice(0, 6)
    .map(([name, ranMs]) => `${name} ${ranMs}`)
    .join(', ');
}

/** Credits one at a time on a platform of its own; throws when one is not answered with a success. */
export async function benchTail(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-tail-'));
  const preload = join(folder, 'tail-pauses.cjs');
  copyFileSync(join(findRoot(__dirname), 'test/bench/tail-pauses.cjs'), preload);
  process.env['PART_PRELOAD'] = preload;
  const platform = await startPlatform({ portBase: 12_950 }).finally(() => delete process.env['PART_PRELOAD']);
  const watched = watchedOf(platform);
  const measured = await creditsOf(platform, watched).finally(() => platform.stop());
  const pauses = Object.fromEntries(
    onPath.filter((name) => name !== 'caller').map((name) => [name, pausesIn(folder, watched.pids[name])]),
  );
  rmSync(folder, { recursive: true, force: true });
  const sorted = [...measured].sort((a, b) => a.latencyMs - b.latencyMs);
  const cut = (from: number, to: number) => sorted.slice(Math.floor(from * credits), Math.ceil(to * credits));
  const { p50Ms, p99Ms } = summarise(
    measured.map(({ latencyMs }) => latencyMs),
    1,
  );
  return {
    title: 'tail: where a credit with one in flight spends its time',
    head: ['credits', 'how many', 'ms', ...onPath, 'garbage', 'helpers', 'no core free', 'other parts', 'rest'],
    rows: [
      rowOf('ordinary', cut(0.4, 0.6), pauses),
      rowOf('slow', cut(0.9, 1 - slowestShare), pauses),
      rowOf('slowest', cut(1 - slowestShare, 1), pauses),
    ],
    notes: [
      `Mean milliseconds per credit; ordinary is the fifth around the median, slow from the 90th to the 98th percentile, slowest the last fiftieth. p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${(p99Ms / p50Ms).toFixed(1)} times. Goal: p99 at most twice p50.`,
      'The columns of processes: time of their main threads on a core, pauses for garbage among them (all parts together under `garbage`). `no core free`: they were ready and waited for a core. `other parts`: work of the rest of the platform meanwhile, for which they may have waited. `rest`: asleep, mostly until the store has synchronised its file.',
      `Other parts during the slowest: ${othersOf(cut(1 - slowestShare, 1))} ms.`,
    ],
  };
}

async function creditsOf(platform: TestPlatform, watched: Watched): Promise<Credit[]> {
  const token = await platform.token({ role: 'platform_owner' });
  const url = `${platform.gatewayUrl}/api/saas/workspaces/globex/balance-credit`;
  const send = (name: string) => async (index: number) => {
    const { status, text } = await postJson(
      url,
      { operationId: `${name}-${process.pid}-${index}`, amountCents: 1, reason: 'bench' },
      { authorization: `Bearer ${token}` },
    );
    if (status !== 200) throw new Error(`${url} answered ${status}: ${text}`);
  };
  progress(`warming up, ${warmUp} credits`);
  await drive(warmUp, 8, send('tail-warm'));
  return measure(watched, send('tail'));
}
