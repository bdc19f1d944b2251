/**
 * Statements, and the driver's server monitoring, in the same turn in which their sockets have ended
 * (docs/decisions/0006).
 */
import net from 'node:net';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { applied, jobsCollection, waiting } from '../features/sample';
import { connectStore, type Store } from '../index';
import { openTestDatabase, type TestDatabase } from '../test-database';

let database: TestDatabase;
let store: Store;
const sockets = new Set<net.Socket>();

beforeAll(async () => {
  database = await openTestDatabase('dead_sockets');
  const connect = net.createConnection as (...args: unknown[]) => net.Socket;
  jest.spyOn(net, 'createConnection').mockImplementation(((...args: unknown[]) => {
    const socket = connect(...args);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  }) as typeof net.createConnection);
  store = await connectStore({
    url: database.url,
    database: database.name,
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'test',
    startPatienceMs: 120_000,
  });
});
afterAll(async () => {
  await store.close();
  jest.restoreAllMocks();
  await database.drop();
});

/** The sockets have ended, and neither side has noticed. */
function endSockets(): void {
  expect(sockets.size).toBeGreaterThan(1);
  for (const socket of sockets) socket.destroy();
}

it('are settled, and the server is found again', async () => {
  const collection = store.collection(jobsCollection);
  for (let round = 0; round < 20; round += 1) {
    const record = applied(await collection.insert(waiting(`round ${round}`)));
    endSockets();
    expect(await collection.find({ _id: record._id }, { limit: 1 })).toEqual([record]);
    endSockets();
    expect(applied(await collection.mutate(record, { ...record, rank: 2 }))).toMatchObject({ rank: 2 });
    endSockets();
    applied(await collection.insert(waiting(`second ${round}`)));
  }
});
