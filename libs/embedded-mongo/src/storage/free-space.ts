/**
 * Keeps room for the next commits. A commit that fails on a full disk ends the store, because the change in memory is
 * not stored; so writes are refused while there is still room, and reads continue (SEC-15).
 */
import { statfs } from 'node:fs/promises';
import { failCommand } from '../errors';

/** Bytes that are free for data in the folder. */
export type FreeBytes = () => Promise<number>;

/** The bytes that running and next commits may need. */
const reservedBytes = 32 * 1_024 * 1_024;
/** How long one reading of the free space is used; the reserve covers what is written meanwhile. */
const believedMs = 250;
/** MongoDB's error code for a full disk. */
const outOfDiskSpace = 14_031;

export function freeBytesOf(folder: string): FreeBytes {
  return async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
}

/**
 * Rejects with the error of a full disk, before anything changes. If the free space cannot be read, no write is
 * refused.
 */
export function createRoomCheck(
  freeBytes: FreeBytes,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let seen: { readonly free: number; readonly at: number } | undefined;
  return async () => {
    if (!seen || now() - seen.at >= believedMs)
      seen = { free: await freeBytes().catch(() => Number.POSITIVE_INFINITY), at: now() };
    if (seen.free < reservedBytes)
      failCommand(outOfDiskSpace, `the disk has ${Math.floor(seen.free / 1_048_576)} MiB left; writes are refused`);
  };
}
