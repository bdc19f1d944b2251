/**
 * Random histories against a model: announcements; consumers that register, leave, answer, fail, answer twice or for
 * other consumers; a broker that loses data, repeats or is unreachable; a store that loses answers; restarts; jumping
 * clocks.
 */
import { lifecycleRequests, lifecycleSubjects, lifecycleTypes } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { playedText, proofSize } from '@platform/testing';
import fc from 'fast-check';
import { waivePortsOf } from './cli/delivery-commands';
import { assembleDelivery } from './delivery';
import type { Delivery } from './domain/delivery';
import { onLifecycleMessage } from './messages/on-lifecycle-message';
import { onReceipt } from './messages/on-receipt';
import { registrationEndpoints } from './messages/serve-registration';
import { deliveriesCollection } from './store/deliveries';
import { messagesCollection } from './store/messages';
import { createFakeWorld, requestedAt } from './testing/fake-world';
import { commands, consumers, type Command, type Consumer } from './testing/model-commands';
import { waiverOf } from './testing/waivers';
import { deliveryWaiver } from './workflows/waive-delivery';
import type { DeliveryPorts } from './workflows/ports';
import { retryDeliveries } from './workflows/retry-deliveries';

/** One history on fakes; `check` throws at the first violation. */
async function createHistory() {
  const world = createFakeWorld();
  const deliveries = world.store.collection(deliveriesCollection);
  const messages = world.store.collection(messagesCollection);
  const firsts = new Map<string, string>();
  const required = new Map<string, string>();
  const waivers = new Set<string>();
  let waived = 0;
  let settledEarly: string | null = null;
  let ports: DeliveryPorts;
  let relay: ReturnType<typeof assembleDelivery>['relay'];
  let close = async (): Promise<void> => undefined;

  async function boot(): Promise<void> {
    await close();
    const messaging = world.broker.connect('lifecycle-delivery');
    ({ ports, relay } = assembleDelivery({
      store: world.store,
      messaging,
      clock: world.clock,
      random: () => 0,
      log: silentLog,
    }));
    await messaging.consume(
      { stream: 'LIFECYCLE', durable: 'lifecycle-delivery', concurrency: 4 },
      onLifecycleMessage(ports),
    );
    await messaging.consume(
      { stream: 'TENANT_RECEIPTS', durable: 'lifecycle-delivery', concurrency: 4 },
      onReceipt(ports),
    );
    await messaging.serve(
      { name: 'lifecycle-delivery', version: '1.0.0', description: 'model' },
      registrationEndpoints(ports, () => undefined),
    );
    close = () => messaging.close();
  }
  await world.operator.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, async ({ body, subject }) => {
    const { operationId } = body as { operationId: string };
    // A deletion requires no receipt: its settlement says that nothing more is delivered for the workspace.
    if (subject === lifecycleSubjects.tenantDeletedSettled) return { kind: 'ack' };
    const message = messages.all().find(({ _id }) => _id === operationId);
    const open = deliveries
      .all()
      .filter((one) => one.operationId === operationId && (one.status === 'pending' || one.status === 'failed'));
    if (message?.status !== 'settled' || open.length > 0) settledEarly = operationId;
    return { kind: 'ack' };
  });
  await boot();

  const finalOf = (delivery: Delivery): string | null =>
    delivery.status === 'succeeded'
      ? JSON.stringify(delivery.receipt)
      : delivery.status === 'skipped_deleted'
        ? 'skipped'
        : delivery.status === 'waived'
          ? JSON.stringify(delivery.resolution)
          : null;
  function check(): void {
    for (const delivery of deliveries.all()) {
      const states = [
        delivery.status === 'succeeded' && 'receipt' in delivery,
        delivery.status === 'pending' && 'nextAttemptAt' in delivery,
        delivery.status === 'failed' && 'lastError' in delivery && 'nextAttemptAt' in delivery,
        delivery.status === 'skipped_deleted',
        delivery.status === 'waived' && waivers.has(delivery._id),
      ];
      expect(states.filter(Boolean)).toHaveLength(1);
      const final = finalOf(delivery);
      if (firsts.has(delivery._id)) expect(final).toBe(firsts.get(delivery._id));
      if (final !== null) firsts.set(delivery._id, final);
    }
    for (const message of messages.all()) {
      const names = message.required.join();
      expect(required.get(message._id) ?? names).toBe(names);
      required.set(message._id, names);
    }
    expect(settledEarly).toBeNull();
  }

  const receiptOf = (command: Extract<Command, { consumer: Consumer; operation: number }>) => {
    const tenantId = messages.all().find(({ _id }) => _id === `operation-${command.operation}`)?.tenantId ?? 'acme';
    return { tenantId, operationId: `operation-${command.operation}`, transition: 'suspended' };
  };
  async function waive(command: Extract<Command, { kind: 'waive' }>): Promise<void> {
    const own = waivePortsOf(world.store, world.clock);
    const tool = {
      ...own,
      retryPolicy: { tries: 1, pause: async () => {} },
      ...(command.ends && { hasOpenDelivery: () => Promise.reject(new Error('the tool ended')) }),
    };
    const asked = waiverOf(`operation-${command.operation}`, command.consumer);
    const request = { ...asked, stillRegistered: command.stillRegistered };
    const planned = await deliveryWaiver.plan(tool, request).catch(() => null);
    if (!planned?.ok) return;
    // A write without an answer may have been applied.
    waivers.add(request.id);
    const recorded = await deliveryWaiver.record(tool, planned.value).catch(() => null);
    if (recorded?.ok) waived += 1;
  }
  async function run(command: Command): Promise<void> {
    switch (command.kind) {
      case 'announce':
        return void (await world.announce(`operation-${command.operation}`, 'suspended', command.tenant));
      case 'register':
        return void (await world.register(command.consumer));
      case 'unregister':
        return void (await world.consumers.request(
          lifecycleRequests.unregister(command.consumer),
          { name: command.consumer, registeredBy: `${command.consumer}-1` },
          1_000,
        ));
      case 'receipt':
        return void (await world.consumers.publish({
          subject: lifecycleSubjects.receipt(command.consumer),
          id: `r:${command.consumer}:${command.operation}:${command.take}`,
          type: lifecycleTypes.receipt,
          body: { ...receiptOf(command), receiptId: `take-${command.take}`, effectiveAt: requestedAt },
        }));
      case 'failure':
        return void (await world.consumers.publish({
          subject: lifecycleSubjects.receipt(command.consumer),
          id: `f:${command.consumer}:${command.operation}:${command.take}`,
          type: lifecycleTypes.deliveryFailed,
          body: { ...receiptOf(command), error: `take-${command.take}`, failedAt: requestedAt },
        }));
      case 'waive':
        return waive(command);
      case 'delete_tenant':
        return void (await world.announceDeleted(command.tenant));
      case 'settle':
        return void (await world.broker.settle());
      case 'wipe':
        world.broker.wipe();
        return world.broker.applyTopology();
      case 'redeliver':
        return world.broker.redeliverAll();
      case 'restart':
        return boot();
      case 'retry':
        return void (await retryDeliveries(ports, world.store, { kind: 'due' }).catch(() => undefined));
      case 'relay':
        return void (await relay.sweep());
      case 'lose_before':
        return world.store.loseNextWrite('before');
      case 'lose_after':
        return world.store.loseNextWrite('after');
      case 'store_away':
        return world.store.setAvailable(false);
      case 'broker_away':
        return world.broker.disconnect('lifecycle-delivery');
      case 'both_back':
        world.store.setAvailable(true);
        return world.broker.reconnect('lifecycle-delivery');
      case 'clock':
        return world.clock.advance(command.seconds * 1_000);
    }
  }

  /** All faults end, every consumer is present and answers: no delivery may remain open. */
  async function heal(): Promise<void> {
    await run({ kind: 'both_back' });
    await run({ kind: 'settle' });
    for (const name of consumers) {
      await run({ kind: 'register', consumer: name });
      await world.consumeAll(name, []);
    }
    await boot();
    for (let round = 0; round < 3; round += 1) {
      world.clock.advance(4_200_000);
      for (const name of consumers) await run({ kind: 'register', consumer: name });
      await retryDeliveries(ports, world.store, { kind: 'everything' });
      await relay.sweep();
      await world.broker.settle();
      check();
    }
    expect(deliveries.all().filter(({ status }) => status === 'pending' || status === 'failed')).toEqual([]);
    expect(messages.all().filter(({ status }) => status !== 'settled')).toEqual([]);
  }
  return { run, check, heal, close: () => close(), count: () => deliveries.all().length, waived: () => waived };
}

const sizes = { lean: 60, full: 300 };
const runs = proofSize(sizes);
// The verdict does not depend on the duration of the histories.

describe('the model of lifecycle delivery', () => {
  it(`holds in ${runs} random histories: one state each, first receipts stay, who is required is fixed, and all settles in the end`, async () => {
    let steps = 0;
    let delivered = 0;
    let waived = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { minLength: 20, maxLength: 80, size: 'max' }), async (history) => {
        const running = await createHistory();
        for (const command of history) {
          await running.run(command);
          running.check();
          steps += 1;
        }
        await running.heal();
        delivered += running.count();
        waived += running.waived();
        await running.close();
      }),
      { numRuns: runs, seed: 20_260_101, endOnFailure: false },
    );
    process.stdout.write(
      `delivery model: ${playedText(runs, sizes, 'histories')}, ${steps} commands, ${delivered} deliveries, ${waived} waivers, 0 violations\n`,
    );
    expect(delivered).toBeGreaterThan((runs * 5) / 3);
    expect(waived).toBeGreaterThan(0);
  });
});
