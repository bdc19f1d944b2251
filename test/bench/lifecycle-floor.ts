/**
 * The floor of the lifecycle bench, in two processes like the product: `delivery` makes the same driver and broker
 * calls per transition as the service, `consumers` pulls, publishes a receipt and acknowledges for each consumer.
 * Nothing is validated, fenced, retried, traced or deduplicated.
 */
import { randomUUID } from 'node:crypto';
import { jetstream, type JsMsg } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { consumerNames, floorDurable, floorNamespace, floorStream } from './lifecycle-work';

interface Row {
  readonly _id: string;
  readonly [field: string]: unknown;
}

interface Transition {
  readonly tenantId: string;
  readonly operationId: string;
  readonly transition: string;
  readonly requestedAt: string;
}

const { NATS_URL: natsUrl = '', MONGODB_URL: mongodbUrl = '' } = process.env;
const subject = (plain: string) => `${floorNamespace}.${plain}`;

/** Keeps `concurrency` handlers busy: requests as many messages as handlers are free. */
async function pull(
  js: ReturnType<typeof jetstream>,
  stream: string,
  durable: string,
  concurrency: number,
  handleMessage: (message: JsMsg) => Promise<void>,
): Promise<never> {
  const consumer = await js.consumers.get(floorStream(stream), durable);
  let busy = 0;
  let freed: () => void = () => undefined;
  for (;;) {
    const free = concurrency - busy;
    if (free === 0) {
      await new Promise<void>((resolve) => (freed = resolve));
      continue;
    }
    for await (const message of await consumer.fetch({ max_messages: free, expires: 10_000 })) {
      busy += 1;
      void handleMessage(message).then(() => {
        message.ack();
        busy -= 1;
        freed();
      });
    }
  }
}

async function deliver(): Promise<void> {
  const client = await new MongoClient(mongodbUrl, {
    retryWrites: false,
    maxPoolSize: 100,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  }).connect();
  const database = client.db('lifecycle_floor');
  const collection = (name: string) => database.collection<Row>(name);
  const [consumers, messages, deliveries, deleted] = [
    collection('consumers'),
    collection('messages'),
    collection('deliveries'),
    collection('deleted'),
  ];
  await consumers.insertMany(
    consumerNames.map((name) => ({ _id: name, status: 'registered', transitions: ['suspended'] })),
  );
  await messages.createIndex({ status: 1, createdAt: 1, _id: 1 });
  for (const fields of [
    ['operationId', '_id'],
    ['status', 'createdAt', '_id'],
    ['consumer', 'status', 'createdAt', '_id'],
  ])
    await deliveries.createIndex(fields);
  for (const fields of [
    ['nextAttemptAt', '_id'],
    ['tenantId', '_id'],
  ])
    await deliveries.createIndex(fields, { partialFilterExpression: { nextAttemptAt: { $exists: true } } });
  const js = jetstream(await connect({ servers: natsUrl }));

  const advance = async (
    rows: typeof deliveries,
    row: Row,
    change: Record<string, unknown>,
    unset?: Record<string, 1>,
  ) => {
    const set = { ...change, revision: randomUUID(), updatedAt: new Date() };
    const after = await rows.findOneAndUpdate(
      { _id: row._id, revision: row['revision'] },
      { $set: set, ...(unset && { $unset: unset }) },
      { returnDocument: 'after' },
    );
    if (!after) throw new Error('lost');
  };

  const accept = async (message: JsMsg): Promise<void> => {
    const body = message.json<Transition>();
    const required = await consumers.find({}).toArray();
    const stamp = () => ({ revision: randomUUID(), createdAt: new Date(), updatedAt: new Date() });
    await messages.insertOne({
      ...body,
      _id: body.operationId,
      status: 'awaiting_receipts',
      required: required.map(({ _id }) => _id),
      outbox: [],
      ...stamp(),
    });
    await deleted.findOne({ _id: body.tenantId });
    await Promise.all(
      required.map(async ({ _id: consumer }) => {
        await deliveries.insertOne({
          ...body,
          _id: `${body.operationId}:${consumer}`,
          consumer,
          status: 'pending',
          attemptCount: 1,
          nextAttemptAt: new Date(Date.now() + 300_000),
          ...stamp(),
        });
        await js.publish(subject(`tenant.lifecycle.suspended.${consumer}`), JSON.stringify(body), {
          msgID: `delivery:${body.operationId}:${consumer}`,
        });
      }),
    );
  };

  const receive = async (message: JsMsg): Promise<void> => {
    const { operationId, receiptId } = message.json<Transition & { receiptId: string }>();
    const consumer = message.subject.split('.').at(-1);
    const delivery = await deliveries.findOne({ _id: `${operationId}:${consumer}` });
    await advance(
      deliveries,
      delivery!,
      { status: 'succeeded', receipt: { receiptId, acceptedAt: new Date() } },
      { nextAttemptAt: 1 },
    );
    const all = await deliveries.find({ operationId }).toArray();
    if (all.some(({ status }) => status !== 'succeeded')) return;
    const row = await messages.findOne({ _id: operationId });
    if (row?.['status'] !== 'awaiting_receipts') return;
    const entry = { id: `settled:${operationId}`, body: { operationId, receipts: all.map(({ receipt }) => receipt) } };
    await advance(messages, row, { status: 'settled', settledAt: new Date(), outbox: [entry] }).catch(() => undefined);
    await js.publish(subject('lifecycle.settled.suspended'), JSON.stringify(entry.body), { msgID: entry.id });
    await messages.updateOne({ _id: operationId }, { $pull: { outbox: { id: entry.id } } as never });
  };

  void pull(js, 'LIFECYCLE', 'lifecycle-delivery', 32, accept);
  void pull(js, 'TENANT_RECEIPTS', 'lifecycle-delivery', 32, receive);
}

async function consume(): Promise<void> {
  const js = jetstream(await connect({ servers: natsUrl }));
  for (const consumer of consumerNames) {
    void pull(js, 'TENANT_LIFECYCLE', floorDurable(consumer), 1, async (message) => {
      const body = message.json<Transition>();
      const receipt = { ...body, receiptId: `${consumer}:${body.operationId}`, effectiveAt: new Date() };
      await js.publish(subject(`tenant.receipt.${consumer}`), JSON.stringify(receipt), {
        msgID: `receipt:${consumer}:${body.operationId}`,
      });
    });
  }
}

void (process.argv[2] === 'delivery' ? deliver() : consume()).then(() => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
