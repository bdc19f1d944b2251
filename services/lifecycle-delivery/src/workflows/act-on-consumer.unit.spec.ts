/** A person's request about a consumer: what it answers, what it records and what it says in the log. */
import type { ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import { startService, type StartedService } from '../testing/started-service';
import { unregister } from '../testing/waivers';
import { actOnConsumer } from './act-on-consumer';
import type { DeliveryPorts } from './ports';

const asked: ActOnConsumer = {
  ...{ requestId: 'q-1', action: 'pause', reason: 'a move', by: 'ann@example.com', consumer: 'storage' },
};
const refusal = (code: string, message: string) => ({ ok: false, error: { code, message } });

describe('an action on a consumer', () => {
  let { world, running, ports } = {} as StartedService;
  const warn = jest.fn();
  beforeEach(async () => {
    ({ world, running, ports } = await startService());
    warn.mockClear();
    ports = { ...ports, log: { ...silentLog, warn } };
    world.clock.advance(60_000);
    await world.register('storage', ['suspended'], 'storage-1', { answersTests: true });
  });
  afterEach(() => running.close());

  const act = (over: Partial<ActOnConsumer> = {}, by: Partial<DeliveryPorts> = {}) =>
    actOnConsumer({ ...ports, ...by }, { ...asked, ...over });
  const record = () => ports.consumers.findById('storage');
  const since = requestedAt;

  it.each<[ActOnConsumer['action'], Partial<ActOnConsumer>, boolean]>([
    ['pause', {}, false],
    ['resume', {}, true],
    ['test', {}, false],
    ['replay', { since }, false],
  ])('is recorded once, logged once and answered with the consumer (%s)', async (action, over, resumed) => {
    const answered = await act({ action, ...over });
    expect(answered).toMatchObject({ ok: true, value: { consumer: { name: 'storage' }, resumed } });
    const fields = { consumer: 'storage', action, requestId: 'q-1', by: 'ann@example.com' };
    expect(warn.mock.calls).toEqual([[fields, 'a person acted on a lifecycle consumer']]);
    const written = await record();
    expect(await act({ action, ...over })).toEqual(answered);
    expect(await record()).toEqual(written);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(world.sent('tenant.lifecycle.test')).toHaveLength(action === 'test' ? 1 : 0);
  });

  it('that repeats a resumption after a later pause starts nothing', async () => {
    await act({ action: 'resume' });
    await act({ requestId: 'q-2' });
    expect(await act({ action: 'resume' })).toMatchObject({ ok: true, value: { resumed: false } });
  });

  it('on a name that is not registered, never or no more, is refused', async () => {
    const unknown = (name: string) => refusal('unknown_consumer', `${name} is not registered`);
    expect(await act({ consumer: 'stranger' })).toEqual(unknown('stranger'));
    await unregister(world, 'storage');
    expect(await act()).toEqual(unknown('storage'));
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[string, string, Partial<ActOnConsumer>, readonly Partial<ActOnConsumer>[]]>([
    ['request_id_reused', 'requestId q-1 names another action on storage', {}, [{ action: 'resume' }]],
    ['consumer_paused', 'nothing is sent to storage until it is resumed', { action: 'test' }, [{ requestId: 'q-0' }]],
    [
      'replay_running',
      'a replay of storage runs; one runs at a time',
      { action: 'replay', since },
      [{ requestId: 'q-0', action: 'replay', since }],
    ],
    ['no_replay', 'no replay of storage runs', { action: 'cancel_replay' }, []],
    ['since_not_past', 'since: must be before now', { action: 'replay', since: '2030-01-01T00:00:00.000Z' }, []],
    [
      'test_too_soon',
      'the last test of storage is less than 10 s old',
      { action: 'test' },
      [{ requestId: 'q-0', action: 'test' }],
    ],
  ])('is refused as %s, and changes nothing', async (code, message, over, before) => {
    for (const each of before) await act(each);
    const written = await record();
    warn.mockClear();
    expect(await act(over)).toEqual(refusal(code, message));
    expect(await record()).toEqual(written);
    expect(warn).not.toHaveBeenCalled();
  });

  it('that tests a consumer which answers no tests is refused', async () => {
    await world.register('legacy');
    const message = 'the registration of legacy does not say that it answers tests';
    expect(await act({ action: 'test', consumer: 'legacy' })).toEqual(refusal('tests_not_answered', message));
  });

  it('that may not be recorded, or whose test may not be sent, is to be asked again', async () => {
    expect(await act({}, { consumers: answering(ports, 'consumers', 'unknown').consumers })).toEqual(
      refusal('store_unavailable', 'it is not known whether the action is recorded; ask again'),
    );
    expect(await record()).not.toHaveProperty('actions');
    const deaf = { broker: { ...ports.broker, publish: async () => 'unknown' as const } };
    expect(await act({ action: 'test' }, deaf)).toEqual(
      refusal('broker_unavailable', 'the test is recorded, it is not known whether it is sent; ask again'),
    );
    expect(await act({ action: 'test' })).toMatchObject({ ok: true });
    expect(world.sent('tenant.lifecycle.test')).toHaveLength(1);
  });
});
