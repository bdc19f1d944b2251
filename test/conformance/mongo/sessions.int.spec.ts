import { Long, MongoClient } from 'mongodb';
import { onEveryServer } from './support/targets';

onEveryServer('sessions and the handshake', (target) => {
  it('accepts commands inside a logical session', async () => {
    const { client } = target();
    await client.withSession(async (session) => {
      const things = client.db('conformance').collection<{ _id: number }>('sessions');
      await things.deleteMany({}, { session });
      await things.insertOne({ _id: 1 }, { session });
      expect(await things.countDocuments({}, { session })).toBe(1);
    });
    expect(await client.db('admin').command({ endSessions: [] })).toMatchObject({ ok: 1 });
  });

  it('refuses retryable writes and transactions with code 20, as a standalone server', async () => {
    if (!target().embedded) return;
    const db = target().client.db('conformance');
    await expect(
      db.command({ insert: 'sessions', documents: [{}], txnNumber: Long.fromNumber(1) }),
    ).rejects.toMatchObject({ code: 20, codeName: 'IllegalOperation' });
    await expect(
      target().client.withSession((session) =>
        session.withTransaction(() => db.collection('sessions').insertOne({}, { session })),
      ),
    ).rejects.toThrow();
  });

  it('serves a driver that is set to retry writes, which it does not do with a standalone server', async () => {
    const retrying = new MongoClient(target().url, { retryWrites: true });
    expect(await retrying.db('conformance').collection('sessions').insertOne({})).toMatchObject({ acknowledged: true });
    await retrying.close();
  });

  it('says that it is writable and how much it takes', async () => {
    const hello = await target().client.db('admin').command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      maxBsonObjectSize: 16_777_216,
      maxWriteBatchSize: 100_000,
      readOnly: false,
      ok: 1,
    });
    expect(hello['maxWireVersion']).toBeGreaterThanOrEqual(9);
  });

  it('refuses an unknown command and unknown arguments', async () => {
    const db = target().client.db('conformance');
    await expect(db.command({ frobnicate: 1 })).rejects.toMatchObject({ code: 59, codeName: 'CommandNotFound' });
    await expect(db.command({ ping: 1, frob: 1 })).rejects.toMatchObject({ code: 40415 });
  });
});
