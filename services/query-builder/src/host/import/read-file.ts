/** The records of a CSV or JSON Lines file, one at a time, with their lines; a file may be larger than the memory. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Transform } from 'node:stream';
import { parse, type CsvError } from 'csv-parse';
import { lostNumberIn } from '@platform/kernel';
import { lostNumber, type FileRecord } from './read-row';

export type FileFormat = 'csv' | 'jsonl';

export type FileEntry =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  /** `line` is the last line of the record, from 1. */
  | { readonly kind: 'record'; readonly line: number; readonly record: FileRecord }
  | { readonly kind: 'malformed'; readonly line: number; readonly reason: string };

const recordCharacters = 1_000_000;

/** The format by the file's name; undefined for an unknown one. */
export function formatOf(file: string): FileFormat | undefined {
  if (/\.csv$/i.test(file)) return 'csv';
  return /\.(jsonl|ndjson)$/i.test(file) ? 'jsonl' : undefined;
}

/** Reads to the end. `onBytes` is called with the number of bytes read so far. Throws what the file system throws. */
export function readFile(
  file: string,
  format: FileFormat,
  onBytes: (bytes: number) => void,
): AsyncGenerator<FileEntry> {
  const stream = createReadStream(file);
  stream.on('data', () => onBytes(stream.bytesRead));
  return format === 'csv' ? readCsv(stream) : readLines(stream);
}

async function* readCsv(stream: ReturnType<typeof createReadStream>): AsyncGenerator<FileEntry> {
  const malformed: FileEntry[] = [];
  let columns: readonly string[] | undefined;
  const parser: Transform = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: recordCharacters,
    columns: (header: string[]) => {
      columns = header;
      const twice = header.find((name, at) => header.indexOf(name) !== at);
      if (twice !== undefined) throw new RangeError(`the column ${JSON.stringify(twice)} occurs twice in the header`);
      return header;
    },
    on_skip: (error: CsvError | undefined) => {
      if (error)
        malformed.push({
          kind: 'malformed',
          line: Number(error['lines'] ?? 0),
          reason: 'the record has not as many values as the header has columns, or its quotes do not match',
        });
      return undefined;
    },
  });
  stream.on('error', (error) => parser.destroy(error));
  let announced = false;
  for await (const { record, info } of stream.pipe(parser) as AsyncIterable<{
    record: FileRecord;
    info: { lines: number };
  }>) {
    if (!announced && columns) yield { kind: 'columns', columns };
    announced = true;
    yield* malformed.splice(0);
    yield { kind: 'record', line: info.lines, record };
  }
  yield* malformed;
}

async function* readLines(stream: ReturnType<typeof createReadStream>): AsyncGenerator<FileEntry> {
  let line = 0;
  for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() === '') continue;
    yield readLine(text.replace(/^\ufeff/, ''), line);
  }
}

function readLine(text: string, line: number): FileEntry {
  if (text.length > recordCharacters)
    return { kind: 'malformed', line, reason: `the line has more than ${recordCharacters} characters` };
  try {
    const record: unknown = JSON.parse(text);
    const lost = lostNumberIn(text);
    if (lost !== undefined) return { kind: 'malformed', line, reason: lostNumber(lost) };
    if (typeof record === 'object' && record !== null && !Array.isArray(record))
      return { kind: 'record', line, record: record as FileRecord };
    return { kind: 'malformed', line, reason: 'the line is no JSON object' };
  } catch {
    return { kind: 'malformed', line, reason: 'the line is no JSON' };
  }
}
