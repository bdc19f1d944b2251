/**
 * A person pauses a consumer: what is refused, what people see, and that registrations and broker losses do not end the
 * pause.
 */
import { consumersListSchema, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, type FakeWorld } from './testing/fake-world';
import { retryDeliveries } from './workflows/retry-deliveries';

describe('a pause', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    await world.register('storage');
  });
  afterEach(() => running.close());

  const act = (action: string, over: Record<string, unknown> = {}) =>
    world.operator.request(
      lifecycleRequests.act,
      { requestId: `${action}-1`, action, reason: 'a move', by: 'ann@example.com', consumer: 'storage', ...over },
      1_000,
    );
  const consumer = async () =>
    consumersListSchema.parse(await world.sendRequest(lifecycleRequests.consumers)).consumers[0]!;
  const waitingFor = async () =>
    (await world.sendRequest(lifecycleRequests.deliveries)).deliveries.map((each) => each['waitingFor']);
  const round = () => retryDeliveries(running.ports, world.store, { kind: 'due' });

  it('holds what comes meanwhile, names why it waits, and lets it leave with its resumption', async () => {
    expect(await act('pause')).toMatchObject({ ok: true, value: { paused: true } });
    await world.announce('operation-1');
    await world.broker.settle();
    world.clock.advance(300_000);
    expect(await round()).toMatchObject({ published: 0 });
    expect([await waitingFor(), world.sent('tenant.lifecycle')]).toEqual([['consumer_paused'], []]);
    expect(world.sent('lifecycle.settled')).toEqual([]);
    await act('resume');
    await world.broker.settle();
    await round();
    await world.broker.settle();
    expect(world.sent('tenant.lifecycle')).toHaveLength(1);
    expect(await waitingFor()).toEqual(['receipt']);
    const { paused, actions } = await consumer();
    expect(paused).toBeUndefined();
    expect(actions?.map(({ action, by }) => `${action} ${by}`)).toEqual([
      'pause ann@example.com',
      'resume ann@example.com',
    ]);
  });

  it('stays over a new registration, and over the loss of the broker’s data', async () => {
    await act('pause');
    await world.register('storage', ['created', 'suspended'], 'storage-2');
    await world.announce('operation-1');
    await world.broker.settle();
    world.broker.wipe();
    world.broker.applyTopology();
    world.clock.advance(300_000);
    expect(await round()).toMatchObject({ published: 0 });
    expect(await consumer()).toMatchObject({ paused: true, registeredBy: 'storage-2' });
  });

  it.each([
    ['of a consumer that is not registered', { consumer: 'search-index' }, 'unknown_consumer'],
    ['under an id that names another action', { requestId: 'pause-1' }, 'request_id_reused'],
    ['without a reason', { reason: ' ' }, 'invalid_request'],
  ])('or resumption %s is refused and changes nothing', async (_what, over, code) => {
    await act('pause');
    const before = await consumer();
    expect(await act('resume', over)).toMatchObject({ ok: false, error: { serverCode: code } });
    expect(await consumer()).toEqual(before);
  });

  it('that is asked for twice under its id is recorded once, also after a resumption', async () => {
    await act('pause');
    await act('resume');
    expect(await act('pause')).toMatchObject({ ok: true });
    expect((await consumer()).actions).toHaveLength(2);
    expect((await consumer()).paused).toBeUndefined();
  });
});
