/**
 * The floor of the operations bench, a separate process: the same number of raw driver calls and the same provider call
 * per credit, with the same durability, the same indexes and a plain HTTP server; no validation, no token, no evidence,
 * no fence.
 */
import { createHash, randomUUID } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import { MongoClient } from 'mongodb';

interface Row {
  readonly _id: string;
  readonly revision: string;
}

async function readAll(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
  return text;
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

function credit(twin: URL, customerId: string, operationId: string, amount: number): Promise<string> {
  const body = new URLSearchParams({
    amount: String(-amount),
    currency: 'usd',
    description: 'bench',
    'metadata[operationId]': operationId,
  }).toString();
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer sk_test_bench',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': `${operationId}:floor`,
    };
    const call = request(
      {
        agent,
        host: twin.hostname,
        port: twin.port,
        method: 'POST',
        path: `/v1/customers/${customerId}/balance_transactions`,
        headers,
      },
      (answer) => void readAll(answer).then(resolve, reject),
    );
    call.on('error', reject);
    call.end(body);
  });
}

async function main(): Promise<void> {
  const { MONGODB_URL = '', TWIN_URL = '' } = process.env;
  const twin = new URL(TWIN_URL);
  const client = await new MongoClient(MONGODB_URL, {
    retryWrites: false,
    maxPoolSize: 50,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  }).connect();
  const database = client.db('bench_floor');
  const operations = database.collection<Row & Record<string, unknown>>('operations');
  const others = database.collection<Row & Record<string, unknown>>('others');
  // Without these indexes the journal could not serve its lists; each costs every write an entry.
  for (const fields of [
    ['createdAt', '_id'],
    ['status', 'createdAt', '_id'],
    ['tenantId', 'createdAt', '_id'],
    ['tenantId', 'status', 'createdAt', '_id'],
  ])
    await operations.createIndex(fields);
  await operations.createIndex(
    { 'resolution.at': 1, _id: 1 },
    { partialFilterExpression: { 'resolution.at': { $exists: true } } },
  );
  await operations.createIndex(
    { _id: 1, createdAt: 1 },
    { name: 'outbox', partialFilterExpression: { 'outbox.createdAt': { $exists: true } } },
  );
  await others.updateOne({ _id: 'globex' }, { $set: { revision: 'r', planId: 'pro' } }, { upsert: true });

  const advance = async (operationId: string, revision: string, set: Record<string, unknown>): Promise<string> => {
    const fresh = randomUUID();
    const after = await operations.findOneAndUpdate(
      { _id: operationId, revision },
      { $set: { ...set, revision: fresh, updatedAt: new Date() } },
      { returnDocument: 'after' },
    );
    if (!after) throw new Error('lost');
    return fresh;
  };

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const { operationId, amountCents } = JSON.parse(await readAll(incoming)) as {
        operationId: string;
        amountCents: number;
      };
      await operations.findOne({ _id: operationId });
      await others.findOne({ _id: 'globex' });
      const fingerprint = createHash('sha256').update(operationId).digest('hex');
      const first = randomUUID();
      await operations.insertOne({
        _id: operationId,
        tenantId: 'globex',
        revision: first,
        status: 'pending',
        fingerprint,
        createdAt: new Date(),
        updatedAt: new Date(),
      });
      await others.findOne({ _id: 'globex' });
      const recorded = await advance(operationId, first, {
        status: 'running',
        attempts: [{ number: 1, startedAt: new Date(), providerCalls: [{ step: 'credit', sentAt: new Date() }] }],
      });
      const answer = await credit(twin, 'cus_globex', operationId, amountCents);
      await advance(operationId, recorded, {
        status: 'succeeded',
        result: { id: (JSON.parse(answer) as { id: string }).id },
      });
      outgoing
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ operationId, status: 'succeeded' }));
    })().catch((error: unknown) => outgoing.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
  });
  process.on('disconnect', () => process.exit(0));
}

void main();
