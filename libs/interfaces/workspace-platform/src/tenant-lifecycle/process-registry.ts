/**
 * One registry per process, even when several copies of this package are loaded (two versions in `node_modules`, two
 * entries that were bundled separately): it is stored under a registered symbol. The symbol contains the version of the
 * registry's shape and changes with it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createTenantLifecycleRegistry, type TenantLifecycleRegistry } from './registry';

interface ProcessState {
  readonly registry: TenantLifecycleRegistry;
  readonly owner: AsyncLocalStorage<AbortSignal>;
}

const registryKey = Symbol.for('@platform/workspace-platform/tenant-lifecycle/4');

export function processState(): ProcessState {
  const holder = globalThis as { [registryKey]?: ProcessState };
  holder[registryKey] ??= {
    registry: createTenantLifecycleRegistry((message) => process.emitWarning(message, { code: 'TENANT_LIFECYCLE' })),
    owner: new AsyncLocalStorage<AbortSignal>(),
  };
  return holder[registryKey];
}
