/**
 * Bucket keys of the compiled pipelines compared with `Intl`, in every zone, around every clock change and the
 * beginning of each year. The lean proof takes three instants in each of three years, in which a zone skipped a day and
 * others gave up their summer time; the full one takes 2005 to 2029. `DST=full` takes 1990 to 2037, every quarter of an
 * hour for two hours on both sides, as in the recording from the server.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proofSize } from '@platform/testing';
import { compileCalculation } from './compile/compile';
import { defineResource } from './resource';
import { openTestStore, type TestStore } from './testing/store';
import { createOracle, transitionsOf } from './testing/transitions';
import { buckets } from './vocabulary';

const asRecorded = process.env['DST'] === 'full';
const minute = 60_000;
const around = asRecorded
  ? Array.from({ length: 17 }, (_unused, index) => (index - 8) * 15 * minute)
  : [-1, 0, 15 * minute];
const [from, until, stepDays] = asRecorded
  ? ([1990, 2038, 1] as const)
  : proofSize({ lean: [2010, 2013, 9] as const, full: [2005, 2030, 9] as const });
const years = Array.from({ length: until - from }, (_unused, at) => Date.UTC(from + at, 0, 1));

const rows = defineResource('instants', { fields: { at: { type: 'date' } } });
const zones = readFileSync(join(__dirname, '../../../test/conformance/mongo/buckets/zone-names.jsonl'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as { name: string; node: boolean; mongodb: boolean })
  .filter(({ node, mongodb }) => node && mongodb)
  .map(({ name }) => name);

/** The expression of the group's key, taken from the compiled pipeline. */
const keyOf = (bucket: (typeof buckets)[number], timezone: string) =>
  (
    compileCalculation(rows, {
      kind: 'series',
      where: [],
      groupBy: 'at',
      bucket,
      timezone,
      op: 'count',
      orderBy: 'group',
      direction: 'asc',
    }).pipeline[0] as { $group: { _id: object } }
  ).$group._id;

describe('bucket keys', () => {
  let store: TestStore;
  beforeAll(async () => void (store = await openTestStore('keys')));
  afterAll(() => store.close());

  it(`equal the calendar's around every change of the clock and year in ${zones.length} zones, ${from} to ${until - 1}`, async () => {
    let instants = 0;
    const wrong: string[] = [];
    for (const zone of zones) {
      const oracle = createOracle(zone);
      const changes = transitionsOf(oracle, Date.UTC(from, 0, 1), Date.UTC(until, 0, 1), stepDays);
      const newYears = years.map((year) => year - oracle.offset(year));
      const all = [...new Set([...changes, ...newYears].flatMap((at) => around.map((offset) => at + offset)))];
      await store.insert('instants', [{ zone, at: all.map((at) => new Date(at)) }]);
      const keys = Object.fromEntries(buckets.map((bucket) => [bucket, keyOf(bucket, zone)]));
      const found = await store.aggregate('instants', [
        { $match: { zone } },
        { $unwind: '$at' },
        { $project: { _id: 0, at: 1, ...keys } },
      ]);
      expect(found).toHaveLength(all.length);
      for (const { at, ...given } of found) {
        const expected: Readonly<Record<string, number>> = oracle.keys((at as Date).getTime());
        if (buckets.some((bucket) => given[bucket] !== expected[bucket]))
          wrong.push(`${zone} ${(at as Date).toISOString()}`);
      }
      instants += all.length;
    }
    expect(wrong).toEqual([]);
    expect(instants).toBeGreaterThanOrEqual(zones.length * years.length * around.length);
  }, 900_000);

  it.each([
    ['the hardest days', 'fixtures', 1_345],
    ['days that truncation gets wrong', 'truncation', 99],
    ['changes of the clock and ends of periods in all zones', 'spread', 3_553],
  ])('equal the recorded ones of a real server on %s', async (_days, name, count) => {
    const recorded = readFileSync(join(__dirname, `../../../test/conformance/mongo/buckets/${name}.jsonl`), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, number | string>);
    expect(recorded).toHaveLength(count);
    const byZone = new Map<string, typeof recorded>();
    for (const row of recorded) byZone.set(String(row['zone']), [...(byZone.get(String(row['zone'])) ?? []), row]);
    for (const [zone, expected] of byZone) {
      await store.insert(
        name,
        expected.map((row, index) => ({ zone, index, at: new Date(String(row['t'])) })),
      );
      const found = await store.aggregate(name, [
        { $match: { zone } },
        { $sort: { index: 1 } },
        { $project: { _id: 0, ...Object.fromEntries(buckets.map((bucket) => [bucket, keyOf(bucket, zone)])) } },
      ]);
      expect(found).toEqual(expected.map(({ day, month, quarter, year }) => ({ day, month, quarter, year })));
    }
  });
});
