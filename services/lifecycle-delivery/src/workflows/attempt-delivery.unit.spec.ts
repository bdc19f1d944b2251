/** The outcome of one further attempt: what is written, what is published, and what is known of it. */
import { InvariantError } from '@platform/kernel';
import { deliveryIdOf, isOpen, type OpenDelivery } from '../domain/delivery';
import { answering } from '../testing/answering';
import { startWithDelivery, type StartedService } from '../testing/started-service';
import { attemptDelivery } from './attempt-delivery';
import type { DeliveryPorts } from './ports';

const id = deliveryIdOf('operation-1', 'storage');

describe('a further attempt', () => {
  let { world, running, ports } = {} as StartedService;
  beforeEach(async () => {
    ({ world, running, ports } = await startWithDelivery());
    world.clock.advance(300_000);
  });
  afterEach(() => running.close());

  const stored = () => ports.deliveries.findById(id);
  async function attempt(over: DeliveryPorts = ports) {
    const delivery = await stored();
    if (!delivery || !isOpen(delivery)) throw new InvariantError('it has ended');
    return attemptDelivery(over, delivery, world.clock.now());
  }
  const sent = () => world.sent('tenant.lifecycle').map((message) => message.id);
  const deaf = (): DeliveryPorts => ({ ...ports, broker: { ...ports.broker, publish: async () => 'unknown' } });

  it('is on record, due again five minutes later, and published under its number', async () => {
    expect(await attempt()).toBe('published');
    const now = world.clock.now();
    expect(await stored()).toMatchObject({
      ...{ status: 'pending', attemptCount: 2, attemptedAt: now },
      nextAttemptAt: new Date(now.getTime() + 300_000),
    });
    expect(sent()).toEqual([`delivery:${id}:1`, `delivery:${id}:2`]);
  });

  it('that the broker did not acknowledge is on record, and not confirmed', async () => {
    expect(await attempt(deaf())).toBe('unconfirmed');
    expect(await stored()).toMatchObject({ attemptCount: 2 });
  });

  it.each([
    ['not_applied', 'lost_race'],
    ['unknown', 'unconfirmed'],
  ] as const)('whose write is %s publishes nothing: %s', async (outcome, result) => {
    expect(await attempt(answering(ports, 'deliveries', outcome))).toBe(result);
    expect(sent()).toEqual([`delivery:${id}:1`]);
  });

  describe('for a deleted tenant', () => {
    beforeEach(async () => {
      await ports.deletedTenants.insert({ _id: 'acme', operationId: 'delete-acme', deletedAt: new Date(0) });
    });

    it('ends the delivery, and publishes nothing', async () => {
      expect(await attempt()).toBe('skipped_deleted');
      expect(await stored()).toMatchObject({
        status: 'skipped_deleted',
        skippedAt: world.clock.now(),
        attemptCount: 1,
      });
      expect(sent()).toEqual([`delivery:${id}:1`]);
    });

    it.each([
      ['not_applied', 'lost_race'],
      ['unknown', 'skip_unconfirmed'],
    ] as const)('whose write is %s is known as %s', async (outcome, result) => {
      expect(await attempt(answering(ports, 'deliveries', outcome))).toBe(result);
      expect(((await stored()) as OpenDelivery).status).toBe('pending');
    });
  });
});
