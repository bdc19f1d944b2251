import type { Log } from '@platform/kernel';
import { createTenantLifecycleRegistry, type TenantLifecycleRegistry } from './registry';
import type { TenantLifecyclePlatform } from './platform';
import type { TenantProvisioningListener } from './provisioning-listener';
import type { TenantLifecycleConsumer } from './types';

const consumer = (name: string, over: Partial<TenantLifecycleConsumer> = {}): TenantLifecycleConsumer => ({
  name,
  transitions: ['created'],
  consume: async () => ({ receiptId: 'r', effectiveAt: new Date(0) }),
  ...over,
});

/** A platform that records what it receives, in order. */
function createRecordingPlatform(removal: () => Promise<void> = async () => undefined) {
  const notified: string[] = [];
  /** One entry for each connected listener. */
  const served: (() => void)[] = [];
  const log: Log = {
    debug() {},
    info() {},
    warn: (_fields, message) => void notified.push(`warn ${message}`),
    error: (fields, message) => void notified.push(`error ${message} ${JSON.stringify(fields)}`),
  };
  const platform: TenantLifecyclePlatform = {
    log,
    connectConsumer({ name, transitions }) {
      notified.push(`connect ${name} ${transitions.join()}`);
      return { detach: async () => void notified.push(`detach ${name}`) };
    },
    async removeConsumer(name) {
      await removal();
      notified.push(`remove ${name}`);
    },
    connectListener({ name, order }) {
      let settle = (): void => undefined;
      const registered = new Promise<void>((resolve) => (settle = resolve));
      served.push(settle);
      notified.push(`serve ${name} ${order ?? 'as ever'}`);
      return { stands: registered, detach: async () => void notified.push(`silence ${name}`) };
    },
    async removeListener(name) {
      await removal();
      notified.push(`remove ${name}`);
    },
    decideAccess: async () => ({ state: 'unknown' }),
    isProvisioningCommitted: async (tenantId) => tenantId === 'acme',
    listTenants: async () => ({ tenants: [] }),
    ready: async () => undefined,
  };
  return { platform, notified, served };
}

describe('the registry of tenant lifecycle consumers', () => {
  let registry: TenantLifecycleRegistry;
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    registry = createTenantLifecycleRegistry((message) => warnings.push(message));
  });

  it('keeps what registers before a platform is there, and replays it at attach and at every further attach', async () => {
    registry.register(consumer('storage'));
    registry.register(consumer('search-index', { transitions: ['created', 'suspended'] }));
    const first = createRecordingPlatform();
    const attachment = registry.attach(first.platform);
    expect(first.notified).toEqual(['connect storage created', 'connect search-index created,suspended']);
    await attachment.detach();
    const second = createRecordingPlatform();
    registry.attach(second.platform);
    expect(first.notified.slice(2)).toEqual(['detach storage', 'detach search-index']);
    expect(second.notified).toEqual(['connect storage created', 'connect search-index created,suspended']);
  });

  it('passes on at once what registers later', () => {
    const { platform, notified } = createRecordingPlatform();
    registry.attach(platform);
    registry.register(consumer('storage'));
    expect(notified).toEqual(['connect storage created']);
  });

  it('lets another platform take the place of the one attached, whose detach then does nothing', async () => {
    registry.register(consumer('storage'));
    const [first, second] = [createRecordingPlatform(), createRecordingPlatform()];
    const attachment = registry.attach(first.platform);
    registry.attach(second.platform);
    await attachment.detach();
    expect(first.notified).toEqual(['connect storage created', 'detach storage']);
    expect(second.notified).toEqual([
      'warn another platform attaches; the former one delivers no more',
      'connect storage created',
    ]);
  });

  it('replaces the former registration of a name by the latest and logs it, attached or not', async () => {
    registry.register(consumer('storage'));
    const former = registry.register(consumer('storage', { transitions: ['suspended'] }));
    expect(warnings).toEqual([expect.stringContaining('replaced by a later registration')]);
    const { platform, notified } = createRecordingPlatform();
    registry.attach(platform);
    registry.register(consumer('storage', { transitions: ['reactivation_requested'] }));
    await former.unregister();
    expect(notified).toEqual([
      'connect storage suspended',
      expect.stringContaining('warn tenant lifecycle consumer replaced'),
      'detach storage',
      'connect storage reactivation_requested',
    ]);
  });

  it('removes on unregister, once, and tells a platform that attaches later what it has not heard', async () => {
    const registration = registry.register(consumer('storage'));
    const { platform, notified } = createRecordingPlatform();
    const attachment = registry.attach(platform);
    await registration.unregister();
    await registration.unregister();
    expect(notified).toEqual(['connect storage created', 'detach storage', 'remove storage']);
    const other = registry.register(consumer('search-index'));
    await attachment.detach();
    await other.unregister();
    const later = createRecordingPlatform();
    registry.attach(later.platform);
    await Promise.resolve();
    expect(later.notified).toEqual(['remove search-index']);
  });

  it('keeps a removal that was not confirmed for the next platform', async () => {
    const failing = createRecordingPlatform(() => Promise.reject(new Error('connection closed')));
    const attachment = registry.attach(failing.platform);
    await expect(registry.register(consumer('storage')).unregister()).rejects.toThrow('connection closed');
    await attachment.detach();
    const next = createRecordingPlatform();
    registry.attach(next.platform);
    await Promise.resolve();
    expect(next.notified).toEqual(['remove storage']);
  });

  it('connects a name that registers again only when its removal is recorded, so that the platform hears both in order', async () => {
    let recorded = (): void => undefined;
    const { platform, notified } = createRecordingPlatform(
      () => new Promise((resolve) => (recorded = () => resolve())),
    );
    registry.attach(platform);
    const removal = registry.register(consumer('storage')).unregister();
    await Promise.resolve();
    await Promise.resolve();
    registry.register(consumer('storage', { transitions: ['suspended'] }));
    recorded();
    await removal;
    await Promise.resolve();
    expect(notified).toEqual([
      'connect storage created',
      'detach storage',
      'remove storage',
      'connect storage suspended',
    ]);
  });

  it('removes the consumers of a module when its owner unloads, and refuses those of one that has unloaded', async () => {
    const { platform, notified } = createRecordingPlatform();
    registry.attach(platform);
    const [given, ambient] = [new AbortController(), new AbortController()];
    registry.register(consumer('storage', { owner: given.signal }), ambient.signal);
    registry.register(consumer('search-index'), ambient.signal);
    ambient.abort();
    await new Promise(setImmediate);
    expect(notified.slice(2)).toEqual(['detach search-index', 'remove search-index']);
    given.abort();
    await new Promise(setImmediate);
    expect(notified.slice(4)).toEqual(['detach storage', 'remove storage']);
    expect(() => registry.register(consumer('storage'), ambient.signal)).toThrow('its owning module has unloaded');
  });

  it('asks the gate of the attached platform, and throws without one', async () => {
    await expect(registry.isProvisioningCommitted('acme')).rejects.toMatchObject({ code: 'not_attached' });
    registry.attach(createRecordingPlatform().platform);
    await expect(registry.isProvisioningCommitted('acme')).resolves.toBe(true);
    await expect(registry.isProvisioningCommitted('globex')).resolves.toBe(false);
  });

  it.each<[string, unknown]>([
    ['name', consumer('X')],
    ['name', consumer('storage.all')],
    ['transitions', consumer('storage', { transitions: [] })],
    ['transitions', consumer('storage', { transitions: ['created', 'created'] })],
    ['transitions.0', { ...consumer('storage'), transitions: ['deleted'] }],
    ['consume', { ...consumer('storage'), consume: undefined }],
    ['owner', { ...consumer('storage'), owner: true }],
    ['registration', { ...consumer('storage'), extra: 1 }],
    ['registration', null],
  ])('refuses a registration and names %s', (path, registration) => {
    expect(() => registry.register(registration as TenantLifecycleConsumer)).toThrow(
      expect.objectContaining({ code: 'invalid_registration', message: expect.stringContaining(`${path}: `) }),
    );
  });
});

describe('the registry of tenant provisioning listeners', () => {
  const listener = (over: Partial<TenantProvisioningListener> = {}): TenantProvisioningListener => ({
    name: 'welcome',
    onTenantDeleted: async () => undefined,
    ...over,
  });
  const settled = () => new Promise(setImmediate);

  it('keeps what registers before a platform is there, beside a consumer of the same name', async () => {
    const registry = createTenantLifecycleRegistry(() => undefined);
    registry.listen(listener({ name: 'storage', order: 5 }));
    registry.register(consumer('storage'));
    const { platform, notified } = createRecordingPlatform();
    const attachment = registry.attach(platform);
    expect(notified).toEqual(['connect storage created', 'serve storage 5']);
    await attachment.detach();
    expect(notified.slice(2).sort()).toEqual(['detach storage', 'silence storage']);
  });

  it('lets a listener answer until its removal is recorded, because a creation stops where no listener answers', async () => {
    const { platform, notified } = createRecordingPlatform();
    const registry = createTenantLifecycleRegistry(() => undefined);
    registry.attach(platform);
    await registry.listen(listener()).unregister();
    expect(notified).toEqual(['serve welcome as ever', 'remove welcome', 'silence welcome']);
  });

  it('stops answering also when the removal was not recorded, and passes it on to the next platform', async () => {
    const registry = createTenantLifecycleRegistry(() => undefined);
    const failing = createRecordingPlatform(() => Promise.reject(new Error('connection closed')));
    registry.attach(failing.platform);
    await expect(registry.listen(listener()).unregister()).rejects.toThrow('connection closed');
    expect(failing.notified).toEqual(['serve welcome as ever', 'silence welcome']);
    const next = createRecordingPlatform();
    registry.attach(next.platform);
    await settled();
    expect(next.notified).toContain('remove welcome');
  });

  it('lets the former answer until its successor is registered', async () => {
    const { platform, notified, served } = createRecordingPlatform();
    const registry = createTenantLifecycleRegistry(() => undefined);
    registry.attach(platform);
    registry.listen(listener());
    registry.listen(listener({ order: 1 }));
    await settled();
    expect(notified).toEqual([
      'serve welcome as ever',
      'serve welcome 1',
      expect.stringContaining('warn tenant provisioning listener replaced'),
    ]);
    served[1]!();
    await settled();
    expect(notified.at(-1)).toBe('silence welcome');
  });

  it('takes methods of an object, and calls them on it', async () => {
    class Welcome {
      readonly name = 'welcome';
      readonly #told: string[] = [];
      told(): readonly string[] {
        return this.#told;
      }

      async onTenantBeingProvisioned({ tenantId }: { tenantId: string }): Promise<void> {
        this.#told.push(tenantId);
      }
    }
    const welcome = new Welcome();
    const listeners: TenantProvisioningListener[] = [];
    const { platform } = createRecordingPlatform();
    const registry = createTenantLifecycleRegistry(() => undefined);
    registry.attach({
      ...platform,
      connectListener: (connected) => (listeners.push(connected), { detach: async () => undefined }),
    });
    registry.listen(welcome);
    await listeners[0]!.onTenantBeingProvisioned!({
      tenantId: 't-1',
      attemptId: 't-1',
      workspaceName: 'One',
      ownerUserId: 'u',
      planId: 'p',
    });
    expect(welcome.told()).toEqual(['t-1']);
  });

  it.each<[string, unknown]>([
    ['name', listener({ name: 'X' })],
    ['order', listener({ order: -1 })],
    ['order', listener({ order: 1.5 })],
    ['onTenantDeleted', { name: 'welcome', onTenantDeleted: 1 }],
    ['registration', { name: 'welcome' }],
    ['registration', { ...listener(), events: [] }],
    ['registration', null],
  ])('refuses a registration and names %s', (path, registration) => {
    const registry = createTenantLifecycleRegistry(() => undefined);
    expect(() => registry.listen(registration as TenantProvisioningListener)).toThrow(
      expect.objectContaining({ code: 'invalid_registration', message: expect.stringContaining(`${path}: `) }),
    );
  });
});
