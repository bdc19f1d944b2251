/**
 * Keys of days, months, quarters and years in time zones, compared with the recorded ones of a real server, on the most
 * difficult days.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Bucket {
  zone: string;
  t: string;
  day: number;
  month: number;
  quarter: number;
  year: number;
}

const read = <T>(name: string): T[] =>
  readFileSync(join(__dirname, 'buckets', `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

/** The release of the time zone database by which the answers were recorded. */
const recordedWith = '2025c';

/** Zones whose rules a later release has changed, and since when. A runtime with that release is right to differ. */
const revised: Readonly<Record<string, { readonly release: string; readonly from: string }>> = {
  'Africa/Casablanca': { release: '2026', from: '2026-01-01' },
  'Africa/El_Aaiun': { release: '2026', from: '2026-01-01' },
};

const runtimeRelease = process.versions['tz'] ?? recordedWith;

/** The recorded key, or the runtime's own civil date when the rules of the zone have changed since the recording. */
function expectedKey({ zone, t, day, month, quarter, year }: Bucket): Omit<Bucket, 'zone' | 't'> {
  const change = revised[zone];
  if (!change || t < change.from || runtimeRelease < change.release) return { day, month, quarter, year };
  const civil = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(new Date(t));
  const [y = 0, m = 0, d = 0] = civil.split('-').map(Number);
  return { day: y * 10_000 + m * 100 + d, month: y * 100 + m, quarter: y * 10 + Math.ceil(m / 3), year: y };
}

/** The query builder's key: one `$dateToParts` per instant. */
const keys: Document = {
  $let: {
    vars: { p: { $dateToParts: { date: '$t', timezone: '$zone' } } },
    in: {
      day: { $add: [{ $multiply: ['$$p.year', 10_000] }, { $multiply: ['$$p.month', 100] }, '$$p.day'] },
      month: { $add: [{ $multiply: ['$$p.year', 100] }, '$$p.month'] },
      quarter: { $add: [{ $multiply: ['$$p.year', 10] }, { $toInt: { $ceil: { $divide: ['$$p.month', 3] } } }] },
      year: '$$p.year',
    },
  },
};

onEveryServer('date buckets', (target) => {
  it.each(['fixtures', 'spread', 'truncation'])('computes every recorded key of %s', async (name) => {
    const rows = read<Bucket>(name);
    const collection = target().client.db('conformance_buckets').collection<Document>(name);
    await collection.drop().catch(() => undefined);
    await collection.insertMany(
      rows.map((row, index) => ({ _id: index as never, zone: row.zone, t: new Date(row.t) })),
    );
    const computed = await collection.aggregate([{ $sort: { _id: 1 } }, { $project: { _id: 0, k: keys } }]).toArray();
    const wrong = rows.filter(
      (row, index) => JSON.stringify(computed[index]?.['k']) !== JSON.stringify(expectedKey(row)),
    );
    expect(computed).toHaveLength(rows.length);
    expect(wrong).toEqual([]);
  });

  it('accepts exactly the zone names that the recorded server and Node know', async () => {
    const names = read<{ name: string; node: boolean; mongodb: boolean }>('zone-names').filter(
      ({ name }) => !name.startsWith('$'),
    );
    const collection = target().client.db('conformance_buckets').collection('zones');
    const differing: string[] = [];
    await collection.updateOne({}, { $set: { t: new Date(0) } }, { upsert: true });
    const accepts = async ({ name, node, mongodb }: (typeof names)[number]): Promise<void> => {
      const accepted = await collection
        .aggregate([{ $project: { y: { $year: { date: '$t', timezone: { $literal: name } } } } }])
        .toArray()
        .then(
          () => true,
          () => false,
        );
      const offset = /^[+-]/.test(name);
      if (accepted !== (mongodb && (node || offset))) differing.push(name);
    };
    const left = names.values();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const each of left) await accepts(each);
      }),
    );
    expect(differing).toEqual([]);
  });
});
