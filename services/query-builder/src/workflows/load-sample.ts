/** Loads the rows of the sample shop into the tables of its resources. Existing rows are not changed. */
import { sampleRows, type SampleOptions, type SampleRow } from '../domain/sample/rows';

/** Adds rows one by one; returns how many were new. */
export type InsertRows = (table: string, rows: readonly SampleRow[]) => Promise<{ readonly inserted: number }>;

const rowsPerInsert = 2_000;

/** `progress` is called after every insert. Returns how many rows were new, by resource. */
export async function loadSample(
  insert: InsertRows,
  options: SampleOptions,
  progress: (done: number) => void = () => undefined,
): Promise<Readonly<Record<string, number>>> {
  const inserted = new Map<string, number>();
  const waiting = new Map<string, SampleRow[]>();
  let done = 0;
  const flush = async (resource: string): Promise<void> => {
    const rows = waiting.get(resource) ?? [];
    waiting.set(resource, []);
    if (rows.length === 0) return;
    inserted.set(resource, (inserted.get(resource) ?? 0) + (await insert(resource, rows)).inserted);
    done += rows.length;
    progress(done);
  };
  for (const { resource, row } of sampleRows(options)) {
    const rows = waiting.get(resource) ?? [];
    waiting.set(resource, rows);
    rows.push(row);
    if (rows.length >= rowsPerInsert) await flush(resource);
  }
  for (const resource of waiting.keys()) await flush(resource);
  return Object.fromEntries(inserted);
}
