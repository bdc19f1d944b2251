/**
 * Partitions between one process and one port, in which what passes is held and arrives when the outage is over; ports
 * that refuse connections for a while; and processes that die between what they have asked for and its answer.
 */
import type { Process, Timeline } from '../engine/timeline';

interface Outage {
  readonly process: Process;
  readonly port: number;
  /** `to`: what the process sends is held; `from`: what it would receive; `both`. */
  readonly direction: 'to' | 'from' | 'both';
  readonly until: number;
}

export interface Outages {
  /** Holds what passes between a process and a port. */
  hold(outage: Outage): void;
  /** Nothing can connect to the port for so long. */
  refuse(port: number, milliseconds: number): void;
  isRefused(port: number): boolean;
  /** The process dies when so many changes of the collection were made for it, before it learns of the last one. */
  ambush(process: Process, collection: string, changes: number): void;
  /** An answer comes to the process, after a change of this collection if any: whether it dies now. */
  springs(process: Process, changed: string | undefined): boolean;
  /** Processes that died so. */
  readonly sprung: number;
  /** Ends every outage. */
  heal(): void;
  /** Until when bytes of this process on their way `to` a port or `from` it are held; 0: they pass. */
  heldUntil(process: Process | null, port: number, way: 'to' | 'from'): number;
}

export function createOutages(timeline: Timeline): Outages {
  let outages: Outage[] = [];
  const refused = new Map<number, number>();
  let sprung = 0;
  const ambushes = new Map<Process, { readonly collection: string; left: number }>();
  return {
    hold: (outage) => void outages.push(outage),
    refuse: (port, milliseconds) => void refused.set(port, timeline.time + milliseconds),
    isRefused: (port) => (refused.get(port) ?? 0) > timeline.time,
    ambush: (process, collection, changes) => void ambushes.set(process, { collection, left: changes }),
    springs(process, changed) {
      const ambush = ambushes.get(process);
      if (changed === undefined || ambush?.collection !== changed) return false;
      ambush.left -= 1;
      if (ambush.left !== 0) return false;
      sprung += 1;
      return true;
    },
    get sprung() {
      return sprung;
    },
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
