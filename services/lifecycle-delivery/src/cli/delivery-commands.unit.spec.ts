/** What the off-line lists say about deliveries and consumers, in lines for people. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import type { OfflineWork } from '@platform/durable/investigation';
import { createFakeWorld, type FakeWorld } from '../testing/fake-world';
import type { OpsCommand } from './arguments';
import { runDeliveryCommand } from './delivery-commands';

async function linesOf({ store, clock }: FakeWorld, asked: OpsCommand): Promise<string[]> {
  const printed: string[] = [];
  const terminal = { print: (text: string) => void printed.push(...text.split('\n')) };
  await runDeliveryCommand(asked, { store, clock, terminal } as unknown as OfflineWork);
  return printed;
}

describe('an off-line list', () => {
  let world: FakeWorld;
  let close: () => Promise<void>;
  beforeEach(async () => {
    world = createFakeWorld();
    ({ close } = await world.boot());
    await world.register('storage', ['suspended'], 'storage-1\nbilling  unregistered by billing-1');
    await world.announce('operation-1');
    await world.broker.settle();
  });
  afterEach(() => close());

  it('gives a line break in the words of a team no row of its own', async () => {
    await world.failure('storage', 'operation-1', 'no\n2026-01-01T00:00:00.000Z  operation-2  succeeded', 'f-1');
    await world.broker.settle();
    expect(await linesOf(world, { kind: 'list', statuses: ['failed'], json: false })).toEqual([
      expect.stringMatching(/operation-1 .* no 2026-01-01T00:00:00.000Z {2}operation-2 {2}succeeded$/) as string,
    ]);
    expect(await linesOf(world, { kind: 'consumers', json: false })).toEqual([
      expect.stringMatching(/^storage {2}registered by storage-1 billing/) as string,
    ]);
  });

  it('of consumers says who is paused, and whose receipts were refused and why', async () => {
    await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-1');
    await world.broker.settle();
    const pause = { consumer: 'storage', requestId: 'p-1', action: 'pause', reason: 'a move', by: 'ann@example.com' };
    await world.sendRequest(lifecycleRequests.act, pause);
    const [line] = await linesOf(world, { kind: 'consumers', json: false });
    expect(line).toContain(', paused');
    expect(line).toMatch(
      /1 delivery waits.* 1 receipt refused, the last .*: tenantId globex is not the delivery's acme$/,
    );
  });
});
