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

/** `warn` is told what happens while no platform, and so no log, is attached. */
export function createTenantLifecycleRegistry(warn: (message: string) => void): TenantLifecycleRegistry {
  const entries = new Map<string, Entry>();
  /** Removals that the platform must be told of when it attaches again. */
  const removals = new Set<string>();
  let platform: TenantLifecyclePlatform | null = null;

  function note(level: keyof Log, fields: Readonly<Record<string, unknown>>, message: string): void {
    if (platform) platform.log[level](fields, message);
    else if (level === 'warn' || level === 'error') warn(`${message} ${JSON.stringify(fields)}`);
  }

  function stop(entry: Entry): Promise<void> {
    const { connection } = entry;
    entry.connection = null;
    return connection ? connection.detach() : Promise.resolve();
  }

  async function tellRemoval(to: TenantLifecyclePlatform, name: string): Promise<void> {
    await to.removeConsumer(name);
    if (!entries.has(name)) removals.delete(name);
  }

  async function unregister(entry: Entry): Promise<void> {
    if (entry.gone) return;
    const { name } = entry.consumer;
    entry.gone = true;
    entries.delete(name);
    removals.add(name);
    await stop(entry);
    // Registered again while the last run came to its end: the name is wanted after all.
    if (platform && removals.has(name)) await tellRemoval(platform, name);
  }

  function supersede(former: Entry): void {
    former.gone = true;
    note('warn', { consumer: former.consumer.name, transitions: former.consumer.transitions }, 'tenant lifecycle consumer replaced by a later registration of its name');
    stop(former).catch((error: unknown) => note('error', { consumer: former.consumer.name, error: String(error) }, 'the replaced consumer could not be stopped'));
  }

  return {
    register(registration, ambientOwner) {
      const consumer = validateRegistration(registration);
      const owner = consumer.owner ?? ambientOwner;
      if (owner?.aborted) throw new TenantLifecycleError('invalid_registration', `consumer ${consumer.name} cannot be registered: its owning module has unloaded`);
      const former = entries.get(consumer.name);
      if (former) supersede(former);
      const entry: Entry = { consumer, connection: null, gone: false };
      entries.set(consumer.name, entry);
      removals.delete(consumer.name);
      if (platform) entry.connection = platform.connectConsumer(consumer);
      const onUnload = (): void => {
        unregister(entry).catch((error: unknown) => note('error', { consumer: consumer.name, error: String(error) }, 'the consumer of an unloaded module could not be removed'));
      };
      owner?.addEventListener('abort', onUnload, { once: true });
      const removed = async (): Promise<void> => {
        owner?.removeEventListener('abort', onUnload);
        await unregister(entry);
      };
      return { name: consumer.name, unregister: removed };
    },
    attach(next) {
      const attached = [...entries.values()];
      if (platform) next.log.warn({}, 'another platform attaches; the former one delivers no more');
      for (const entry of attached) void stop(entry).catch((error: unknown) => next.log.error({ error: String(error) }, 'a consumer could not be detached'));
      platform = next;
      for (const name of removals) tellRemoval(next, name).catch((error: unknown) => next.log.error({ consumer: name, error: String(error) }, 'a removal could not be passed on'));
      for (const entry of attached) entry.connection = next.connectConsumer(entry.consumer);
      return {
        async detach() {
          if (platform !== next) return;
          platform = null;
          await Promise.all([...entries.values()].map(stop));
        },
      };
    },
    async isProvisioningCommitted(tenantId) {
      if (!platform) throw new TenantLifecycleError('not_attached', 'no platform is attached, so nobody can say whether the tenant is committed');
      return platform.isProvisioningCommitted(tenantId);
    },
  };
}
