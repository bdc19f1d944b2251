/**
 * The registrations of one kind in this process. Modules register during their construction, possibly before a platform
 * is attached: registrations are kept and replayed whenever one attaches. The latest registration of a name replaces
 * the former.
 */
import type { Log } from '@platform/kernel';
import type { PlatformConnection, TenantLifecyclePlatform } from './platform';
import { TenantLifecycleError } from './types';

export interface Registrable {
  readonly name: string;
  readonly owner?: AbortSignal;
}

/** What differs between kinds of registrations. */
export interface RegistryKind<R extends Registrable> {
  /** The name for people: `tenant lifecycle consumer`. */
  readonly title: string;
  /** The name in log fields. */
  readonly noun: string;
  readonly describe: (registration: R) => Readonly<Record<string, unknown>>;
  readonly connect: (platform: TenantLifecyclePlatform, registration: R) => PlatformConnection;
  readonly remove: (platform: TenantLifecyclePlatform, name: string) => Promise<void>;
  /**
   * True when the registration must answer until its removal is recorded or a successor is registered, because a
   * creation may wait for its answer at any moment.
   */
  readonly answersUntilReplaced: boolean;
}

export interface KindRegistry<R extends Registrable> {
  /** `registration` has been validated. Throws TenantLifecycleError for an owner that has unloaded. */
  register(
    registration: R,
    ambientOwner: AbortSignal | undefined,
  ): { readonly name: string; unregister(): Promise<void> };
  attach(platform: TenantLifecyclePlatform): void;
  /** Ends all connections; registrations remain. */
  detach(): Promise<void>;
}

interface Entry<R> {
  readonly registration: R;
  connection: PlatformConnection | null;
  /** The entry was replaced or removed, so its handles have no effect. */
  gone: boolean;
}

interface KindRegistryState<R extends Registrable> {
  readonly kind: RegistryKind<R>;
  readonly entries: Map<string, Entry<R>>;
  /** Names whose removal the platform has not recorded yet; they are passed on when one attaches. */
  readonly removals: Set<string>;
  /**
   * Removals under way; a registration of the same name waits for them, so that the platform receives both in order.
   */
  readonly removing: Map<string, Promise<void>>;
  platform: TenantLifecyclePlatform | null;
  readonly warn: (message: string) => void;
}

/** `warn` receives warnings while no platform, and so no log, is attached. */
export function createKindRegistry<R extends Registrable>(
  kind: RegistryKind<R>,
  warn: (message: string) => void,
): KindRegistry<R> {
  const state: KindRegistryState<R> = {
    kind,
    entries: new Map(),
    removals: new Set(),
    removing: new Map(),
    platform: null,
    warn,
  };
  return {
    register: (registration, ambientOwner) => register(state, registration, ambientOwner),
    attach: (platform) => attach(state, platform),
    async detach() {
      state.platform = null;
      await Promise.all([...state.entries.values()].map(stop));
    },
  };
}

function register<R extends Registrable>(
  state: KindRegistryState<R>,
  registration: R,
  ambientOwner: AbortSignal | undefined,
) {
  const { name } = registration;
  const owner = registration.owner ?? ambientOwner;
  if (owner?.aborted)
    throw new TenantLifecycleError(
      'invalid_registration',
      `${state.kind.noun} ${name} cannot be registered: its owning module has unloaded`,
    );
  const former = state.entries.get(name);
  const entry: Entry<R> = { registration, connection: null, gone: false };
  if (former && !state.kind.answersUntilReplaced) supersede(state, former);
  state.entries.set(name, entry);
  state.removals.delete(name);
  connectWhenRemoved(state, entry);
  if (former && state.kind.answersUntilReplaced) supersede(state, former, entry.connection?.stands);
  const onUnload = (): void => {
    unregister(state, entry).catch(
      complain(state, name, `the ${state.kind.noun} of an unloaded module could not be removed`),
    );
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

async function unregister<R extends Registrable>(state: KindRegistryState<R>, entry: Entry<R>): Promise<void> {
  if (entry.gone) return;
  const { name } = entry.registration;
  entry.gone = true;
  state.entries.delete(name);
  state.removals.add(name);
  if (!state.kind.answersUntilReplaced) await stop(entry);
  try {
    if (state.platform) await passOnRemoval(state, state.platform, name);
  } finally {
    await stop(entry);
  }
}

/** Does nothing for a name that was registered again meanwhile. */
async function passOnRemoval<R extends Registrable>(
  state: KindRegistryState<R>,
  platform: TenantLifecyclePlatform,
  name: string,
): Promise<void> {
  if (!state.removals.delete(name)) return;
  const removal = state.kind.remove(platform, name).catch((error: unknown) => {
    if (!state.entries.has(name)) state.removals.add(name);
    throw error;
  });
  state.removing.set(name, removal);
  await removal.finally(() => state.removing.delete(name));
}

function connectWhenRemoved<R extends Registrable>(state: KindRegistryState<R>, entry: Entry<R>): void {
  const connect = (): void => {
    if (state.platform && !entry.gone) entry.connection ??= state.kind.connect(state.platform, entry.registration);
  };
  const removal = state.removing.get(entry.registration.name);
  if (removal) removal.then(connect, connect);
  else connect();
}

function supersede<R extends Registrable>(
  state: KindRegistryState<R>,
  former: Entry<R>,
  successorReady?: Promise<void>,
): void {
  former.gone = true;
  const { name } = former.registration;
  note(
    state,
    'warn',
    { [state.kind.noun]: name, ...state.kind.describe(former.registration) },
    `${state.kind.title} replaced by a later registration of its name`,
  );
  const stopped = successorReady ? successorReady.then(() => stop(former)) : stop(former);
  stopped.catch(complain(state, name, `the replaced ${state.kind.noun} could not be stopped`));
}

function attach<R extends Registrable>(state: KindRegistryState<R>, next: TenantLifecyclePlatform): void {
  const { noun } = state.kind;
  const entries = [...state.entries.values()];
  for (const entry of entries)
    stop(entry).catch(complain(state, entry.registration.name, `a ${noun} could not be detached`));
  state.platform = next;
  for (const name of state.removals)
    passOnRemoval(state, next, name).catch(complain(state, name, 'a removal could not be passed on'));
  for (const entry of entries) connectWhenRemoved(state, entry);
}

function stop(entry: Entry<unknown>): Promise<void> {
  const { connection } = entry;
  entry.connection = null;
  return connection ? connection.detach() : Promise.resolve();
}

function note<R extends Registrable>(
  state: KindRegistryState<R>,
  level: keyof Log,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  if (state.platform) state.platform.log[level](fields, message);
  else state.warn(`${message} ${JSON.stringify(fields)}`);
}

function complain<R extends Registrable>(
  state: KindRegistryState<R>,
  name: string,
  message: string,
): (error: unknown) => void {
  return (error) => note(state, 'error', { [state.kind.noun]: name, error: String(error) }, message);
}
