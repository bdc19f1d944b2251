/**
 * Records which processes this platform started, so that a second start names the one in its way, and processes that a
 * killed start left behind are ended before their ports are needed. A pid is reused sooner or later, so it only counts
 * together with its process's start time.
 */
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface PidRecord {
  readonly name: string;
  readonly pid: number;
  /** Start time of the process by the kernel; empty where the system does not show it. */
  readonly began: string;
}

/** The process that supervises the parts. */
export const supervisorName = 'platform';
/** Ended last, because the others still write the records of their orderly end to them. */
const foundations: ReadonlySet<string> = new Set(['nats', 'document-store', 'provider-twin']);
const graceMs = 5_000;

function folderOf(localDir: string): string {
  return join(localDir, 'pids');
}

export function writePid(localDir: string, name: string, pid: number): void {
  mkdirSync(folderOf(localDir), { recursive: true });
  const file = join(folderOf(localDir), `${name}.json`);
  // Whole or not at all: a process can be killed in the middle, and a disk can be full.
  writeFileSync(`${file}.draft`, recordOf(name, pid));
  renameSync(`${file}.draft`, file);
}

function recordOf(name: string, pid: number): string {
  const record: PidRecord = { name, pid, began: beganAt(pid) };
  return JSON.stringify(record);
}

export function removePid(localDir: string, name: string): void {
  rmSync(join(folderOf(localDir), `${name}.json`), { force: true });
}

/** Records whose process still runs. A torn record, which an earlier release could leave, names none. */
export function readLivePids(localDir: string): PidRecord[] {
  return readFolder(folderOf(localDir))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readRecord(join(folderOf(localDir), name)) ?? [])
    .filter(isAlive);
}

function readRecord(file: string): PidRecord | undefined {
  return attempt(() => JSON.parse(readFileSync(file, 'utf8')) as PidRecord, undefined);
}

export function isAlive({ pid, began }: Pick<PidRecord, 'pid' | 'began'>): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user is there; whether it is the recorded one is asked below.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return beganAt(pid) === began;
}

function beganAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not noticed yet.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

const runsAlready = (pid: number, localDir: string): string =>
  `This platform runs already: process ${pid} (${localDir}). Stop it with Ctrl-C or \`kill ${pid}\`, or start another one beside it with PORT_BASE=8000 LOCAL_DIR=.local-2.`;

/**
 * Makes this process the one that supervises the parts in the folder. Throws when another one does, also one that began
 * in the same moment: two would end and replace each other's parts.
 * @param refusal what is said to the second one
 */
export function claimFolder(localDir: string, refusal = runsAlready): void {
  const file = join(folderOf(localDir), `${supervisorName}.json`);
  const draft = `${file}.${process.pid}`;
  mkdirSync(folderOf(localDir), { recursive: true });
  writeFileSync(draft, recordOf(supervisorName, process.pid));
  try {
    while (!isMade(() => linkSync(draft, file))) clearEnded(localDir, file, refusal);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the record of a supervisor that has ended. Throws for one that runs. */
function clearEnded(localDir: string, file: string, refusal: typeof runsAlready): void {
  assertEnded(localDir, readRecord(file), refusal);
  // Between the look and the removal, another start can have put its own record there: it is looked at once more, under
  // a name that only this process uses, and goes back when it is alive.
  const moved = `${file}.ended.${process.pid}`;
  if (!isMade(() => renameSync(file, moved))) return;
  const found = readRecord(moved);
  if (found && isAlive(found)) isMade(() => linkSync(moved, file));
  rmSync(moved, { force: true });
  assertEnded(localDir, found, refusal);
}

function assertEnded(localDir: string, supervisor: PidRecord | undefined, refusal: typeof runsAlready): void {
  if (supervisor && isAlive(supervisor)) throw new Error(refusal(supervisor.pid, localDir));
}

/** False when another process was first: the file is there already, or gone. */
function isMade(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Ends processes that an earlier, killed start left running. Returns the names. The caller has claimed the folder. */
export async function endLeftovers(localDir: string): Promise<string[]> {
  const live = readLivePids(localDir).filter(({ name }) => name !== supervisorName);
  await endAll(live.filter(({ name }) => !foundations.has(name)));
  await endAll(live.filter(({ name }) => foundations.has(name)));
  live.forEach(({ name }) => removePid(localDir, name));
  return live.map(({ name }) => name);
}

async function endAll(records: readonly PidRecord[]): Promise<void> {
  for (const { pid } of records) signal(pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (records.some(isAlive)) {
    if (Date.now() > deadline) records.filter(isAlive).forEach(({ pid }) => signal(pid, 'SIGKILL'));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A process that has ended in this moment needs no signal. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Throws for a part one of whose ports is taken. Without this check its readiness would be answered by the process that
 * has the port, and the platform would read and write the data of that one.
 */
export function assertPortsFree(parts: readonly { readonly name: string; readonly ports?: readonly number[] }[]): void {
  for (const { name, ports = [] } of parts)
    for (const port of ports) {
      const listener = listenerOf(port);
      if (!listener) continue;
      const who = listener.pid === undefined ? 'a process of another user' : `process ${listener.pid}`;
      throw new Error(
        `Port ${port} of ${name} is taken by ${who}. Stop that one, or start on other ports: PORT_BASE=8000 LOCAL_DIR=.local-2 npm start`,
      );
    }
}

/** Who listens on a port of this machine, when the system reports it; the process is not known if it is another user's. */
export function listenerOf(port: number): { readonly pid: number | undefined } | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap(readLines)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(wanted) && state === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  if (inodes.size === 0) return undefined;
  const pid = readFolder('/proc')
    .map(Number)
    .find((one) => one > 0 && holdsSocket(one, inodes));
  return { pid };
}

function holdsSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  return readFolder(`/proc/${pid}/fd`).some((fd) => inodes.has(readTarget(`/proc/${pid}/fd/${fd}`)));
}

function readLines(file: string): string[] {
  return attempt(() => readFileSync(file, 'utf8').split('\n'), []);
}

function readFolder(folder: string): string[] {
  return attempt(() => readdirSync(folder), []);
}

function readTarget(link: string): string {
  return attempt(() => readlinkSync(link), '');
}

/** Files below /proc disappear with their process, and those of other users cannot be read. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
