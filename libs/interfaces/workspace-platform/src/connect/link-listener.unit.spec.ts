/** A provisioning listener over a broker in memory: served before it is registered, and answering with codes only. */
import { setMaxListeners } from 'node:events';
import { listenerRequests, listenerSubjects } from '@platform/contracts-provisioning';
import { createManualClock, createSequentialIds, ok, silentLog, type Log } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createLatch, eventually } from '@platform/testing';
import {
  TenantProvisioningRefusal,
  type TenantProvisioningListener,
  type TenantProvisioningNotice,
} from '../tenant-lifecycle/provisioning-listener';
import { createMessagingPlatform } from './messaging-platform';

const notice = {
  event: 'TENANT_BEING_PROVISIONED',
  tenantId: 't-1',
  attemptId: 't-1',
  workspaceName: 'One',
  ownerUserId: 'user-1',
  planId: 'starter',
  extras: { note: 'canary' },
};

const connections: { detach(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.detach()));
});

function createWorld() {
  const clock = createManualClock();
  const broker = createFakeBroker({ clock });
  const requests: { subject: string; body: Record<string, unknown> }[] = [];
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const wait = async (_milliseconds: number, signal: AbortSignal) => {
    setMaxListeners(0, signal);
    await new Promise(setImmediate);
  };
  const platform = createMessagingPlatform({
    messaging: broker.connect('welcome-1'),
    instance: 'welcome-1',
    clock,
    monotonic: () => 0,
    ids: createSequentialIds(),
    log,
    wait,
    limits: { consumeTimeoutMs: 1_000, runsMax: 8 },
    stopGraceMs: 0,
  });
  const provisioning = broker.connect('provisioning');
  const serve = () =>
    provisioning.serve(
      { name: 'provisioning', version: '1.0.0', description: 'test' },
      [listenerRequests.register('welcome'), listenerRequests.unregister('welcome')].map((subject) => ({
        name: subject.replaceAll('.', '-'),
        subject,
        answer: async (body) => {
          requests.push({ subject, body: body as Record<string, unknown> });
          return subject === listenerRequests.register('welcome')
            ? ok({ name: 'welcome', replaced: false })
            : ok({ name: 'welcome', removed: true });
        },
      })),
    );
  const tell = (
    event: 'TENANT_BEING_PROVISIONED' | 'TENANT_DELETED',
    body: Record<string, unknown> = { ...notice, event },
  ) => provisioning.request(listenerSubjects[event]('welcome'), body, 1_000);
  const connect = (listener: TenantProvisioningListener) => {
    const connection = platform.connectListener(listener);
    connections.push(connection);
    return connection;
  };
  return { platform, connect, requests, serve, tell, logged };
}

const welcome = (over: Partial<TenantProvisioningListener> = {}): TenantProvisioningListener => ({
  name: 'welcome',
  onTenantBeingProvisioned: async () => undefined,
  ...over,
});

describe('a provisioning listener of this process', () => {
  it('is served before it is registered, and registered for what it handles', async () => {
    const world = createWorld();
    const connection = world.connect(welcome({ order: 7 }));
    await eventually(async () => (await world.tell('TENANT_BEING_PROVISIONED')).ok, {
      describe: 'the answer of the listener',
    });
    expect(world.requests).toEqual([]);
    await world.serve();
    await world.platform.ready();
    expect(world.requests[0]).toEqual({
      subject: listenerRequests.register('welcome'),
      body: {
        name: 'welcome',
        events: ['TENANT_BEING_PROVISIONED'],
        order: 7,
        registeredBy: 'welcome-1',
        renew: false,
      },
    });
    await eventually(() => world.requests.some(({ body }) => body['renew'] === true), { describe: 'the renewal' });
    await connection.detach();
    expect(await world.tell('TENANT_BEING_PROVISIONED')).toMatchObject({ ok: false, error: { code: 'no_responders' } });
  });

  it('gets the notice without the name of the event, and its success is the answer', async () => {
    const world = createWorld();
    const heard: TenantProvisioningNotice[] = [];
    await world.serve();
    world.connect(
      welcome({
        onTenantBeingProvisioned: async (notified) => void heard.push(notified),
        onTenantDeleted: async (notified) => void heard.push(notified),
      }),
    );
    await world.platform.ready();
    expect(await world.tell('TENANT_BEING_PROVISIONED')).toEqual({ ok: true, value: { done: true } });
    const { extras: _extras, ...deleted } = notice;
    expect(await world.tell('TENANT_DELETED', { ...deleted, event: 'TENANT_DELETED' })).toEqual({
      ok: true,
      value: { done: true },
    });
    const { event: _event, ...told } = notice;
    const { extras, ...withoutExtras } = told;
    expect(heard).toEqual([{ ...withoutExtras, extras }, withoutExtras]);
  });

  it.each([
    [
      'a refusal with a code',
      async () => {
        throw new TenantProvisioningRefusal('quota_exceeded', 'canary');
      },
      'quota_exceeded',
    ],
    [
      'a refusal with a code that is none',
      async () => {
        throw new TenantProvisioningRefusal('Quota: canary');
      },
      'listener_error',
    ],
    [
      'an error',
      async () => {
        throw new Error('canary');
      },
      'listener_error',
    ],
    [
      'an error before its first await',
      () => {
        throw new Error('canary');
      },
      'listener_error',
    ],
  ])(
    'that ends with %s answers a code, and its words leave neither by the broker nor by the log',
    async (_what, fail, code) => {
      const world = createWorld();
      await world.serve();
      world.connect(welcome({ onTenantBeingProvisioned: fail as () => Promise<void> }));
      await world.platform.ready();
      const answer = await world.tell('TENANT_BEING_PROVISIONED');
      expect(answer).toMatchObject({ ok: false, error: { serverCode: code } });
      expect(JSON.stringify([answer, world.logged])).not.toContain('canary');
    },
  );

  it('answers no notice that it cannot read, nor one of another event', async () => {
    const world = createWorld();
    let runs = 0;
    await world.serve();
    world.connect(welcome({ onTenantBeingProvisioned: async () => void (runs += 1) }));
    await world.platform.ready();
    for (const body of [{}, { ...notice, event: 'TENANT_DELETED' }, { ...notice, tenantId: 5 }]) {
      expect(await world.tell('TENANT_BEING_PROVISIONED', body)).toMatchObject({
        ok: false,
        error: { serverCode: 'notice_not_understood' },
      });
    }
    expect(runs).toBe(0);
  });

  it('that hangs is abandoned when this process stops, and answered as not done', async () => {
    const world = createWorld();
    const latch = createLatch();
    await world.serve();
    const connection = world.connect(welcome({ onTenantBeingProvisioned: () => latch.wait() }));
    await world.platform.ready();
    const answer = world.tell('TENANT_BEING_PROVISIONED');
    await connection.detach();
    expect(await answer).toMatchObject({ ok: false });
    latch.open();
  });

  it('is removed under the name of its instance', async () => {
    const world = createWorld();
    await world.serve();
    await world.platform.removeListener('welcome');
    expect(world.requests).toEqual([
      { subject: listenerRequests.unregister('welcome'), body: { name: 'welcome', registeredBy: 'welcome-1' } },
    ]);
  });

  it('goes on asking while the registration is refused', async () => {
    const world = createWorld();
    const connection = world.connect(welcome());
    await eventually(() => world.logged.length > 2, { describe: 'refused registrations' });
    await world.serve();
    await world.platform.ready();
    await connection.detach();
  });
});
