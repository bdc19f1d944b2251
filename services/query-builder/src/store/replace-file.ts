/**
 * A file gets its new text or keeps the old one; no other state is ever visible. The text is written to disk under
 * another name, replaces the old file in a single step, and that step is on disk before the caller gets its answer.
 */
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { codeOf, type FileSystem } from './file-system';
import { ConflictError, UnsupportedError } from './refusals';

const refusals: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the quota is used up',
  EIO: 'the device does not answer',
  EMFILE: 'too many files are open',
};

export interface Replacement {
  /** Absolute and without symbolic links. */
  readonly path: string;
  /** The path for messages: relative to the project. */
  readonly shown: string;
  /** The expected content until the replacement; undefined for a file that must not exist. */
  readonly before: string | undefined;
  readonly text: string;
}

/** Throws ConflictError when the file has another text, UnsupportedError when the system refuses. */
export async function replaceFile(fs: FileSystem, { path, shown, before, text }: Replacement): Promise<void> {
  try {
    const mode = before === undefined ? 0o644 : (await fs.stat(path)).mode & 0o7777;
    if ((mode & 0o222) === 0) throw new UnsupportedError(`${shown} is read-only`);
    await replace(fs, { path, shown, before, text }, mode);
  } catch (error) {
    throw refusalOf(error, shown) ?? error;
  }
}

/** What the system's refusal means for people; undefined for other errors. */
export function refusalOf(error: unknown, shown: string): UnsupportedError | undefined {
  const reason = refusals[codeOf(error) ?? ''];
  return reason === undefined ? undefined : new UnsupportedError(`${shown} cannot be written: ${reason}`);
}

async function replace(fs: FileSystem, { path, shown, before, text }: Replacement, mode: number): Promise<void> {
  const draft = draftOf(path);
  try {
    const handle = await fs.open(draft, 'wx', mode);
    try {
      await handle.writeFile(text, 'utf8');
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (before === undefined) {
      // Unlike a rename, a link never replaces a file that another process has created meanwhile.
      await fs
        .link(draft, path)
        .catch((error: unknown) => Promise.reject(codeOf(error) === 'EEXIST' ? new ConflictError(shown) : error));
      await fs.unlink(draft);
    } else {
      if (!(await fs.readFile(path)).equals(Buffer.from(before, 'utf8'))) throw new ConflictError(shown);
      await fs.rename(draft, path);
    }
  } catch (error) {
    await fs.unlink(draft).catch(() => undefined);
    throw error;
  }
  await syncFolder(fs, dirname(path));
}

async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}.draft`);
}

/** Removes drafts that a killed writer left beside a file. Only for the one writer of the file. */
export async function removeLeftDrafts(fs: FileSystem, path: string): Promise<void> {
  const names = await fs.readdir(dirname(path)).catch(() => []);
  const left = names.filter((name) => name.startsWith(`.${basename(path)}.`) && name.endsWith('.draft'));
  await Promise.all(left.map((name) => fs.unlink(join(dirname(path), name)).catch(() => undefined)));
}
