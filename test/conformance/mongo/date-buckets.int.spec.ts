/** Keys of days, months, quarters and years in time zones: the recorded ones of a real server, on the hardest days there are. */
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

/** The key of the query builder: one `$dateToParts` per instant. */
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
  it.each(['fixtures', 'spread', 'truncation'])(
    'computes every recorded key of %s',
    async (name) => {
      const rows = read<Bucket>(name);
      const collection = target().client.db('conformance_buckets').collection<Document>(name);
      await collection.drop().catch(() => undefined);
      await collection.insertMany(
        rows.map((row, index) => ({ _id: index as never, zone: row.zone, t: new Date(row.t) })),
      );
      const computed = await collection.aggregate([{ $sort: { _id: 1 } }, { $project: { _id: 0, k: keys } }]).toArray();
      const wrong = rows.filter((row, index) => {
        const { day, month, quarter, year } = row;
        return JSON.stringify(computed[index]?.['k']) !== JSON.stringify({ day, month, quarter, year });
      });
      expect(computed).toHaveLength(rows.length);
      expect(wrong).toEqual([]);
    },
    60_000,
  );

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
  }, 60_000);
});
