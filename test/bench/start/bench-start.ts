/**
 * The cost of the whole platform: the time from `npm start` on an empty folder to ready, and its memory and CPU use
 * without any request.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readLivePids } from '../../../infra/local/pid-files';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { median, type BenchReport } from '../report';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const idleMs = Number(process.env['BENCH_IDLE_MS'] ?? 15_000);
/** Clock ticks per second of the kernel's process statistics. */
const ticks = 100;

interface Cost {
  readonly name: string;
  /** All mapped pages, including those of the runtime's own program, which all processes share. */
  readonly rssMb: number;
  /** The same with each shared page divided among the processes that share it: the machine's real cost. */
  readonly pssMb: number;
  readonly cpuSeconds: number;
}

/**
 * Memory and CPU time so far of a part and the processes that it has started, except those that are parts themselves,
 * as the kernel counts them.
 */
function costOf(name: string, pid: number, parts: ReadonlySet<number>): Cost {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)![1]) / 1_024;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '' && !parts.has(Number(child)))
    .map((child) => costOf(name, Number(child), parts));
  return children.reduce(
    (sum, child) => ({
      name,
      rssMb: sum.rssMb + child.rssMb,
      pssMb: sum.pssMb + child.pssMb,
      cpuSeconds: sum.cpuSeconds + child.cpuSeconds,
    }),
    {
      name,
      rssMb: megabytes('Rss'),
      pssMb: megabytes('Pss'),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticks,
    },
  );
}

function costs({ localDir }: TestPlatform): Cost[] {
  const live = readLivePids(localDir);
  const parts = new Set(live.map(({ pid }) => pid));
  return live.map(({ name, pid }) => costOf(name, pid, parts));
}

interface Started {
  /** On an empty folder, and again on the folder that this start has left. */
  readonly readySeconds: number;
  readonly againSeconds: number;
  readonly before: readonly Cost[];
  readonly after: readonly Cost[];
}

async function startTwice(portBase: number): Promise<Started> {
  const localDir = mkdtempSync(join(tmpdir(), 'bench-start-'));
  const timed = async (measure: (platform: TestPlatform) => Promise<void>): Promise<number> => {
    const startedAt = performance.now();
    const platform = await startPlatform({ portBase, localDir });
    try {
      const seconds = (performance.now() - startedAt) / 1_000;
      await measure(platform);
      return seconds;
    } finally {
      await platform.stop();
    }
  };
  const measured: Cost[][] = [];
  const idle = async (platform: TestPlatform): Promise<void> => {
    await delay(idleMs / 3);
    measured.push(costs(platform));
    await delay(idleMs);
    measured.push(costs(platform));
  };
  try {
    const readySeconds = await timed(idle);
    const againSeconds = await timed(async () => undefined);
    const [before = [], after = []] = measured;
    return { readySeconds, againSeconds, before, after };
  } finally {
    rmSync(localDir, { recursive: true, force: true });
  }
}

/** Cold means: an empty folder for data and logs, and built bundles; the machine's file cache is not cleared. */
export async function benchStart(): Promise<BenchReport> {
  const runs: Started[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await startTwice(14_800));
  const last = runs.at(-1)!;
  const burnt = (name: string) =>
    ((last.after.find((each) => each.name === name)?.cpuSeconds ?? 0) -
      (last.before.find((each) => each.name === name)?.cpuSeconds ?? 0)) /
    (idleMs / 1_000);
  const parts = last.after.map(({ name, rssMb, pssMb }) => [
    name,
    '',
    '',
    rssMb.toFixed(0),
    pssMb.toFixed(0),
    (burnt(name) * 100).toFixed(1),
  ]);
  const memory = (of: (cost: Cost) => number): string =>
    median(runs.map(({ after }) => after.reduce((sum, cost) => sum + of(cost), 0))).toFixed(0);
  const cpu = last.after.reduce((sum, { name }) => sum + burnt(name), 0) * 100;
  return {
    title: 'start: from npm start to ready, and the cost of idle',
    head: ['part', 'ready s', 'again s', 'RSS MB', 'PSS MB', 'idle CPU %'],
    rows: [
      [
        'everything',
        median(runs.map(({ readySeconds }) => readySeconds)).toFixed(1),
        median(runs.map(({ againSeconds }) => againSeconds)).toFixed(1),
        memory(({ rssMb }) => rssMb),
        memory(({ pssMb }) => pssMb),
        cpu.toFixed(1),
      ],
      ...parts,
    ],
    notes: [
      `Medians of ${rounds} starts on an empty folder; parts of the last one. “Again” is the next start on the same folder. Idle CPU is the share of one core over ${idleMs / 1_000} s. Goal: ready in ≤ 6 s, again in ≤ 3 s, ≤ 350 MB (PSS) for everything.`,
      'RSS counts the program text of the runtime, about 40 MB, once for each process; PSS divides what is shared among those who share it, so that its sum is what the machine gives away.',
    ],
  };
}
