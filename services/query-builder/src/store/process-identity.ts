/**
 * Identifies a process, so that another one can prove that it has ended. A process id alone proves nothing, because the
 * system reuses ids: boot, namespace and start time are part of the identity. A process that cannot be checked from
 * here counts as alive.
 */
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start of the process in ticks since boot. */
  readonly started: string;
  readonly boot: string;
  readonly machine: string;
  /** Ids can be compared only within one namespace. */
  readonly namespace: string;
}

const unknown = 'unknown';

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    started: startOf(process.pid) ?? unknown,
    boot: readOr('/proc/sys/kernel/random/boot_id'),
    machine: readOr('/etc/machine-id'),
    namespace: namespaceOfThis(),
  };
}

/** Whether a process has certainly ended. */
export function hasEnded(identity: ProcessIdentity): boolean {
  const here = ownIdentity();
  if (identity.machine !== here.machine) return false;
  if (identity.boot !== here.boot)
    return identity.machine !== unknown && identity.machine !== '' && identity.boot !== unknown;
  if (identity.namespace !== here.namespace) return false;
  if (!exists(identity.pid)) return true;
  const started = startOf(identity.pid);
  return started !== undefined && identity.started !== unknown && started !== identity.started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The 22nd field. The second field may contain blanks and parentheses, so counting begins after the last parenthesis.
 */
function startOf(pid: number): string | undefined {
  const line = readOr(`/proc/${pid}/stat`);
  return line === unknown ? undefined : line.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}

function namespaceOfThis(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return unknown;
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return unknown;
  }
}
