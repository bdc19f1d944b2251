/** A registration over the broker: its answer, its durable, and what the log says of it. */
import { lifecycleLimits, type RegisterConsumer } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { decideRegistration, requiredFor } from '../domain/consumer';
import { createHttpWorld, team, urlOf } from '../testing/http-world';
import { actOnConsumer } from './act-on-consumer';
import type { DeliveryPorts } from './ports';
import { refuseReport } from './refuse-report';
import { registerConsumer, unregisterConsumer } from './register-consumer';

const registration: RegisterConsumer = {
  ...{ name: team, transitions: ['suspended'], registeredBy: 'billing-1', renew: false, version: 2 },
};
const registered = { name: team, stream: 'TENANT_LIFECYCLE', durable: team };

describe('a registration over the broker', () => {
  let ports: DeliveryPorts;
  const info = jest.fn();
  const warn = jest.fn();
  const ensureDurable = jest.fn();
  const removeDurable = jest.fn();
  beforeEach(async () => {
    for (const mock of [info, warn, ensureDurable, removeDurable]) mock.mockReset();
    const made = await createHttpWorld().ports({ ...silentLog, info, warn });
    ensureDurable.mockImplementation(made.broker.ensureDurable);
    removeDurable.mockImplementation(made.broker.removeDurable);
    ports = { ...made, broker: { ...made.broker, ensureDurable, removeDurable } };
  });

  const register = (over: Partial<RegisterConsumer> = {}) => registerConsumer(ports, { ...registration, ...over });
  const unregister = (registeredBy = 'billing-1') => unregisterConsumer(ports, { name: team, registeredBy });
  const fields = { consumer: team, transitions: ['suspended'], registeredBy: 'billing-1' };

  it('names the durable that it made, and is logged when it changes the record', async () => {
    const value = { ...registered, replaced: false };
    expect(await register()).toStrictEqual({ ok: true, value: { ...value, returned: true } });
    const durable = {
      ...{ stream: 'TENANT_LIFECYCLE', durable: team, filterSubjects: ['tenant.lifecycle.*.billing'] },
      ...{ ackWaitMs: 30_000, maxAckPending: 256 },
    };
    expect(ensureDurable.mock.calls).toEqual([[durable]]);
    expect(await register()).toStrictEqual({ ok: true, value: { ...value, returned: false } });
    expect(info.mock.calls).toEqual([[fields, 'lifecycle consumer registered']]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('is required from its answer on, also when two at once exceed the limit', async () => {
    const at = ports.clock.now();
    const fill = async (index: number): Promise<void> => {
      const { next } = decideRegistration(null, { ...registration, name: `a-team-${index}` }, at);
      await ports.consumers.insert(next!);
    };
    for (let index = 0; index < lifecycleLimits.consumers - 1; index += 1) await fill(index);
    const names = ['y-team', 'z-team'];
    const answers = await Promise.all(names.map((name) => register({ name })));
    const accepted = names.filter((_name, index) => answers[index]!.ok);
    expect(requiredFor('suspended', await ports.readConsumers())).toEqual(expect.arrayContaining(accepted));
    expect(await register({ name: 'one-more' })).toMatchObject({ error: { code: 'too_many_consumers' } });
  });

  it('that replaces a former one says so, with the instance of that one', async () => {
    await register();
    info.mockClear();
    const over = { registeredBy: 'billing-2' };
    expect(await register(over)).toStrictEqual({ ok: true, value: { ...registered, replaced: true, returned: false } });
    expect(info).not.toHaveBeenCalled();
    expect(warn.mock.calls).toEqual([
      [{ ...fields, ...over, formerlyBy: 'billing-1' }, 'lifecycle consumer registration replaced by a later one'],
    ]);
  });

  it('of an older release with other transitions learns that a later one is in force', async () => {
    await register();
    expect(await register({ version: 1, transitions: ['created'] })).toStrictEqual({
      ok: true,
      value: { ...registered, replaced: false, returned: false, superseded: true },
    });
  });

  it.each([
    ['that changes nothing', {}],
    ['that replaces the former one', { registeredBy: 'billing-2' }],
    ['of an older release', { version: 1 }],
  ])('%s names the reports that were refused', async (_which, over) => {
    await register();
    const { now } = ports.clock;
    await refuseReport(ports, { consumer: team, reportId: 'r-1', reason: 'no JSON' });
    const refusedReceipts = { count: 1, last: { at: now().toISOString(), reason: 'no JSON' } };
    expect(await register(over)).toMatchObject({ ok: true, value: { ...registered, refusedReceipts } });
  });

  it('comes back after an orderly end, also where its durable has stayed', async () => {
    await register();
    removeDurable.mockRejectedValue(new Error('no broker'));
    expect(await unregister()).toEqual({ ok: true, value: { name: team, removed: true } });
    expect(warn.mock.calls).toEqual([
      [{ consumer: team, error: 'Error: no broker' }, 'the durable of an unregistered consumer could not be removed'],
    ]);
    expect(info.mock.calls.at(-1)).toEqual([
      { consumer: team, registeredBy: 'billing-1' },
      'lifecycle consumer unregistered',
    ]);
    expect(await register()).toStrictEqual({ ok: true, value: { ...registered, replaced: false, returned: true } });
  });

  it('is ended by its own instance alone, and takes its durable with it each time it is asked', async () => {
    await register();
    info.mockClear();
    expect(await unregister('billing-9')).toEqual({ ok: true, value: { name: team, removed: false } });
    expect(removeDurable).not.toHaveBeenCalled();
    expect(info).not.toHaveBeenCalled();
    await unregister();
    expect(await unregister()).toEqual({ ok: true, value: { name: team, removed: false } });
    expect(removeDurable.mock.calls).toEqual(Array(2).fill(['TENANT_LIFECYCLE', team]));
    expect(info).toHaveBeenCalledTimes(1);
  });

  it('without a durable is refused, and the log says why', async () => {
    ensureDurable.mockRejectedValue(new Error('no stream'));
    const message = 'the registration is recorded, its durable could not be made now; ask again';
    expect(await register()).toEqual({ ok: false, error: { code: 'broker_unavailable', message } });
    expect(warn.mock.calls).toEqual([
      [
        { consumer: team, error: 'Error: no stream' },
        'the durable of a registered consumer could not be made; it will ask again',
      ],
    ]);
  });

  it('of a name that is served over HTTP is refused, and changes nothing', async () => {
    const endpoint = { url: urlOf(team), secretRef: team, transitions: ['suspended' as const] };
    const asked = { requestId: 'q-1', reason: 'a new team', by: 'ann@example.com', consumer: team, endpoint };
    await actOnConsumer(ports, { ...asked, action: 'register_endpoint' });
    const before = await ports.consumers.findById(team);
    const message = 'a person registered an endpoint for this name';
    expect(await register()).toEqual({ ok: false, error: { code: 'served_over_http', message } });
    expect(await ports.consumers.findById(team)).toEqual(before);
  });
});
