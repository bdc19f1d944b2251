/**
 * Checks a data folder before the storage engine maps it, because the engine would create files anywhere and trust any
 * bytes. A foreign, newer, damaged or already opened folder is refused with a clear message and left exactly as it is.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const markerFile = 'embedded-mongo.json';
/** A first start that ended while it wrote its marker leaves this file, which means nothing. */
const unfinishedMarker = `${markerFile}.new`;
const ownerFile = 'owner.json';
export const dataFile = 'store.mdb';
const formatVersion = 1;

/** A data folder that cannot be opened; nothing in it was changed. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/** Checks or initialises the folder and marks this process as its owner; the returned function ends the ownership. */
export function claimDataFolder(folder: string): () => void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => name !== unfinishedMarker);
  const marker = join(folder, markerFile);
  if (names.length > 0) checkMarker(folder, marker, names);
  checkOwner(folder);
  if (names.includes(dataFile)) checkDataFile(join(folder, dataFile));
  if (names.length === 0) writeMarker(folder, marker);
  const owner = join(folder, ownerFile);
  writeFileSync(owner, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
  return () => rmSync(owner, { force: true });
}

/** A marker is there whole or not at all, also after a loss of power; of two processes one writes it. */
function writeMarker(folder: string, marker: string): void {
  const unfinished = join(folder, unfinishedMarker);
  writeFileSync(unfinished, `${JSON.stringify({ format: formatVersion })}\n`, { flush: true });
  linkSync(unfinished, marker);
  rmSync(unfinished);
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function checkMarker(folder: string, marker: string, names: string[]): void {
  if (!names.includes(markerFile)) {
    throw new DataFolderError(`the folder ${folder} is not empty and holds no document store; it was left as it is`);
  }
  let format: unknown;
  try {
    format = (JSON.parse(readFileSync(marker, 'utf8')) as { format?: unknown }).format;
  } catch {
    throw new DataFolderError(`the marker ${marker} is damaged; the folder was left as it is`);
  }
  if (format !== formatVersion) {
    throw new DataFolderError(
      `the folder ${folder} has store format ${String(format)}; this version reads ${formatVersion}`,
    );
  }
}

/** Start time of a process, where the system reports it; distinguishes a reused process id. */
function startOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function checkOwner(folder: string): void {
  let owner: { pid?: number; started?: string };
  try {
    owner = JSON.parse(readFileSync(join(folder, ownerFile), 'utf8')) as typeof owner;
  } catch {
    return;
  }
  if (typeof owner.pid !== 'number' || !isAlive(owner.pid) || startOf(owner.pid) !== owner.started) return;
  throw new DataFolderError(`the folder ${folder} is in use by process ${owner.pid}`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const metaMagic = 0xbeefc0de;
const metaBytes = 160;

/** At least one of the two meta pages must be valid, and the file must contain every page that the newest one names. */
function checkDataFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    const size = fstatSync(handle).size;
    const first = readMeta(handle, 0);
    const second = readMeta(handle, first?.pageSize ?? 4096);
    const newest = !second || (first && first.transaction > second.transaction) ? first : second;
    if (!newest)
      throw new DataFolderError(`the data file ${file} is damaged: no readable header; it was left as it is`);
    if ((newest.lastPage + 1) * newest.pageSize > size) {
      throw new DataFolderError(
        `the data file ${file} is damaged: it is shorter than its header says; it was left as it is`,
      );
    }
  } finally {
    closeSync(handle);
  }
}

function readMeta(
  handle: number,
  offset: number,
): { pageSize: number; lastPage: number; transaction: bigint } | undefined {
  const page = Buffer.alloc(metaBytes);
  if (readSync(handle, page, 0, metaBytes, offset) !== metaBytes) return undefined;
  if (page.readUInt32LE(24) !== metaMagic) return undefined;
  const pageSize = page.readUInt32LE(48);
  if (pageSize < 512 || pageSize > 65536) return undefined;
  return { pageSize, lastPage: Number(page.readBigUInt64LE(144)), transaction: page.readBigUInt64LE(152) };
}
