import { Binary, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';
import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

onEveryServer('insert', (target) => {
  let things: Collection<Document>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection('inserted');
    await things.drop().catch(() => undefined);
  });

  it('keeps every BSON type as it was sent', async () => {
    const sent = {
      _id: new ObjectId('5f0000000000000000000001'),
      double: new Double(1),
      int: new Int32(1),
      long: Long.fromString('9007199254740993'),
      decimal: Decimal128.fromString('1.00'),
      text: 'ü\u{1f600}',
      date: new Date(-1),
      yes: true,
      none: null,
      list: [1, [2]],
      nested: { b: 1, a: 2 },
      bytes: new Binary(Buffer.from('ab'), 5),
      pattern: /a.c/i,
      time: new Timestamp({ t: 5, i: 1 }),
      code: new Code('f()'),
      min: new MinKey(),
      max: new MaxKey(),
    };
    await things.insertOne(sent);
    const options = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const;
    const [found] = await things.find({}, options).toArray();
    expect(JSON.stringify(found)).toBe(
      JSON.stringify({
        ...sent,
        pattern: found?.['pattern'],
        none: null,
        yes: true,
        list: found?.['list'],
        nested: found?.['nested'],
      }),
    );
    expect(found?.['long'].toString()).toBe('9007199254740993');
  });

  it('refuses a second document with the same _id, whatever kind of number it is', async () => {
    await things.insertOne({ _id: new Int32(1) as never });
    await expect(things.insertOne({ _id: new Double(1) as never })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
    });
  });

  it('stops an ordered insert at the first refusal and goes on with an unordered one', async () => {
    const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }] as never[];
    await expect(things.insertMany(documents)).rejects.toMatchObject({ code: 11000 });
    expect(await things.countDocuments()).toBe(1);
    await expect(things.insertMany(documents, { ordered: false })).rejects.toMatchObject({ code: 11000 });
    expect(await things.countDocuments()).toBe(2);
  });

  it('refuses a document that is too large and keeps the others', async () => {
    const huge = 'x'.repeat(16 * 1024 * 1024);
    const reply = await target()
      .client.db('conformance')
      .command({ insert: 'inserted', documents: [{ _id: 1, huge }] });
    expect(reply).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 2 }] });
    await things.insertOne({ _id: 2 as never });
    expect(await things.countDocuments()).toBe(1);
  });

  it('gives every document an _id of its own', async () => {
    const { insertedIds } = await things.insertMany(
      Array.from({ length: 50 }, () => ({})),
      { forceServerObjectId: true },
    );
    const ids = await things.distinct('_id');
    expect(ids).toHaveLength(50);
    expect(Object.keys(insertedIds)).toHaveLength(50);
  });
});
