import type { SampleRow } from '../domain/sample/rows';
import { loadSample } from './load-sample';

describe('loading the sample shop', () => {
  it('inserts every row once, in batches, and counts what was new', async () => {
    const stored = new Map<string, SampleRow>();
    const sizes: number[] = [];
    const insert = async (table: string, rows: readonly SampleRow[]) => {
      sizes.push(rows.length);
      const fresh = rows.filter(({ _id }) => !stored.has(`${table} ${_id}`));
      fresh.forEach((row) => stored.set(`${table} ${row._id}`, row));
      return { inserted: fresh.length };
    };
    const options = { rows: 5_000, until: new Date('2026-06-01') };
    const seen: number[] = [];
    const first = await loadSample(insert, options, (done) => seen.push(done));
    expect(Object.values(first).reduce((sum, count) => sum + count, 0)).toBe(5_000);
    expect(stored.size).toBe(5_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
    expect(seen.at(-1)).toBe(5_000);
    expect(await loadSample(insert, options)).toEqual({ products: 0, customers: 0, orders: 0 });
  });
});
