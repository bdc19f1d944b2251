/**
 * The broker is killed and its data folder removed at a random moment of the traffic, again and again: accepted
 * messages are sent again from the database, senders announce the others again, and nothing is lost or done twice.
 * `WIPE_ROUNDS` sets the number of rounds.
 */
import { silentLog } from '@platform/kernel';
import { startTestServer, type TestServer } from '@platform/messaging/testing';
import { createRandom, eventually, proofSize } from '@platform/testing';
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import {
  createOperationDeduplicator,
  RegisterTenantLifecycleConsumer,
} from '@platform/workspace-platform/tenant-lifecycle';
import { openWorld, type OpenWorld } from './testing/open-world';

const rounds = Number(process.env['WIPE_ROUNDS'] ?? proofSize({ lean: 1, full: 6 }));
const perRound = 30;
const seed = 20_260_101;

describe('a broker whose disk vanishes', () => {
  let world: OpenWorld;
  let broker: TestServer;
  beforeEach(async () => {
    broker = await startTestServer();
    world = await openWorld('rebuild', broker);
  });
  afterEach(async () => {
    await world.close();
    await broker.stop();
  });

  it(
    `loses nothing in ${rounds} rounds of ${perRound} operations for two consumers`,
    async () => {
      const random = createRandom(seed);
      const effects: string[] = [];
      let runs = 0;
      const registrations = ['storage', 'search-index'].map((name) => {
        const deduplicator = createOperationDeduplicator();
        const consume = (message: { readonly operationId: string }) => {
          runs += 1;
          return deduplicator.once(
            message,
            async () => (effects.push(`${name} ${message.operationId}`), { receiptId: name, effectiveAt: new Date() }),
          );
        };
        return RegisterTenantLifecycleConsumer({ name, transitions: ['suspended'], consume });
      });
      const connection = await connectWorkspacePlatform({
        natsUrl: world.natsUrl,
        namespace: world.namespace,
        instance: 'consumers-1',
        log: silentLog,
      });
      const rebuilds: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const running = await world.start();
        await connection.ready();
        const operations = Array.from({ length: perRound }, (_, number) => `operation-${round}-${number}`);
        const wipeAfter = random.below(perRound);
        for (const operationId of operations) await world.announce(operationId);
        await eventually(() => operations.filter((operationId) => world.settled.has(operationId)).length >= wipeAfter, {
          describe: `${wipeAfter} settlements`,
        });
        await world.wipeBroker();
        const wipedAt = performance.now();
        await running.close();
        const restarted = await world.start();
        await eventually(
          async () => {
            for (const operationId of operations.filter((each) => !world.settled.has(each)))
              await world.announce(operationId);
            return operations.every((operationId) => world.settled.has(operationId));
          },
          { describe: `round ${round}, wiped after ${wipeAfter} settlements` },
        );
        rebuilds.push(Math.round(performance.now() - wipedAt));
        await restarted.close();
      }
      process.stdout.write(
        `wiped ${rounds} times: 0 of ${rounds * perRound} lost, ${(runs / effects.length).toFixed(2)} runs per effect, rebuilt in ${rebuilds.join(', ')} ms\n`,
      );
      expect(effects).toHaveLength(rounds * perRound * 2);
      expect(new Set(effects).size).toBe(effects.length);
      await world.start();
      for (const registration of registrations) await registration.unregister();
      await connection.close();
    },
    15 * 60_000 + rounds * 180_000,
  );
});
