/** A service that starts beside a store or a broker that does not answer yet waits for it, at each step. */
import { silentLog } from '@platform/kernel';
import { TopologyError } from '@platform/messaging';
import { openCuttingProxy, openTestDatabase, type TestDatabase } from '@platform/mongo/test-database';
import { runService } from '@platform/service-host';
import { createTestHost } from '@platform/service-host/testing';
import { z } from 'zod';
import { assertTopology, openStore, type ConnectionConfig } from './connections';
import { incarnationsCollection } from './incarnations';

describe('a start beside a store that stops answering', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase('patient_start');
  });
  afterAll(() => database.drop());

  it('waits before the record of its boot is written, and writes it once', async () => {
    const network = await openCuttingProxy(database.url);
    network.cut({ command: 'insert', when: 'before', meanwhile: async () => network.behave('refusing') });
    const host = createTestHost();
    const config = { MONGODB_URL: network.url, MONGODB_DATABASE: database.name } as ConnectionConfig;
    const ended = runService(
      {
        name: 'patient',
        schema: z.object({}),
        compose: async (context) => {
          await openStore({ ...context, config }, { collections: [], schemaSteps: [] });
        },
      },
      host,
    );
    // Comes only after the cut; on a slow machine the store may be asked again before, too.
    await host.logged('the answer of a write was lost');
    network.behave('normal');
    await host.logged('ready');
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
    await network.close();
    const boots = await database.raw.collection(incarnationsCollection.name).find().toArray();
    expect(boots).toEqual([expect.objectContaining({ service: 'patient', stoppedAt: expect.any(Date) as Date })]);
  });
});

describe('a start beside a broker that does not answer', () => {
  /** Fails with each error in turn, then answers. */
  const broker = (...errors: Error[]) => ({
    assertTopology: jest.fn(async () => {
      const next = errors.shift();
      if (next) throw next;
    }),
  });

  it('asks again until it answers', async () => {
    const messaging = broker(new Error('timeout'), new Error('JetStream system temporarily unavailable'));
    await assertTopology(messaging, silentLog);
    expect(messaging.assertTopology).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['lacks a stream', new TopologyError(['ALERTS is missing'])],
    ['refuses this service', Object.assign(new Error('no'), { name: 'PermissionViolationError' })],
  ])('ends at once where the broker %s', async (_what, answer) => {
    const messaging = broker(answer);
    await expect(assertTopology(messaging, silentLog)).rejects.toBe(answer);
    expect(messaging.assertTopology).toHaveBeenCalledTimes(1);
  });
});
