/** The indexes of a service's start, where a connection dies in silence: it ends, and nothing answers any more. */
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { openCuttingProxy, type CuttingProxy } from '../features/cutting-proxy';
import { jobsCollection } from '../features/sample';
import { connectStore } from '../index';
import { openTestDatabase, type TestDatabase } from '../test-database';

let database: TestDatabase;
let network: CuttingProxy;
beforeAll(async () => {
  database = await openTestDatabase('index_builds');
  network = await openCuttingProxy(database.url);
});
afterAll(async () => {
  await network.close();
  await database.drop();
});

const openStore = () =>
  connectStore({
    ...{ url: network.url, database: database.name, appName: 'test' },
    ...{ clock: systemClock, ids: createIds(), log: silentLog },
    timeouts: { selectMs: 20_000, answerMs: 2_000 },
    startPatienceMs: 120_000,
  });

it.each(['before the first start', 'at a later start'])('are asked for again when no answer comes, %s', async () => {
  const store = await openStore();
  store.collection(jobsCollection);
  network.cut({ command: 'listIndexes', when: 'silence' });
  await store.ensureIndexes();
  expect(network.uncut()).toBe(0);
  expect(await database.raw.collection('jobs').listIndexes().toArray()).toHaveLength(jobsCollection.indexes.length + 2);
  await store.close();
});
