/**
 * Checks the concerns in the bytes on the wire: each read has majority read concern, each write is acknowledged by a
 * majority and its journal. A single server cannot show the difference, so the test reads the sent commands.
 */
import { deserialize, type Document } from 'bson';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Store } from '../index';
import { announcement, jobsCollection, waiting } from '../features/sample';
import { openTestDatabase, type TestDatabase } from '../test-database';

const bodyStart = 21;
const reads = new Set(['find', 'aggregate', 'count', 'distinct']);
const writes = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify']);

let database: TestDatabase;
let store: Store;
let listener: Server;
const seen: Document[] = [];

/** The first document of every message that a client sends. */
function listenTo(chunk: Buffer, rest: Buffer): Buffer {
  let left = Buffer.concat([rest, chunk]);
  while (left.length >= 4 && left.length >= left.readInt32LE(0)) {
    const frame = left.subarray(0, left.readInt32LE(0));
    left = left.subarray(frame.length);
    if (frame.readInt32LE(12) === 2_013)
      seen.push(deserialize(frame.subarray(bodyStart, bodyStart + frame.readInt32LE(bodyStart))));
  }
  return left;
}

beforeAll(async () => {
  database = await openTestDatabase('concerns');
  const target = new URL(database.url);
  listener = createServer((client) => {
    const server = connect(Number(target.port || 27_017), target.hostname);
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (chunk) => {
      rest = listenTo(chunk, rest);
      server.write(chunk);
    });
    server.on('data', (chunk) => client.write(chunk));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const)
      socket.on('error', () => socket.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  if (url.pathname === '') url.pathname = '/';
  url.searchParams.set('directConnection', 'true');
  store = await connectStore({
    url: url.href,
    database: database.name,
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'test',
    startPatienceMs: 120_000,
  });
});
afterAll(async () => {
  await store?.close();
  await new Promise((resolve) => listener.close(resolve));
  await database.drop();
});

describe('the store on the wire', () => {
  it('asks for a majority at every read and for a majority with its journal at every write', async () => {
    const jobs = store.collection(jobsCollection);
    await store.ensureIndexes();
    const inserted = await Promise.all([1, 2, 3].map((at) => jobs.insert(waiting(`job-${at}`))));
    const records = inserted.flatMap((each) => (each.outcome === 'applied' ? [each.record] : []));
    await Promise.all(records.map((record) => jobs.mutate(record, { ...record, rank: 2 })));
    const alone = (await jobs.findById('job-1'))!;
    await jobs.mutate(alone, { ...alone, rank: 3 }, [announcement('message-1')]);
    await jobs.outbox.confirm('job-1', 'message-1');
    await Promise.all(['job-1', 'job-2'].map((id) => jobs.findById(id)));
    await jobs.find({ tenantId: 'tenant' }, { limit: 10 });
    const commands = seen.map((command) => ({ name: Object.keys(command)[0]!, command }));
    const ofReads = commands.filter(({ name }) => reads.has(name));
    const ofWrites = commands.filter(({ name, command }) => writes.has(name) && command['$db'] === database.name);
    expect(new Set(ofReads.map(({ name }) => name)).has('find')).toBe(true);
    expect([...new Set(ofWrites.map(({ name }) => name))].sort()).toEqual(['findAndModify', 'insert', 'update']);
    for (const { name, command } of ofReads) expect([name, command['readConcern']?.level]).toEqual([name, 'majority']);
    for (const { name, command } of ofWrites)
      expect([name, command['writeConcern']]).toEqual([name, expect.objectContaining({ w: 'majority', j: true })]);
  });
});
