/** Why the platform did not start, with the next step where the folder of its data is the reason. */
import { statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findRoot } from './settings';

const refusals: ReadonlySet<unknown> = new Set('EACCES EDQUOT ENOENT ENOSPC ENOTDIR EPERM EROFS'.split(' '));
const fileCalls: ReadonlySet<unknown> = new Set('copyfile link mkdir open rename rm unlink write'.split(' '));
const mebibyte = 1_024 * 1_024;
/** Below this the document store refuses writes; on a full disk a part cannot even write its reason to its log. */
const fullBelowBytes = 32 * mebibyte;

/** The message for people. */
export function describeFailure(
  error: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  freeBytes: (folder: string) => number | undefined = freeBytesOf,
): string {
  const folder = resolve(findRoot(), environment['LOCAL_DIR'] ?? '.local');
  const message = error instanceof Error ? error.message : String(error);
  const free = freeBytes(folder);
  const full = free !== undefined && free < fullBelowBytes;
  if (!full && !isOfFile(error)) return message;
  const disk = full ? ` The disk has ${Math.floor(free / mebibyte)} MiB left.` : '';
  return `${message}\nData and logs are in the folder ${folder} (LOCAL_DIR): it has to be writable, on a disk that is not full.${disk} Make room there, or name another folder: LOCAL_DIR=<folder> npm start`;
}

function isOfFile(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return refusals.has(code) && fileCalls.has(syscall);
}

/** Undefined for a folder that does not exist, and where the system does not say. */
function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
