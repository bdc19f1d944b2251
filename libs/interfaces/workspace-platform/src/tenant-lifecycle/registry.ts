/**
 * The consumers of this process. Modules register while they are constructed, perhaps before any platform is there:
 * registrations are kept and replayed whenever one attaches. The latest registration of a name replaces the former.
 */
import type { Log } from '@platform/kernel';
import type { ConsumerConnection, TenantLifecycleAttachment, TenantLifecyclePlatform } from './platform';
import { TenantLifecycleError, type TenantLifecycleConsumer, type TenantLifecycleConsumerRegistration } from './types';
import { validateRegistration } from './validate-registration';

export interface TenantLifecycleRegistry {
  register(registration: TenantLifecycleConsumer, ambientOwner?: AbortSignal): TenantLifecycleConsumerRegistration;
  attach(platform: TenantLifecyclePlatform): TenantLifecycleAttachment;
  isProvisioningCommitted(tenantId: string): Promise<boolean>;
}

interface Entry {
  readonly consumer: TenantLifecycleConsumer;
  connection: ConsumerConnection | null;
  /** Handles of the entry do nothing any more. */
  gone: boolean;
}

interface RegistryState {
  readonly entries: Map<string, Entry>;
  /** Names whose removal the platform has not recorded yet; passed on when one attaches. */
  readonly removals: Set<string>;
  /** Removals under way; a registration of the same name waits for them, so that the platform hears both in order. */
  readonly removing: Map<string, Promise<void>>;
  platform: TenantLifecyclePlatform | null;
  readonly warn: (message: string) => void;
}

/** `warn` is told what happens while no platform, and so no log, is attached. */
export function createTenantLifecycleRegistry(warn: (message: string) => void): TenantLifecycleRegistry {
  const state: RegistryState = { entries: new Map(), removals: new Set(), removing: new Map(), platform: null, warn };
  return {
    register: (registration, ambientOwner) => register(state, registration, ambientOwner),
    attach: (platform) => attach(state, platform),
    async isProvisioningCommitted(tenantId) {
      if (!state.platform) throw new TenantLifecycleError('not_attached', 'no platform is attached, so nobody can say whether the tenant is committed');
      return state.platform.isProvisioningCommitted(tenantId);
    },
  };
}

function register(state: RegistryState, registration: TenantLifecycleConsumer, ambientOwner: AbortSignal | undefined): TenantLifecycleConsumerRegistration {
  const consumer = validateRegistration(registration);
  const { name } = consumer;
  const owner = consumer.owner ?? ambientOwner;
  if (owner?.aborted) throw new TenantLifecycleError('invalid_registration', `consumer ${name} cannot be registered: its owning module has unloaded`);
  const former = state.entries.get(name);
  if (former) supersede(state, former);
  const entry: Entry = { consumer, connection: null, gone: false };
  state.entries.set(name, entry);
  state.removals.delete(name);
  connectWhenRemoved(state, entry);
  const onUnload = (): void => {
    unregister(state, entry).catch(complain(state, name, 'the consumer of an unloaded module could not be removed'));
  };
  owner?.addEventListener('abort', onUnload, { once: true });
  return {
    name,
    async unregister() {
      owner?.removeEventListener('abort', onUnload);
      await unregister(state, entry);
    },
  };
}

async function unregister(state: RegistryState, entry: Entry): Promise<void> {
  if (entry.gone) return;
  const { name } = entry.consumer;
  entry.gone = true;
  state.entries.delete(name);
  state.removals.add(name);
  await stop(entry);
  if (state.platform) await passOnRemoval(state, state.platform, name);
}

/** Does nothing for a name that was registered again meanwhile: it is wanted after all. */
async function passOnRemoval(state: RegistryState, platform: TenantLifecyclePlatform, name: string): Promise<void> {
  if (!state.removals.delete(name)) return;
  const removal = platform.removeConsumer(name).catch((error: unknown) => {
    if (!state.entries.has(name)) state.removals.add(name);
    throw error;
  });
  state.removing.set(name, removal);
  await removal.finally(() => state.removing.delete(name));
}

function connectWhenRemoved(state: RegistryState, entry: Entry): void {
  const connect = (): void => {
    if (state.platform && !entry.gone) entry.connection ??= state.platform.connectConsumer(entry.consumer);
  };
  const removal = state.removing.get(entry.consumer.name);
  if (removal) removal.then(connect, connect);
  else connect();
}

function supersede(state: RegistryState, former: Entry): void {
  former.gone = true;
  const { name, transitions } = former.consumer;
  note(state, 'warn', { consumer: name, transitions }, 'tenant lifecycle consumer replaced by a later registration of its name');
  stop(former).catch(complain(state, name, 'the replaced consumer could not be stopped'));
}

function attach(state: RegistryState, next: TenantLifecyclePlatform): TenantLifecycleAttachment {
  if (state.platform) next.log.warn({}, 'another platform attaches; the former one delivers no more');
  const entries = [...state.entries.values()];
  for (const entry of entries) stop(entry).catch(complain(state, entry.consumer.name, 'a consumer could not be detached'));
  state.platform = next;
  for (const name of state.removals) passOnRemoval(state, next, name).catch(complain(state, name, 'a removal could not be passed on'));
  for (const entry of entries) connectWhenRemoved(state, entry);
  return {
    async detach() {
      if (state.platform !== next) return;
      state.platform = null;
      await Promise.all([...state.entries.values()].map(stop));
    },
  };
}

function stop(entry: Entry): Promise<void> {
  const { connection } = entry;
  entry.connection = null;
  return connection ? connection.detach() : Promise.resolve();
}

function note(state: RegistryState, level: keyof Log, fields: Readonly<Record<string, unknown>>, message: string): void {
  if (state.platform) state.platform.log[level](fields, message);
  else state.warn(`${message} ${JSON.stringify(fields)}`);
}

function complain(state: RegistryState, consumer: string, message: string): (error: unknown) => void {
  return (error) => note(state, 'error', { consumer, error: String(error) }, message);
}
