/**
 * A team that publishes as fast as it can, on a real broker: another team's message settles during the flood, and the
 * platform reads few of the flood's reports. This short form checks no time; `npm run proof` fills one team's whole
 * share of the stream and bounds the wait.
 */
import { lifecycleRequests, lifecycleSubjects, lifecycleTypes } from '@platform/contracts-lifecycle-delivery';
import type { Messaging } from '@platform/messaging';
import { eventually, proofSize } from '@platform/testing';
import { reportBurst, reportsPerSecond } from './domain/report-budget';
import { openWorld, type OpenWorld } from './testing/open-world';

const reports = proofSize({ lean: 3_000, full: 20_000 });
/** The time until another team's message is settled during the flood; the short form checks none. */
const settledWithinMs = proofSize({ lean: Infinity, full: 10_000 });

let world: OpenWorld;
beforeAll(async () => {
  world = await openWorld('flooding');
});
afterAll(() => world.close());

async function answersAs(name: string): Promise<Messaging> {
  const team = await world.connect(name);
  const asked = { name, transitions: ['suspended'], registeredBy: `${name}-1` };
  await eventually(async () => (await team.request(lifecycleRequests.register(name), asked, 60_000)).ok, {
    describe: `${name} is registered`,
  });
  return team;
}

const report = (team: Messaging, name: string, operationId: string) =>
  team.publish({
    subject: lifecycleSubjects.receipt(name),
    id: `${name}:${operationId}`,
    type: lifecycleTypes.receipt,
    body: {
      tenantId: 'acme',
      operationId,
      transition: 'suspended',
      receiptId: `${name}:${operationId}`,
      effectiveAt: new Date().toISOString(),
    },
  });

it(`of ${reports} reports holds up no settlement of another team`, async () => {
  const running = await world.start();
  const passed = jest.spyOn(running.ports, 'passedOver');
  const quiet = await answersAs('search-index');
  const flooding = await world.connect('storage');
  const begunAt = performance.now();
  /** What the budget lets through, with as much again for reports that are read before one is charged. */
  const readAtMost = (): number => 2 * reportBurst + ((performance.now() - begunAt) / 1_000) * reportsPerSecond;
  await world.announce('operation-1');
  const atOnce = 200;
  const flood = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, (_each, nth) => report(flooding, 'storage', `no-such-operation-${at + nth}`)),
      );
  };
  await flood(0, reports / 2);
  const rest = flood(reports / 2, reports);
  await eventually(
    async () => (await world.operation('operation-1')).deliveries.some(({ consumer }) => consumer === 'search-index'),
    { describe: 'the delivery' },
  );
  const startedAt = performance.now();
  expect(await report(quiet, 'search-index', 'operation-1')).toBe('acknowledged');
  await world.settlementOf('operation-1');
  const waitedMs = performance.now() - startedAt;
  await rest;
  await eventually(() => passed.mock.calls.length >= reports - readAtMost(), {
    describe: 'the flood is passed over',
  });
  expect(waitedMs).toBeLessThan(settledWithinMs);
});
