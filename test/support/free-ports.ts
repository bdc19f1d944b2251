/**
 * Ports for platforms in tests: several suites, runs and checkouts share a machine, so no suite has fixed ports. The
 * range lies below the ports that systems assign to outgoing connections.
 */
import { randomInt } from 'node:crypto';
import { listenerOf } from '../../infra/local/pid-files';
import { portOffsets } from '../../infra/local/settings';

const firstBase = 15_000;
const bases = 170;
const tries = 8;
const taken = /is taken by|EADDRINUSE|address already in use/;

/** The base of a hundred ports; those that the platform uses are free at this moment. */
export function findPortBase(): number {
  for (let tried = 0; tried < bases; tried += 1) {
    const base = firstBase + randomInt(bases) * 100;
    if (Object.values(portOffsets).every((offset) => listenerOf(base + offset) === undefined)) return base;
  }
  throw new Error('No ports are free for a platform of the tests');
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
