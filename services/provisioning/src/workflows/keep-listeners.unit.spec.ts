import { listenerLimits, listenerRequests, type RegisterListener } from '@platform/contracts-provisioning';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { listenerEndpoints } from '../messages/serve-listeners';
import { createWorkspace } from './create-workspace';
import { registerListener, unregisterListener } from './keep-listeners';

const wanted = (over: Partial<RegisterListener> = {}): RegisterListener => ({
  name: 'welcome',
  events: ['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'],
  order: 100,
  registeredBy: 'welcome-1',
  renew: false,
  ...over,
});
const by = (registeredBy: string) => ({ name: 'welcome', registeredBy });

async function open(listeners: readonly string[] = []) {
  const world: ProvisioningWorld = await createProvisioningWorld({ listeners });
  const { ports } = bootProvisioning(world);
  return { world, ports, standing: () => ports.listeners.findById('welcome') };
}

describe('a registration of a provisioning listener', () => {
  it('is recorded once, and a repeat of its instance writes nothing', async () => {
    const { ports, standing } = await open();
    expect(await registerListener(ports, wanted())).toEqual({ ok: true, value: { name: 'welcome', replaced: false } });
    const first = await standing();
    expect(await registerListener(ports, wanted())).toEqual({ ok: true, value: { name: 'welcome', replaced: false } });
    expect(await standing()).toEqual(first);
  });

  it.each([
    ['another instance', { registeredBy: 'welcome-2' }],
    ['another order', { order: 1 }],
    ['other events', { events: ['TENANT_DELETED'] as RegisterListener['events'] }],
  ])('is replaced by a later one with %s, and that is logged', async (_what, over) => {
    const { world, ports, standing } = await open();
    await registerListener(ports, wanted());
    expect(await registerListener(ports, wanted(over))).toEqual({
      ok: true,
      value: { name: 'welcome', replaced: true },
    });
    expect(await standing()).toMatchObject(over);
    const { name: listener, events, order, registeredBy } = wanted(over);
    expect(world.logged).toEqual([
      { listener, former: 'welcome-1', registeredBy, events, order },
      'a provisioning listener was replaced by a later registration of its name',
    ]);
  });

  it('is left to its maker by a renewal, and restored by one when it is gone', async () => {
    const { ports, standing } = await open();
    await registerListener(ports, wanted());
    expect(await registerListener(ports, wanted({ registeredBy: 'welcome-2', renew: true }))).toMatchObject({
      value: { replaced: false },
    });
    expect(await standing()).toMatchObject({ registeredBy: 'welcome-1' });
    await unregisterListener(ports, by('welcome-1'));
    expect(await registerListener(ports, wanted({ registeredBy: 'welcome-2', renew: true }))).toMatchObject({
      value: { replaced: false },
    });
    expect(await standing()).toMatchObject({ status: 'registered', registeredBy: 'welcome-2' });
  });

  it.each([
    ['an event more', { events: ['TENANT_DELETED'] as RegisterListener['events'] }],
    ['another order', { order: 1 }],
  ])('of a new release with %s is not taken back by a renewal of the old one', async (_what, over) => {
    const { world, ports, standing } = await open();
    await registerListener(ports, wanted(over));
    await registerListener(ports, wanted({ registeredBy: 'welcome-2' }));
    const renewed = wanted({ ...over, renew: true });
    world.logged.length = 0;
    expect(await registerListener(ports, renewed)).toEqual({ ok: true, value: { name: 'welcome', replaced: false } });
    const { events, order } = wanted();
    expect(await standing()).toMatchObject({ events, order, registeredBy: 'welcome-2' });
    expect(world.logged).toEqual([]);
  });

  it('is removed by the instance that registered last, once, and by no other', async () => {
    const { world, ports, standing } = await open();
    await registerListener(ports, wanted());
    expect(await unregisterListener(ports, by('welcome-2'))).toEqual({
      ok: true,
      value: { name: 'welcome', removed: false },
    });
    expect(await standing()).toMatchObject({ status: 'registered' });
    expect(await unregisterListener(ports, by('welcome-1'))).toEqual({
      ok: true,
      value: { name: 'welcome', removed: true },
    });
    expect(await standing()).toMatchObject({ status: 'unregistered' });
    expect(await unregisterListener(ports, by('welcome-1'))).toEqual({
      ok: true,
      value: { name: 'welcome', removed: false },
    });
    expect(await unregisterListener(ports, { name: 'unknown', registeredBy: 'x' })).toMatchObject({
      value: { removed: false },
    });
    expect(world.logged).toEqual([
      { listener: 'welcome', registeredBy: 'welcome-1' },
      'a provisioning listener was removed',
    ]);
  });

  it('takes the place of one that was removed when the limit was reached', async () => {
    const { ports } = await open();
    for (let at = 0; at < listenerLimits.listeners; at += 1)
      await registerListener(ports, wanted({ name: `listener-${at}` }));
    expect(await registerListener(ports, wanted())).toMatchObject({ error: { code: 'too_many_listeners' } });
    await unregisterListener(ports, { name: 'listener-3', registeredBy: 'welcome-1' });
    expect(await registerListener(ports, wanted())).toEqual({ ok: true, value: { name: 'welcome', replaced: false } });
  });

  it('is refused beyond the limit, also for a name that had been removed', async () => {
    const { ports } = await open();
    await registerListener(ports, wanted());
    await unregisterListener(ports, by('welcome-1'));
    for (let at = 0; at < listenerLimits.listeners; at += 1)
      await registerListener(ports, wanted({ name: `listener-${at}` }));
    for (const name of ['welcome', 'one-more'])
      expect(await registerListener(ports, wanted({ name }))).toMatchObject({
        ok: false,
        error: { code: 'too_many_listeners' },
      });
    expect(await registerListener(ports, wanted({ name: 'listener-3', order: 3 }))).toMatchObject({ ok: true });
  });

  it('of two instances at once leaves one, as one of them wrote it', async () => {
    const { ports, standing } = await open();
    const answers = await Promise.all(
      ['welcome-1', 'welcome-2'].map((registeredBy) => registerListener(ports, wanted({ registeredBy }))),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(['welcome-1', 'welcome-2']).toContain((await standing())?.registeredBy);
  });

  it('is asked from its registration on and until its removal, by its order', async () => {
    const { world, ports } = await open(['storage', 'welcome']);
    await unregisterListener(ports, { name: 'welcome', registeredBy: 'test' });
    await createWorkspace(ports, creationRequest({ tenantId: 't-1' }));
    await registerListener(ports, wanted({ order: 0 }));
    await registerListener(ports, wanted({ name: 'storage', order: 1 }));
    await createWorkspace(ports, creationRequest({ tenantId: 't-2' }));
    expect(world.heard.map(({ listener, notice }) => `${notice['tenantId'] as string} ${listener}`)).toEqual([
      't-1 storage',
      't-2 welcome',
      't-2 storage',
    ]);
  });
});

describe('the requests by which listeners register', () => {
  const ask = async (away = false) => {
    const { world, ports } = await open();
    if (away) world.store.setAvailable(false);
    const endpoints = listenerEndpoints(ports);
    return (verb: 'register' | 'unregister', body: unknown, as = 'welcome') =>
      endpoints
        .find((endpoint) => endpoint.subject === listenerRequests[verb]('*'))!
        .answer(body, listenerRequests[verb](as));
  };

  it.each<[string, Record<string, unknown>, string]>([
    ['a name that is none', wanted({ name: 'X' }) as never, '/name'],
    ['no events', { ...wanted(), events: [] }, '/events'],
    ['an event twice', { ...wanted(), events: ['TENANT_DELETED', 'TENANT_DELETED'] }, '/events'],
    ['an unknown event', { ...wanted(), events: ['TENANT_RENAMED'] }, '/events/0'],
    ['an order out of range', { ...wanted(), order: 1_001 }, '/order'],
    ['no instance that registers', { ...wanted(), registeredBy: '' }, '/registeredBy'],
  ])('refuse %s and say where', async (_what, body, where) => {
    expect(await (await ask())('register', body)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining(where) },
    });
  });

  it('refuse a body that speaks of another than who asks', async () => {
    const on = await ask();
    expect(await on('register', wanted(), 'intruder')).toMatchObject({ ok: false, error: { code: 'foreign_name' } });
    expect(await on('unregister', by('welcome-1'), 'intruder')).toMatchObject({
      ok: false,
      error: { code: 'foreign_name' },
    });
  });

  it('take the order as 100 when none is said', async () => {
    const { name, events, registeredBy } = wanted();
    expect(await (await ask())('register', { name, events, registeredBy })).toEqual({
      ok: true,
      value: { name, replaced: false },
    });
  });

  it('are refused while the store is unreachable', async () => {
    const on = await ask(true);
    expect(await on('register', wanted())).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
    expect(await on('unregister', by('welcome-1'))).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
  });
});
