/**
 * The power of detection: how many histories each law-breaking build plays, without a remembered seed, until one exposes
 * it. A start is the first seed of the run or the seed after a catch. The correct build then plays every history up to
 * the last catch, because a failure that it shares proves nothing about the build.
 */
import { findRoot } from '../../../infra/local/settings';
import { grouped, type Tally } from '../tally';
import { buildAll, simulatedBuilds, tallyOf, type MutantOptions } from './run-mutants';

interface Detection {
  readonly id: string;
  /** The histories from each start to the catch, that one included. */
  readonly needed: readonly number[];
  /** The seeds of the catches. */
  readonly seeds: readonly number[];
  /** The histories that the build played in all. */
  readonly histories: number;
}

type Options = Pick<MutantOptions, 'only' | 'histories' | 'from' | 'workers' | 'show' | 'keep'> & {
  readonly starts: number;
};

/** The middle of the values; of an even number, the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[upper]! : (sorted[upper - 1]! + sorted[upper]!) / 2;
}

/** The catches of one run of histories from `from`; workers end in any order, so the seeds decide which came first. */
export function detectionOf(id: string, from: number, starts: number, tally: Pick<Tally, 'failures' | 'histories'>) {
  const seeds = tally.failures
    .map(({ plan }) => plan.seed)
    .sort((a, b) => a - b)
    .slice(0, starts);
  const needed = seeds.map((seed, at) => seed - (at === 0 ? from - 1 : seeds[at - 1]!));
  return { id, needed, seeds, histories: tally.histories } satisfies Detection;
}

/** The median is only that of all starts: one of those that were quick would flatter. */
function rowOf({ id, needed, histories }: Detection, starts: number): string {
  const median = needed.length < starts ? '-' : String(medianOf(needed));
  const each = needed.length > 0 ? needed.join(' ') : `none within ${grouped(histories)} histories`;
  return `${id.padEnd(38)}  ${`${needed.length} of ${starts}`.padStart(8)}  ${median.padStart(7)}  ${each}`;
}

/** Returns the exit code: 0 when the correct build passed; how many histories a build needs is no criterion. */
export async function measureDetection(options: Options): Promise<number> {
  const { histories, from, workers, starts, show, keep } = options;
  const { honest, built } = await buildAll(findRoot(__dirname), simulatedBuilds(options));
  show(
    `${'build'.padEnd(38)}  ${'starts'.padStart(8)}  ${'median'.padStart(7)}  histories from each start to its catch`,
  );
  const found: Detection[] = [];
  for (const { mutant, bundle } of built) {
    const tally = await tallyOf(bundle, from, histories, workers, { batch: 1, failures: starts });
    const detection = detectionOf(mutant.id, from, starts, tally);
    found.push(detection);
    show(rowOf(detection, starts));
  }
  const last = Math.max(from - 1, ...found.flatMap(({ seeds }) => seeds));
  const control = await tallyOf(honest, from, last + 1 - from, workers, { batch: 1 });
  const [failure] = control.failures;
  keep('detection', { from, histories, starts, control: control.histories, found });
  show(
    failure
      ? `\nFAILED: the honest build shows a violation in seed ${failure.plan.seed} too: ${failure.violations[0]}`
      : `\nthe honest build: ${grouped(control.histories)} histories from seed ${from} without a violation`,
  );
  return failure ? 1 : 0;
}
