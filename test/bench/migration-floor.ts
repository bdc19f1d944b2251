/**
 * The floor of the migration bench: the same reads and fenced writes per item with the raw driver, with the same
 * durability, and nothing else.
 */
import { randomUUID } from 'node:crypto';
import { MongoClient, type Document } from 'mongodb';
import { cpuMsOf } from './cpu-time';
import { drive } from './report';

type Row = Document & { _id: string };

export async function migrationFloor(
  url: string,
  storePid: number,
  items: number,
  lanes: number,
): Promise<{ cpuMsPerItem: number; perSecond: number }> {
  const client = await new MongoClient(url, {
    retryWrites: false,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  }).connect();
  const database = client.db('migration_floor');
  const [subscriptions, listed] = [database.collection<Row>('subscriptions'), database.collection<Row>('items')];
  await subscriptions.createIndex({ planId: 1, _id: 1 });
  await listed.createIndex({ migrationId: 1, ordinal: 1, _id: 1 });
  await listed.createIndex({ migrationId: 1, status: 1, ordinal: 1, _id: 1 });
  const id = (index: number) => `ws-${String(index).padStart(7, '0')}`;
  const rows = Array.from({ length: items }, (_, index): Row => ({
    _id: id(index),
    revision: 'r',
    planId: 'starter',
    workspaceName: id(index),
    provider: { customerId: 'c', subscriptionId: 's', itemId: 'i' },
  }));
  await subscriptions.insertMany(rows);
  await listed.insertMany(
    rows.map(({ _id }, ordinal): Row => ({
      _id: `m:${_id}`,
      revision: 'r',
      migrationId: 'm',
      ordinal,
      status: 'pending',
      tenantId: _id,
    })),
  );
  const advance = async (collection: typeof listed, _id: string, revision: string, set: Document): Promise<string> => {
    const fresh = randomUUID();
    const after = await collection.findOneAndUpdate(
      { _id, revision },
      { $set: { ...set, revision: fresh, updatedAt: new Date() } },
      { returnDocument: 'after', projection: { _id: 1 } },
    );
    if (!after) throw new Error('the floor lost a race');
    return fresh;
  };
  const before = cpuMsOf(process.pid) + cpuMsOf(storePid);
  const { elapsedMs } = await drive(items, lanes, async (index) => {
    const tenantId = id(index);
    await subscriptions.findOne({ _id: tenantId });
    const running = await advance(listed, `m:${tenantId}`, 'r', {
      status: 'running',
      providerCalls: [{ step: 'change_plan', idempotencyKey: tenantId }],
    });
    const held = await advance(subscriptions, tenantId, 'r', {
      transition: { operationId: `m:${tenantId}`, kind: 'change_plan' },
    });
    await subscriptions.findOne({ _id: tenantId });
    const mirrored = await advance(subscriptions, tenantId, held, { planId: 'pro' });
    await advance(listed, `m:${tenantId}`, running, { status: 'succeeded', outbox: [{ id: tenantId }] });
    await subscriptions.findOne({ _id: tenantId });
    await advance(subscriptions, tenantId, mirrored, { transition: null });
    await listed.updateOne({ _id: `m:${tenantId}` }, { $pull: { outbox: { id: tenantId } as never } });
  });
  const cpuMsPerItem = (cpuMsOf(process.pid) + cpuMsOf(storePid) - before) / items;
  await client.close();
  return { cpuMsPerItem, perSecond: (items / elapsedMs) * 1_000 };
}
