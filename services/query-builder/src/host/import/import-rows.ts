/**
 * Adds the rows of a file to a resource. Rows are independent: an invalid row is reported with its line and its
 * reasons, and the others are imported. Rows with an `_id` can be imported again without harm.
 */
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import type { Tables } from '@platform/mongo';
import type { Resource } from '@platform/page-runtime';
import { formatOf, readFile } from './read-file';
import { readRow, unknownColumns, type RowRules } from './read-row';

export interface ImportProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly imported: number;
  readonly refused: number;
}

export interface ImportOptions {
  readonly tables: Pick<Tables, 'insert'>;
  readonly resource: Resource;
  readonly file: string;
  readonly tenantId?: string | undefined;
  readonly onProgress?: (progress: ImportProgress) => void;
}

interface RefusedRecord {
  readonly line: number;
  readonly reasons: readonly string[];
}

export interface ImportReport {
  readonly imported: number;
  readonly refused: number;
  /** The first refused records. */
  readonly examples: readonly RefusedRecord[];
  /** The file with all refused records, one JSON object per line; absent when none was refused. */
  readonly refusedFile?: string;
  /** Why that file does not have all of them. */
  readonly unwritten?: string;
}

/** A file that cannot be imported at all. */
export class ImportError extends Error {
  override name = 'ImportError';
}

/** The store failed in the midst of an import; `cause` is its error. */
export class ImportStoppedError extends Error {
  override name = 'ImportStoppedError';
  constructor(imported: number, unanswered: number, cause: unknown) {
    const count = (rows: number): string => `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;
    super(
      `${count(imported)} of the file are imported, and it is not known whether the next ${count(unanswered)} are. Only rows with an _id can be imported again without being there twice`,
      { cause },
    );
  }
}

const batchRows = 1_000;
const exampleCount = 10;

/**
 * Imports the file. Throws ImportError for a file that does not fit the resource, and ImportStoppedError when the tables
 * fail.
 */
export async function importRows({
  tables,
  resource,
  file,
  tenantId,
  onProgress = () => undefined,
}: ImportOptions): Promise<ImportReport> {
  const format = formatOf(file);
  if (!format) throw new ImportError('the file must end in .csv, .jsonl or .ndjson');
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) throw new ImportError(`there is no file ${file}`);
  const totalBytes = stats.size;
  const rules: RowRules = { resource, tenantId, texts: format === 'csv' };
  const refusals = createRefusals(`${file}.refused.jsonl`);
  let [bytes, imported] = [0, 0];
  let batch: { readonly line: number; readonly row: Readonly<Record<string, unknown>> }[] = [];
  const flush = async (): Promise<void> => {
    const rows = batch.map(({ row }) => row);
    const answer = await tables.insert(resource.name, rows).catch((cause: unknown) => {
      throw new ImportStoppedError(imported, rows.length, cause);
    });
    imported += answer.inserted;
    for (const { index, reason } of answer.refused) await refusals.add(batch[index]!.line, [reason]);
    batch = [];
    onProgress({ bytes, totalBytes, imported, refused: refusals.count() });
  };
  try {
    for await (const entry of readFile(file, format, (read) => (bytes = read))) {
      if (entry.kind === 'columns') {
        const [unknown] = unknownColumns(entry.columns, rules);
        if (unknown !== undefined)
          throw new ImportError(`the column ${JSON.stringify(unknown)} is no field of ${resource.name}`);
        continue;
      }
      const read =
        entry.kind === 'record'
          ? readRow(entry.record, rules)
          : ({ kind: 'refused', reasons: [entry.reason] } as const);
      if (read.kind === 'refused') await refusals.add(entry.line, read.reasons);
      else batch.push({ line: entry.line, row: read.row });
      if (batch.length >= batchRows) await flush();
    }
    await flush();
  } catch (error) {
    throw error instanceof RangeError ? new ImportError(error.message) : error;
  } finally {
    await refusals.close();
  }
  return { imported, ...refusals.report() };
}

function createRefusals(path: string) {
  const examples: RefusedRecord[] = [];
  let count = 0;
  let opened: Promise<FileHandle> | undefined;
  let unwritten: string | undefined;
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => (unwritten ??= error instanceof Error ? error.message : String(error)));
  };
  return {
    count: () => count,
    async add(line: number, reasons: readonly string[]): Promise<void> {
      count += 1;
      if (examples.length < exampleCount) examples.push({ line, reasons });
      if (unwritten !== undefined) return;
      await attempt(async () => {
        opened ??= open(path, 'w');
        const file = await opened;
        await file.writeFile(`${JSON.stringify({ line, reasons })}\n`);
      });
    },
    // Where no row was refused, the report of an earlier import of the file is out of date.
    close: () => attempt(async () => (opened ? (await opened).close() : rm(path, { force: true }))),
    report: () => ({
      refused: count,
      examples: examples.sort((a, b) => a.line - b.line),
      ...(unwritten === undefined ? count > 0 && { refusedFile: path } : { unwritten }),
    }),
  };
}
