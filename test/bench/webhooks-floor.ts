/**
 * The floor of the webhooks bench, a separate process: verify, insert, publish, await the outcome, complete, answer;
 * the same driver and broker calls by hand, with the same durability. Nothing is redacted, fenced, retried, measured or
 * traced, and a duplicate costs one read and one count.
 */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { MongoClient, MongoServerError, type Document } from 'mongodb';
import { floorStream, floorSubject } from './webhooks-work';

interface Row extends Document {
  readonly _id: string;
}

interface Outcome {
  readonly eventId: string;
  readonly outcome: string;
}

const { NATS_URL: natsUrl = '', MONGODB_URL: mongodbUrl = '', SECRET: secret = '' } = process.env;

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function verified(header: string, body: Buffer): boolean {
  const [, at = '', given = ''] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(header) ?? [];
  const wanted = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  const offered = Buffer.from(given, 'hex');
  return offered.length === wanted.length && timingSafeEqual(offered, wanted);
}

async function main(): Promise<void> {
  const client = await new MongoClient(mongodbUrl, {
    retryWrites: false,
    maxPoolSize: 50,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  }).connect();
  const events = client.db('webhooks_floor').collection<Row>('events');
  for (const fields of [
    ['receivedAt', '_id'],
    ['result', 'receivedAt', '_id'],
    ['result', 'executor.instance', '_id'],
    ['result', 'processedAt', '_id'],
  ])
    await events.createIndex(fields);
  await events.createIndex(
    { _id: 1, 'outbox.0': 1 },
    { name: 'outbox', partialFilterExpression: { 'outbox.0': { $exists: true } } },
  );
  const js = jetstream(await connect({ servers: natsUrl }));
  const waiting = new Map<string, () => void>();

  async function complete({ eventId, outcome }: Outcome): Promise<void> {
    const event = await events.findOne({ _id: eventId });
    const done = await events.updateOne(
      { _id: eventId, revision: event!['revision'] },
      { $set: { result: outcome, processedAt: new Date(), updatedAt: new Date(), revision: randomUUID() } },
    );
    if (done.matchedCount !== 1) return complete({ eventId, outcome });
    waiting.get(eventId)?.();
    waiting.delete(eventId);
    await events.updateOne({ _id: eventId }, { $pull: { outbox: { id: `provider-event:${eventId}` } } as never });
  }

  const consumer = await js.consumers.get(floorStream('PROVIDER_OUTCOMES'), 'billing-webhook');
  void (async () => {
    for await (const message of await consumer.consume({ max_messages: 32 }))
      void complete(message.json<Outcome>()).then(() => message.ack());
  })();

  async function receive(body: Buffer): Promise<number> {
    const event = JSON.parse(body.toString('utf8')) as {
      id: string;
      type: string;
      created: number;
      data: { object: { id: string } };
    };
    const now = new Date();
    const message = {
      eventId: event.id,
      type: event.type,
      created: new Date(event.created * 1_000),
      object: { id: event.data.object.id },
      admittedRevision: randomUUID(),
    };
    const row = {
      _id: event.id,
      type: event.type,
      result: 'pending',
      receivedAt: now,
      createdAt: now,
      updatedAt: now,
      revision: randomUUID(),
      deliveries: 0,
      payloadDigest: createHash('sha256').update(body).digest('hex'),
      object: message.object,
      outbox: [{ id: `provider-event:${event.id}`, body: message }],
    };
    try {
      await events.insertOne(row);
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
      const standing = await events.findOne({ _id: event.id });
      if (standing?.['result'] === 'success') return 200;
      await events.updateOne({ _id: event.id }, { $inc: { deliveries: 1 } });
      return 500;
    }
    const completed = new Promise<void>((resolve) => waiting.set(event.id, resolve));
    await js.publish(floorSubject('provider.event.operator.customer.updated'), JSON.stringify(message), {
      msgID: `provider-event:${event.id}`,
    });
    await completed;
    return 200;
  }

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await readAll(incoming);
      const status = verified(String(incoming.headers['stripe-signature']), body) ? await receive(body) : 400;
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
    })().catch((error: unknown) => outgoing.writeHead(599).end(String(error)));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
  });
  process.on('disconnect', () => process.exit(0));
}

void main();
