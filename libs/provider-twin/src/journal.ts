/**
 * Durability for `--data FILE`: every commit is one appended line, written before the answer is sent, so a killed
 * process loses nothing that it acknowledged. A line torn by a crash is removed at the next start. When most lines are
 * outdated, the file is rewritten under another name and renamed, which is atomic.
 */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Change, State } from './state';

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

function* linesOf(bytes: Buffer): Generator<{ text: string; end: number }> {
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    yield { text: bytes.toString('utf8', start, end), end: end + 1 };
    start = end + 1;
  }
}

/** Reads the journal's changes; an incomplete last line is reported by a smaller `length`. */
function readJournal(file: string): { changes: Change[]; length: number } {
  const changes: Change[] = [];
  let length = 0;
  const bytes = readFileSync(file);
  for (const { text, end } of linesOf(bytes)) {
    if (length === 0 && `${text}\n` !== firstLine) throw new Error(`${file} is not a provider twin journal`);
    if (length > 0) for (const change of JSON.parse(text) as Change[]) changes.push(change);
    length = end;
  }
  if (length === 0 && !firstLine.startsWith(bytes.toString('utf8')))
    throw new Error(`${file} is not a provider twin journal`);
  return { changes, length };
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

/** Loads `file` into the state when it exists, then appends every later commit to it. */
export function openJournal(file: string, state: State): Journal {
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

  if (existsSync(file)) {
    const { changes, length } = readJournal(file);
    if (length > 0) {
      state.load(changes);
      fd = openSync(file, 'a');
      ftruncateSync(fd, length);
    }
  }
  rewrite();
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
    if (size > compactAboveBytes && size > 3 * floor) rewrite();
    const line = `${JSON.stringify(changes)}\n`;
    if (!changes.every(isLogOnly)) return write(line);
    waiting += line;
    timer ??= setTimeout(writeLog, logDelayMs);
  });
  return {
    close() {
      write('');
      closeSync(fd);
    },
  };
}
