/**
 * CPU time of each process, from the kernel. Unlike a rate it does not change when other work shares the machine, so it
 * shows which process causes a difference.
 */
import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second on every Linux that Node supports. */
const ticksPerSecond = 100;

/** User and system milliseconds of a process so far, all threads; NaN where the kernel does not report them. */
export function cpuMsOf(pid: number): number {
  return ticksOf(pid, [11, 12]);
}

/** The same for a process and all processes that it started, including ended ones. */
export function cpuMsOfTree(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + cpuMsOfTree(Number(child)), ticksOf(pid, [11, 12, 13, 14]));
}

function ticksOf(pid: number, fields: readonly number[]): number {
  try {
    const all = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (fields.reduce((sum, field) => sum + Number(all[field]), 0) * 1_000) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}

/** Milliseconds by name that the processes spend while `work` runs. */
export async function cpuOf<T>(
  processes: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly cpuMs: Readonly<Record<string, number>> }> {
  const before = Object.entries(processes).map(([name, pid]) => [name, pid, cpuMsOf(pid)] as const);
  const value = await work();
  return { value, cpuMs: Object.fromEntries(before.map(([name, pid, since]) => [name, cpuMsOf(pid) - since])) };
}
