/**
 * Durability for `--data FILE`: every commit is one appended line, written before the answer is sent, so a killed
 * process loses nothing that it acknowledged. A last line torn by a crash is removed at the next start, with a warning. No
 * crash of the process leaves a first line or a complete line that cannot be read: such a file is refused as it is, since
 * a twin that forgets charges would let them happen again. When most lines are outdated, the file is rewritten under
 * another name and renamed, which is atomic.
 */
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Change, State } from './state';
import { tableNames } from './tables';

const compactAboveBytes = 64 * 1024 * 1024;
const logDelayMs = 50;
const chunkCharacters = 1024 * 1024;
const firstLine = '{"format":"provider-twin","version":1}\n';

export interface Journal {
  close(): void;
}

function writeAll(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
  return written;
}

/** The complete lines, and what follows the last of them. */
function linesOf(bytes: Buffer): { lines: Buffer[]; rest: Buffer } {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, rest: bytes.subarray(start) };
}

const tables: ReadonlySet<unknown> = new Set(tableNames);

function isChange(value: unknown): value is Change {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [table, id, row] = value as unknown[];
  if (!tables.has(table) || typeof id !== 'string') return false;
  return row === null || (typeof row === 'object' && Reflect.get(row as object, 'id') === id);
}

/** Undefined for a line that no twin wrote. */
function changesOf(line: Buffer): Change[] | undefined {
  if (!isUtf8(line)) return undefined;
  try {
    const changes: unknown = JSON.parse(line.toString('utf8'));
    return Array.isArray(changes) && changes.every(isChange) ? changes : undefined;
  } catch {
    return undefined;
  }
}

function refused(file: string, line: number, why: string): Error {
  return new Error(`${file}, line ${line}: ${why}. The file was left as it was. Restore it from a copy.`);
}

/** Reads the journal's changes. Throws for all damage but a torn last line, which `warn` reports. */
function readJournal(file: string, warn: (text: string) => void): Change[] {
  const { lines, rest } = linesOf(readFileSync(file));
  const [first, ...others] = lines;
  if (first === undefined || `${first.toString('utf8')}\n` !== firstLine)
    throw refused(file, 1, 'it is not the beginning of a journal, so this is not a provider twin journal');
  const changes = others.flatMap((line, at) => {
    const read = changesOf(line);
    if (!read) throw refused(file, at + 2, 'the line is damaged, and what it recorded is not known');
    return read;
  });
  if (rest.length > 0)
    warn(
      `${file}, line ${lines.length + 1}: the last line was not complete (${rest.length} bytes) and was left out. A process that is killed while it writes leaves such a line, for a change that it had not answered. If the file was cut in another way, restore it from a copy.`,
    );
  return changes;
}

/** Writes the whole state as one line per row and returns the number of bytes. */
function writeWhole(fd: number, state: State): number {
  let size = writeAll(fd, firstLine);
  let chunk = '';
  for (const change of state.dump()) {
    chunk += `${JSON.stringify([change])}\n`;
    if (chunk.length < chunkCharacters) continue;
    size += writeAll(fd, chunk);
    chunk = '';
  }
  return size + writeAll(fd, chunk);
}

/** No client relies on the log of requests, so it may be written a moment later, with the next change. */
const isLogOnly = ([table, id]: Change): boolean => table === 'request' || (table === 'counter' && id === 'req');

/**
 * Loads `file` into the state when it exists, then appends every later commit to it. Throws when the file is damaged,
 * and leaves it as it is; `warn` hears of a last line that was torn and is left out.
 */
export function openJournal(file: string, state: State, warn: (text: string) => void): Journal {
  mkdirSync(dirname(file), { recursive: true });
  let fd = -1;
  let size = 0;
  let floor = 0;
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;

  function rewrite(): void {
    const next = `${file}.next`;
    rmSync(next, { force: true });
    const target = openSync(next, 'a');
    size = writeWhole(target, state);
    renameSync(next, file);
    if (fd >= 0) closeSync(fd);
    fd = target;
    floor = size;
    waiting = '';
  }

  if (existsSync(file)) state.load(readJournal(file, warn));
  rewrite();

  /** A second twin renames its own file to this name, and a person can remove it: what is written then is read by none. */
  function assertOwn(): void {
    const own = fstatSync(fd);
    const named = statSync(file, { throwIfNoEntry: false });
    if (named?.ino === own.ino && named.dev === own.dev) return;
    throw new Error(
      `${file} is no longer the journal of this process: it was removed, or another twin has opened it. Nothing was changed.`,
    );
  }

  function write(text: string): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      size += writeAll(fd, waiting + text);
      waiting = '';
    } catch (error) {
      // On a full disk, half of the line may have been written; the next line must not be appended to it.
      ftruncateSync(fd, size);
      throw error;
    }
  }

  function writeLog(): void {
    try {
      write('');
    } catch {
      // The log waits; the next change meets the same full disk and reports it to its client.
    }
  }

  state.onCommit((changes) => {
    assertOwn();
    if (size > compactAboveBytes && size > 3 * floor) rewrite();
    const line = `${JSON.stringify(changes)}\n`;
    if (!changes.every(isLogOnly)) return write(line);
    waiting += line;
    timer ??= setTimeout(writeLog, logDelayMs);
  });
  return {
    close() {
      writeLog();
      closeSync(fd);
    },
  };
}
