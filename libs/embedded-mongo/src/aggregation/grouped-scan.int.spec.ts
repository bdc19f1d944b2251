/**
 * Grouping from stored bytes must give the same result as grouping of documents. A pipeline that begins with `$skip: 0`
 * reads documents one by one, so every test compares with it.
 */
import fc from 'fast-check';
import { Decimal128, Double, Int32, Long, ObjectId, type Collection, type Document } from 'mongodb';
import { openTestStore } from '../testing/open-test-store';

let store: Awaited<ReturnType<typeof openTestStore>>;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

const names = ['a', 'ab', 'abc', 'abcd', 'date', 'total', 'é', 'status'] as const;
const text = fc.constantFrom(
  '',
  'paid',
  'open',
  'paid\u0000',
  'größe',
  'p',
  'a text that is longer than any state',
  '𝒳',
);
const simple = fc.oneof(
  text,
  fc.constantFrom(0, 1, -1, 1.5, Number.NaN, Infinity, -0).map((value) => new Double(value)),
  fc.integer({ min: -3, max: 3 }).map((value) => new Int32(value)),
  fc.bigInt({ min: -3n, max: 3n }).map((value) => Long.fromBigInt(value)),
  fc.constantFrom('1', '0.1', 'NaN').map((value) => Decimal128.fromString(value)),
  fc.boolean(),
  fc.constant(null),
  fc.date({ min: new Date('1890-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
  fc.constant(new ObjectId('0123456789abcdef01234567')),
);
const value = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 3, arbitrary: fc.array(fc.oneof(text, simple), { maxLength: 3 }) },
  fc.record({ x: simple }),
);
/** In any order, and with any of them absent. */
const document = fc
  .shuffledSubarray([...names])
  .chain((present) =>
    fc
      .tuple(...present.map(() => value))
      .map((values): Document => Object.fromEntries(present.map((name, at) => [name, values[at]]))),
  );
const name = fc.constantFrom(...names);
const clause: fc.Arbitrary<Document> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(name, fc.constantFrom('$eq', '$ne'), text)
      .map(([field, op, operand]) => ({ [field]: { [op]: operand } })),
  },
  fc
    .tuple(name, fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), fc.oneof(simple, value))
    .map(([field, op, operand]) => ({ [field]: { [op]: operand } })),
  fc.tuple(name, fc.array(simple, { maxLength: 3 })).map(([field, list]) => ({ [field]: { $in: list } })),
  fc.tuple(name, text).map(([field, operand]) => ({ [field]: { $not: { $eq: operand } } })),
  fc.tuple(name, fc.boolean()).map(([field, there]) => ({ [field]: { $exists: there } })),
  fc.tuple(name, fc.nat(2)).map(([field, size]) => ({ [field]: { $size: size } })),
  fc.tuple(name, simple).map(([field, operand]) => ({ [`${field}.x`]: operand })),
);
const filter = fc.oneof(
  fc.array(clause, { maxLength: 2 }).map((all) => (all.length === 0 ? {} : { $and: all })),
  fc.tuple(clause, clause).map((either) => ({ $or: either })),
);
const zone = fc.constantFrom('UTC', 'Europe/Paris', 'Pacific/Apia', 'Africa/Monrovia', '+05:45');
/** With `asked`, the key includes the hour, and is computed for every document. */
const dayKey = (timezone: string, asked: boolean): Document => ({
  $let: {
    vars: { p: { $dateToParts: { date: '$date', timezone } } },
    in: {
      $add: [
        { $multiply: ['$$p.year', 10_000] },
        { $multiply: ['$$p.month', 100] },
        '$$p.day',
        ...(asked ? [{ $multiply: ['$$p.hour', 0] }] : []),
      ],
    },
  },
});
const dated = (key: Document): Document => ({ $cond: [{ $eq: [{ $type: '$date' }, 'date'] }, key, '$status'] });
const measures = {
  n: { $sum: 1 },
  sum: { $sum: '$total' },
  all: { $push: '$a' },
  first: { $first: '$abcd' },
  most: { $max: '$ab' },
};

async function both(rows: Collection, [match, key, other]: readonly [Document, Document | string, Document | string]) {
  const ask = (stages: Document[]): Promise<Document[]> => rows.aggregate(stages, { promoteValues: false }).toArray();
  const group = (id: Document | string): Document => ({ $group: { _id: id, ...measures } });
  return {
    bytes: await ask([{ $match: match }, group(key)]),
    documents: await ask([{ $skip: 0 }, { $match: match }, group(other)]),
  };
}

/**
 * Instants of few days, some of them at a clock change, so that days share keys and some pairs have a midnight between
 * them.
 */
const dayOf = fc
  .tuple(document, fc.constantFrom('2026-03-28', '1972-05-01', '2011-12-29'), fc.nat(3 * 86_400_000))
  .map(([other, day, ms]): Document => ({ ...other, date: new Date(Date.parse(day) + ms) }));

const cases = Number(process.env['GROUPED_SCANS'] ?? 12);

describe('a group over a whole collection', () => {
  it('answers from stored bytes what it answers from documents, whatever they hold and whichever are wanted', async () => {
    let chosen = 0;
    const asked = fc.array(fc.tuple(filter, name), { minLength: 25, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 10, maxLength: 20 }), asked, async (documents, questions) => {
        const rows = store.client.db('grouped').collection(`grouped-${(chosen += 1)}`);
        await rows.insertMany(documents);
        for (const [match, key] of questions) {
          const answers = await both(rows, [match, `$${key}`, `$${key}`]);
          expect(answers.bytes).toEqual(answers.documents);
        }
        await rows.drop();
      }),
      { numRuns: cases },
    );
  });

  it('computes the key of a day once for it, and never for another', async () => {
    let chosen = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(dayOf, { minLength: 1, maxLength: 30 }), zone, async (documents, timezone) => {
        const rows = store.client.db('grouped').collection(`days-${(chosen += 1)}`);
        await rows.insertMany(documents);
        const keys = [dated(dayKey(timezone, false)), dated(dayKey(timezone, true))] as const;
        const answers = await both(rows, [{}, ...keys]);
        expect(answers.bytes).toEqual(answers.documents);
        await rows.drop();
      }),
      { numRuns: cases },
    );
  });
});
