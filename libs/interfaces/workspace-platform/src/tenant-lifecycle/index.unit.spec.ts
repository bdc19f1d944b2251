import { silentLog } from '@platform/kernel';
import {
  attachTenantLifecyclePlatform,
  IsTenantProvisioningCommitted,
  RegisterTenantLifecycleConsumer,
  RegisterTenantProvisioningListener,
  runAsTenantLifecycleOwner,
  TenantLifecycleError,
  type TenantLifecycleAttachment,
} from './index';

const consumer = (name: string) => ({
  name,
  transitions: ['created'] as const,
  consume: async () => ({ receiptId: 'r', effectiveAt: new Date(0) }),
});

describe('the entry tenant-lifecycle', () => {
  let notified: string[];
  let attachment: TenantLifecycleAttachment;
  beforeEach(() => {
    notified = [];
    attachment = attachTenantLifecyclePlatform({
      log: silentLog,
      connectConsumer: ({ name }) => (
        notified.push(`connect ${name}`),
        { detach: async () => void notified.push(`detach ${name}`) }
      ),
      removeConsumer: async (name) => void notified.push(`remove ${name}`),
      connectListener: ({ name }) => (
        notified.push(`serve ${name}`),
        { detach: async () => void notified.push(`detach ${name}`) }
      ),
      removeListener: async (name) => void notified.push(`remove ${name}`),
      decideAccess: async () => ({ state: 'unknown' }),
      isProvisioningCommitted: async (tenantId) => tenantId === 'acme',
      listTenants: async () => ({ tenants: [] }),
      ready: async () => undefined,
    });
  });
  afterEach(() => attachment.detach());

  it('removes what a module registered, also after an await, when its owner unloads; its neighbours stay', async () => {
    const unload = new AbortController();
    const neighbour = RegisterTenantLifecycleConsumer(consumer('neighbour'));
    await runAsTenantLifecycleOwner(unload.signal, async () => {
      RegisterTenantLifecycleConsumer(consumer('early'));
      await Promise.resolve();
      RegisterTenantLifecycleConsumer(consumer('late'));
    });
    unload.abort();
    await new Promise(setImmediate);
    expect(notified).toEqual([
      'connect neighbour',
      'connect early',
      'connect late',
      'detach early',
      'detach late',
      'remove early',
      'remove late',
    ]);
    await neighbour.unregister();
  });

  it('takes listeners of a creation in the same scopes', async () => {
    const unload = new AbortController();
    runAsTenantLifecycleOwner(unload.signal, () =>
      RegisterTenantProvisioningListener({ name: 'welcome', onTenantBeingProvisioned: async () => undefined }),
    );
    unload.abort();
    await new Promise(setImmediate);
    expect(notified).toEqual(['serve welcome', 'remove welcome', 'detach welcome']);
    expect(() => RegisterTenantProvisioningListener({ name: 'welcome' })).toThrow(TenantLifecycleError);
  });

  it('is one registry for every copy of the package in a process', async () => {
    const registration = RegisterTenantLifecycleConsumer(consumer('storage'));
    let copy = { RegisterTenantLifecycleConsumer };
    jest.isolateModules(() => (copy = jest.requireActual<typeof copy>('./index')));
    expect(copy.RegisterTenantLifecycleConsumer).not.toBe(RegisterTenantLifecycleConsumer);
    const other = copy.RegisterTenantLifecycleConsumer(consumer('search-index'));
    expect(notified).toEqual(['connect storage', 'connect search-index']);
    await other.unregister();
    await registration.unregister();
  });

  it('asks the gate for tenants that can exist only', async () => {
    await expect(IsTenantProvisioningCommitted('acme')).resolves.toBe(true);
    await expect(IsTenantProvisioningCommitted('globex')).resolves.toBe(false);
    for (const tenantId of ['', 'a.b', 'x'.repeat(65)])
      await expect(IsTenantProvisioningCommitted(tenantId)).rejects.toMatchObject({ code: 'invalid_tenant' });
  });

  it('throws its own error, with a code, for a registration that cannot be', () => {
    expect(() => RegisterTenantLifecycleConsumer(consumer('no'))).toThrow(TenantLifecycleError);
  });
});
