/**
 * Injects every fault at every port call of accepting, delivering, receiving, settling and retrying; also proves that
 * the sweep detects violations.
 */
import {
  lifecycleStreams,
  lifecycleSubjects,
  lifecycleTypes,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import type { Handle } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import {
  assertNoViolations,
  combineFaults,
  formatSweep,
  instrument,
  messagingFaults,
  proofSize,
  runSweep,
  storeFaults,
  type Scenario,
} from '@platform/testing';
import { assembleDelivery, type Relay } from './delivery';
import type { Delivery } from './domain/delivery';
import { onLifecycleMessage } from './messages/on-lifecycle-message';
import { onReceipt } from './messages/on-receipt';
import { registrationEndpoints } from './messages/serve-registration';
import { consumersCollection } from './store/consumers';
import { deletedTenantsCollection } from './store/deleted-tenants';
import { deliveriesCollection } from './store/deliveries';
import { messagesCollection } from './store/messages';
import { createSweepWorld, type SweepWorld } from './testing/sweep-world';
import type { DeliveryPorts } from './workflows/ports';
import { retryDeliveries, type RetryScope } from './workflows/retry-deliveries';

interface Life {
  readonly relay: Relay;
  round(scope: RetryScope): Promise<void>;
}

/** A law broken on purpose: other ports, or another handler of lifecycle messages. */
interface Mutation {
  readonly ports?: (ports: DeliveryPorts) => DeliveryPorts;
  readonly onMessage?: (ports: DeliveryPorts) => Handle;
}

const faultsFor = combineFaults<SweepWorld>(
  storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
  messagingFaults({ port: 'messaging' }),
);

/**
 * Known in advance: if a tape learned this only in its first run, that run would order concurrent calls differently.
 */
const asynchronous = [
  ...['publish', 'consume', 'serve', 'ensureDurable', 'removeDurable', 'streamStates'].map(
    (method) => `messaging.${method}`,
  ),
  ...[messagesCollection, deliveriesCollection, consumersCollection, deletedTenantsCollection].flatMap(({ name }) =>
    ['findById', 'find', 'count', 'insert', 'mutate', 'outbox.pending', 'outbox.confirm'].map(
      (method) => `store.collection(${name}).${method}`,
    ),
  ),
  'store.now',
];

function scenario(mutation: Mutation = {}): Scenario<SweepWorld, Life> {
  return {
    name: 'lifecycle delivery',
    createWorld: createSweepWorld,
    async boot(world, { tape }) {
      for (const name of asynchronous) tape.kinds.set(name, 'async');
      const store = instrument('store', world.store, tape);
      const messaging = instrument('messaging', await world.connect(), tape);
      const assembled = assembleDelivery({ store, messaging, clock: world.clock, random: () => 0, log: silentLog });
      const ports = mutation.ports?.(assembled.ports) ?? assembled.ports;
      await messaging.consume(
        { stream: lifecycleStreams.messages, durable: 'lifecycle-delivery' },
        (mutation.onMessage ?? onLifecycleMessage)(ports),
      );
      await messaging.consume({ stream: lifecycleStreams.receipts, durable: 'lifecycle-delivery' }, onReceipt(ports));
      await messaging.serve(
        { name: 'lifecycle-delivery', version: '0.1.0', description: 'sweep' },
        registrationEndpoints(ports, () => undefined),
      );
      // After a round that finds the store unreachable, another one follows; see retry-worker.
      const round = (scope: RetryScope): Promise<void> =>
        retryDeliveries(ports, store, scope).then(
          () => undefined,
          () => undefined,
        );
      return { relay: assembled.relay, round };
    },
    async act(life, world) {
      if (!(await world.register())) await world.register();
      await world.announceDeletion();
      await world.broker.settle();
      world.clock.advance(1_000);
      await world.announce();
      await world.broker.settle();
      world.clock.advance(301_000);
      await life.round({ kind: 'due' });
      await world.broker.settle();
    },
    async recover(life, world) {
      await world.register();
      await life.round({ kind: 'everything' });
      world.broker.redeliverAll();
      await world.announceDeletion();
      await world.broker.settle();
      for (let turn = 0; turn < 3; turn += 1) {
        world.clock.advance(301_000);
        await world.register();
        await world.announceDeletion();
        await world.announce();
        await life.relay.sweep();
        await life.round({ kind: 'due' });
        await world.broker.settle();
      }
    },
    check: (world) => world.check(),
    faultsFor,
  };
}

/** Publishes before the records exist: the effect without its intent. */
const effectFirst: Mutation = {
  onMessage: (ports) => async (message) => {
    const { operationId, tenantId, transition, requestedAt } = message.body as LifecycleMessage;
    if (transition === 'suspended') {
      await ports.broker.publish({
        subject: lifecycleSubjects.delivery(transition, 'storage'),
        id: `early:${operationId}`,
        type: lifecycleTypes.delivery,
        body: { tenantId, operationId, transition, requestedAt },
      });
    }
    return onLifecycleMessage(ports)(message);
  },
};

/** Counts every delivery as answered when it settles. */
const settledEarly: Mutation = {
  ports: (ports) => {
    const answered = (delivery: Delivery): Delivery =>
      ({
        ...delivery,
        status: 'succeeded',
        receipt: { receiptId: 'claimed', effectiveAt: delivery.createdAt, acceptedAt: delivery.createdAt },
      }) as Delivery;
    return {
      ...ports,
      hasOpenDelivery: async () => false,
      deliveries: {
        ...ports.deliveries,
        find: async (filter, options) =>
          (await ports.deliveries.find(filter, options)).map((one) => ('operationId' in filter ? answered(one) : one)),
      },
    };
  },
};

/** Writes a receipt over the stored one. */
const lastReceiptWins: Mutation = {
  ports: (ports) => {
    const reopen = (delivery: Delivery | null): Delivery | null =>
      delivery?.status === 'succeeded'
        ? ({ ...delivery, status: 'pending', nextAttemptAt: delivery.createdAt } as unknown as Delivery)
        : delivery;
    return {
      ...ports,
      deliveries: { ...ports.deliveries, findById: async (id) => reopen(await ports.deliveries.findById(id)) },
    };
  },
};

// Each test makes hundreds of runs; their duration is not checked.

const sample = { lean: 10, full: 150 };

describe('the crash sweep of lifecycle delivery', () => {
  it('finds no violation for any fault at any port call, nor for pairs of faults', async () => {
    const result = await runSweep(scenario(), { pairs: { seed: 20_260_101, sample } });
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(40);
    expect(result.pairs).toBe(proofSize(sample));
  });

  const unharmed = { k: 0, fault: 'none' };
  it.each([
    ['a message settles without its receipts', settledEarly, 'had given no receipt'],
    ['a later receipt replaces the first', lastReceiptWins, 'became'],
  ])('fails when %s', async (_law, mutation, violation) => {
    const result = await runSweep(scenario(mutation), { only: unharmed });
    expect(formatSweep([result])).toContain(violation);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });

  it('fails when a delivery leaves before its record, and a crash comes between the two', async () => {
    const { calls } = await runSweep(scenario(effectFirst), { only: unharmed });
    const early = calls.find(({ name }) => name === 'messaging.publish')!;
    const result = await runSweep(scenario(effectFirst), { only: { k: early.k, fault: 'crash_after' } });
    expect(formatSweep([result])).toContain('before its delivery was durable');
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
