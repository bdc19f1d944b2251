/**
 * Partitions between one process and one port, in which what passes is held and arrives when the outage is over; ports
 * that refuse connections for a while; and what befalls processes at a change that they ask the store for.
 */
import { isMeant, type Ambush } from './ambush';
import type { Process, Timeline } from '../engine/timeline';
import type { Change } from './wire';

interface Outage {
  readonly process: Process;
  readonly port: number;
  /** `to`: what the process sends is held; `from`: what it would receive; `both`. */
  readonly direction: 'to' | 'from' | 'both';
  readonly until: number;
}

/** What becomes of the bytes; undefined: they pass. */
type Sprung = 'crash_before' | 'freeze' | 'cut' | 'delay' | undefined;

export interface Outages {
  /** Holds what passes between a process and a port. */
  hold(outage: Outage): void;
  /** Nothing can connect to the port for so long. */
  refuse(port: number, milliseconds: number): void;
  isRefused(port: number): boolean;
  /** What awaits the process; it replaces what awaited it before. */
  ambush(process: Process, ambush: Ambush): void;
  /** A change or its answer passes between the process and the store at this port: what befalls it now. */
  springs(process: Process, change: Change | undefined, at: 'request' | 'answer', port: number): Sprung;
  /** How often a process died so, how often one slept, and how often one lost a server. */
  readonly sprung: Readonly<Record<'death' | 'sleep' | 'loss', number>>;
  /** Ends every outage. */
  heal(): void;
  /** Until when bytes of this process on their way `to` a port or `from` it are held; 0: they pass. */
  heldUntil(process: Process | null, port: number, way: 'to' | 'from'): number;
}

export function createOutages(timeline: Timeline): Outages {
  let outages: Outage[] = [];
  const refused = new Map<number, number>();
  const sprung = { death: 0, sleep: 0, loss: 0 };
  const ambushes = new Map<Process, { readonly ambush: Ambush; left: number }>();
  return {
    hold: (outage) => void outages.push(outage),
    refuse: (port, milliseconds) => void refused.set(port, timeline.time + milliseconds),
    isRefused: (port) => (refused.get(port) ?? 0) > timeline.time,
    ambush: (process, ambush) => void ambushes.set(process, { ambush, left: ambush.change }),
    springs(process, change, at, port) {
      const waiting = ambushes.get(process);
      if (!change || waiting?.ambush.fate.at !== at || !isMeant(waiting.ambush, change)) return undefined;
      waiting.left -= 1;
      if (waiting.left > 0) return undefined;
      ambushes.delete(process);
      const { fate } = waiting.ambush;
      sprung[fate.is] += 1;
      if (fate.is !== 'loss') return fate.is === 'death' ? 'crash_before' : 'freeze';
      outages.push({ process, port: fate.port, direction: fate.direction, until: timeline.time + fate.milliseconds });
      if (fate.breaks) return 'cut';
      return fate.port === port ? 'delay' : undefined;
    },
    sprung,
    heal: () => {
      outages = [];
      ambushes.clear();
      refused.clear();
    },
    heldUntil(process, port, way) {
      if (process === null || outages.length === 0) return 0;
      outages = outages.filter(({ until }) => until > timeline.time);
      const own = outages.filter(
        (each) =>
          each.process === process && each.port === port && (each.direction === 'both' || each.direction === way),
      );
      return Math.max(0, ...own.map(({ until }) => until));
    },
  };
}
