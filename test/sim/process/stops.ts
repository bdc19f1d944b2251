/**
 * Orderly ends, as at a deployment: a process gets SIGTERM, finishes what is under way, and its successor starts when it
 * has ended. One that takes longer than the deployment waits is killed.
 */
import type { Process } from '../engine/timeline';
import type { ProcessWorld } from './world';

/** `terminationGracePeriodSeconds` of the services. */
const graceMs = 60_000;

/** The services' processes that work and were not asked to end. */
export const serving = ({ signals, stops }: ProcessWorld): Process[] =>
  [...signals.keys()].filter((process) => process.state === 'running' && process.booted && !stops.has(process));

/** Asks the process to end. */
export function stop({ timeline, signals, stops, faults, network, problems }: ProcessWorld, process: Process): void {
  const signal = signals.get(process);
  if (!signal || stops.has(process)) return;
  const own = { undisturbed: faults.ceased, ended: false };
  stops.set(process, own);
  timeline.enqueue(process, () => signal('SIGTERM'));
  timeline.alarm(null, graceMs, () => {
    if (own.ended || process.state === 'dead') return;
    if (own.undisturbed) problems.push(`${process.incarnation} was asked to end and has not within ${graceMs} ms`);
    network.hooks.crash(process);
  });
}

/** Notes the end of a program; false when it ended without having been asked to. */
export function endsAsAsked({ stops, problems, lines }: ProcessWorld, process: Process, code: number): boolean {
  const own = stops.get(process);
  if (!own) return false;
  own.ended = true;
  if (own.undisturbed && code !== 0)
    problems.push(`${process.incarnation} was asked to end and did with code ${code}: ${lines.at(-1) ?? ''}`);
  return true;
}
