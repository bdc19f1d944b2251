/**
 * Ports for platforms in tests: several suites, runs and checkouts share a machine, so no suite has fixed ports. The
 * range lies below the ports that systems assign to outgoing connections.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { listenerOf } from '../../infra/local/pid-files';
import { portOffsets } from '../../infra/local/settings';
import { claim } from './once-per-run';

const firstBase = 15_000;
const bases = 170;
const tries = 8;
const taken = /is taken by|EADDRINUSE|address already in use/;

/**
 * The base of a hundred ports; those that the platform uses are free at this moment. No other suite of the run gets
 * them, because a platform that is not started yet, or is being started again, does not listen on them.
 */
export function findPortBase(): number {
  const from = randomInt(bases);
  for (let tried = 0; tried < bases; tried += 1) {
    const base = firstBase + ((from + tried) % bases) * 100;
    if (isFree(base) && isOurs(base)) return base;
  }
  throw new Error('No ports are free for a platform of the tests');
}

const isFree = (base: number): boolean =>
  Object.values(portOffsets).every((offset) => listenerOf(base + offset) === undefined);

/** A bench or a chaos run starts its platforms alone, without the folder of a run. */
function isOurs(base: number): boolean {
  const run = process.env['TEST_RUN_FOLDER'];
  if (!run) return true;
  const folder = join(run, 'port-bases');
  mkdirSync(folder, { recursive: true });
  return claim(join(folder, String(base)));
}

/** Starts on free ports, and on others when those are taken in the meantime. */
export async function onFreePorts<T>(start: (portBase: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(findPortBase());
    } catch (error) {
      if (attempt === tries || !taken.test(String(error))) throw error;
    }
  }
}
