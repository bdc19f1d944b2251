/** The file system calls of a write, as an argument so that tests can crash at each of them. */
import { link, mkdir, open, readdir, readFile, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';

export interface FileSystem {
  readonly link: typeof link;
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly readdir: typeof readdir;
  readonly readFile: typeof readFile;
  readonly readlink: typeof readlink;
  readonly realpath: typeof realpath;
  readonly rename: typeof rename;
  readonly stat: typeof stat;
  readonly unlink: typeof unlink;
}

export const nodeFileSystem: FileSystem = {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  stat,
  unlink,
};

/** Whether an error means that the file does not exist. */
export function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** Whether an error means that a link leads to itself, so that no program can read or import the file. */
export function leadsToItself(error: unknown): boolean {
  return codeOf(error) === 'ELOOP';
}

export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
