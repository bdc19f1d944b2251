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
  /** The process dies when so many changes of the store were made for it, before it learns of the last one. */
  ambush(process: Process, changes: number): void;
  /** A change was made for the process: whether it dies now. */
  springs(process: Process): boolean;
  /** Ends every outage. */
  heal(): void;
  /** Until when bytes of this process on their way `to` a port or `from` it are held; 0: they pass. */
  heldUntil(process: Process | null, port: number, way: 'to' | 'from'): number;
}

export function createOutages(timeline: Timeline): Outages {
  let outages: Outage[] = [];
  const refused = new Map<number, number>();
  const ambushes = new Map<Process, number>();
  return {
    hold: (outage) => void outages.push(outage),
    refuse: (port, milliseconds) => void refused.set(port, timeline.time + milliseconds),
    isRefused: (port) => (refused.get(port) ?? 0) > timeline.time,
    ambush: (process, changes) => void ambushes.set(process, changes),
    springs(process) {
      const left = ambushes.get(process);
      if (left === undefined) return false;
      if (left > 1) ambushes.set(process, left - 1);
      else ambushes.delete(process);
      return left <= 1;
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
