/** A person registers or removes the endpoint of a team: the record, the durable, the answer and the log. */
import { lifecycleLimits, lifecycleStreams, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { answering } from '../testing/answering';
import { createHttpWorld, team, urlOf } from '../testing/http-world';
import { actOnConsumer } from './act-on-consumer';
import type { DeliveryPorts } from './ports';
import { durableOf, registerConsumer } from './register-consumer';

const endpoint = { url: urlOf(team), secretRef: team, transitions: ['suspended' as const], answersTests: true };
const registration: ActOnConsumer = {
  ...{ requestId: 'q-1', action: 'register_endpoint', reason: 'a new team', by: 'ann@example.com', consumer: team },
  endpoint,
};
const { endpoint: _endpoint, ...unnamed } = registration;
const removal: ActOnConsumer = { ...unnamed, requestId: 'q-2', action: 'remove_endpoint' };
const refusal = (code: string, message: string) => ({ ok: false, error: { code, message } });
const overBroker = { name: team, transitions: ['suspended' as const], registeredBy: 'billing-1', renew: false };

describe('the endpoint of a team', () => {
  let ports: DeliveryPorts;
  const warn = jest.fn();
  const ensureDurable = jest.fn();
  const removeDurable = jest.fn();
  beforeEach(async () => {
    const made = await createHttpWorld().ports({ ...silentLog, warn });
    ensureDurable.mockReset().mockImplementation(made.broker.ensureDurable);
    removeDurable.mockReset().mockImplementation(made.broker.removeDurable);
    warn.mockReset();
    ports = { ...made, broker: { ...made.broker, ensureDurable, removeDurable } };
  });

  const act = (asked: ActOnConsumer, over: Partial<DeliveryPorts> = {}) => actOnConsumer({ ...ports, ...over }, asked);
  const register = (over: Partial<ActOnConsumer> = {}) => act({ ...registration, ...over });
  const record = () => ports.consumers.findById(team);
  const counting = (count: number): Partial<DeliveryPorts> => ({
    consumers: { ...ports.consumers, count: async () => count },
  });
  const done = (status: 'registered' | 'unregistered', resumed: boolean) => ({
    ok: true,
    value: { consumer: { name: team, status }, resumed },
  });
  const logged = ({ action, requestId, by }: ActOnConsumer) => [
    { consumer: team, action, requestId, by },
    'a person acted on the endpoint of a lifecycle consumer',
  ];

  it('is registered and removed once each, with the durable that its courier reads', async () => {
    expect(await register()).toMatchObject(done('registered', true));
    expect(ensureDurable.mock.calls).toEqual([[durableOf(team)]]);
    expect(warn.mock.calls).toEqual([logged(registration)]);
    const registered = await record();
    expect(await register()).toMatchObject(done('registered', false));
    expect(await record()).toEqual(registered);
    expect(removeDurable).not.toHaveBeenCalled();
    expect(await act(removal)).toMatchObject(done('unregistered', false));
    expect(removeDurable.mock.calls).toEqual([[lifecycleStreams.deliveries, team]]);
    expect(await act(removal)).toMatchObject(done('unregistered', false));
    expect(removeDurable).toHaveBeenCalledTimes(2);
    expect(ensureDurable).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([logged(registration), logged(removal)]);
  });

  it('that changes makes nothing due while its durable is there; one that comes back does', async () => {
    await register();
    expect(await register({ requestId: 'q-3' })).toMatchObject(done('registered', false));
    removeDurable.mockRejectedValue(new Error('no broker'));
    expect(await act(removal)).toMatchObject(done('unregistered', false));
    expect(await register({ requestId: 'q-4' })).toMatchObject(done('registered', true));
  });

  it('that comes back during a pause makes nothing due', async () => {
    await register();
    await act({ ...unnamed, requestId: 'q-3', action: 'pause' });
    await act(removal);
    expect(await register({ requestId: 'q-4' })).toMatchObject(done('registered', false));
  });

  it('that was removed before its consumer registered over the broker takes no durable of that one', async () => {
    await register();
    await act(removal);
    expect(await registerConsumer(ports, overBroker)).toMatchObject({ ok: true });
    removeDurable.mockClear();
    expect(await act(removal)).toMatchObject(done('registered', false));
    expect(removeDurable).not.toHaveBeenCalled();
  });

  it('at an address that is not allowed is refused with the objection, and nothing is recorded', async () => {
    const url = 'https://10.0.0.1/';
    const objection = ports.endpoints.objectionTo(url);
    expect(objection).toEqual(expect.any(String));
    expect(await register({ endpoint: { ...endpoint, url } })).toEqual(refusal('endpoint_not_allowed', objection!));
    expect([await record(), warn.mock.calls]).toEqual([null, []]);
  });

  it('is refused where it cannot be, with the reason', async () => {
    const none = refusal('no_endpoint', 'billing has no endpoint');
    expect(await act(removal)).toEqual(none);
    await register();
    expect(await register({ by: 'bob@example.com' })).toEqual(
      refusal('request_id_reused', 'requestId q-1 names another action on billing'),
    );
    await act(removal);
    await registerConsumer(ports, overBroker);
    warn.mockClear();
    const served = 'billing is registered over the broker; it must unregister first';
    expect(await register({ requestId: 'q-3' })).toEqual(refusal('served_by_broker', served));
    expect(await act({ ...removal, requestId: 'q-4' })).toEqual(none);
    expect(warn).not.toHaveBeenCalled();
  });

  it('of a new name is refused when as many are registered as can be; a known one changes', async () => {
    const { consumers } = lifecycleLimits;
    const message = `at most ${consumers} can be registered`;
    expect(await act(registration, counting(consumers))).toEqual(refusal('too_many_consumers', message));
    expect(await record()).toBeNull();
    expect(await act(registration, counting(consumers - 1))).toMatchObject({ ok: true });
    expect(await act({ ...registration, requestId: 'q-3' }, counting(consumers))).toMatchObject({ ok: true });
  });

  it('that may not be recorded, or has no durable yet, is to be asked for again', async () => {
    await register();
    warn.mockClear();
    expect(await act(removal, { consumers: answering(ports, 'consumers', 'unknown').consumers })).toEqual(
      refusal('store_unavailable', 'it is not known whether the action is recorded; ask again'),
    );
    expect(warn).not.toHaveBeenCalled();
    ensureDurable.mockRejectedValueOnce(new Error('no stream'));
    expect(await register()).toEqual(
      refusal('broker_unavailable', 'the registration is recorded, its durable could not be made now; ask again'),
    );
    const fields = { consumer: team, error: 'Error: no stream' };
    expect(warn.mock.calls).toEqual([[fields, 'the durable of an endpoint could not be made']]);
  });
});
