/**
 * The clocks of a run: every part has its own skew, and all of them jump when the run simulates that time has passed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { instantNow } from '../observer/instants';

export interface Jump {
  readonly at: number;
  readonly milliseconds: number;
}

export interface Clocks {
  /** The environment with which the platform's parts must be started. */
  readonly environment: Readonly<Record<string, string>>;
  readonly jumps: readonly Jump[];
  /** Every part's wall clock jumps forward at once. */
  jump(milliseconds: number): void;
  /** How much time has passed by the platform's clocks at an instant of the machine. */
  at(instant: number): number;
}

/** By how many seconds the hosts' clocks differ from the database's; far more than on any maintained host. */
const skewSeconds: Readonly<Record<string, number>> = {
  operator: 420,
  // Not behind: a gateway refuses a token that was issued in the future by its clock.
  'operator-2': 240,
  provisioning: -180,
  'lifecycle-delivery': 90,
  'billing-webhook': -45,
};

export function createClocks(root: string, localDir: string): Clocks {
  const folder = join(localDir, 'clocks');
  mkdirSync(folder, { recursive: true });
  for (const [part, seconds] of Object.entries(skewSeconds)) writeFileSync(join(folder, part), String(seconds * 1_000));
  const jumps: Jump[] = [];
  const passed = (until: number): number =>
    jumps.filter(({ at }) => at <= until).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return {
    environment: { CLOCK_OFFSETS: folder, PART_PRELOAD: join(root, 'test/chaos/clock/offset-clock.cjs') },
    jumps,
    jump(milliseconds) {
      jumps.push({ at: instantNow(), milliseconds });
      writeFileSync(join(folder, 'all'), String(passed(Infinity)));
    },
    at: (instant) => instant + passed(instant),
  };
}
