/** Registration of provisioning listeners. Durable: a crash of a listener does not make it optional; it fails creations closed. */
import { listenerLimits, type RegisterListener, type UnregisterListener } from '@platform/contracts-provisioning';
import { ok, refused, type Result } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import { decideRegistration, decideRemoval, type Listener } from '../domain/listener';
import type { ProvisioningPorts } from './ports';

type ListenerPorts = Pick<ProvisioningPorts, 'listeners' | 'log'>;
type Refusal = { readonly code: 'store_unavailable' | 'too_many_listeners'; readonly message: string };

const races = 8;

/** The latest registration of a name replaces the former, and is logged. Throws StoreUnavailableError. */
export async function registerListener(
  { listeners, log }: ListenerPorts,
  request: RegisterListener,
): Promise<Result<{ readonly name: string; readonly replaced: boolean }, Refusal>> {
  const { name, events, order, registeredBy } = request;
  const draft: Draft<Listener> = { _id: name, status: 'registered', events, order, registeredBy };
  for (let race = 0; race < races; race += 1) {
    const standing = await listeners.findById(name);
    const decision = decideRegistration(standing, request);
    if (decision.kind === 'stands') return ok({ name, replaced: false });
    if (
      standing?.status !== 'registered' &&
      (await listeners.count({ status: 'registered' })) >= listenerLimits.listeners
    ) {
      return refused({
        code: 'too_many_listeners',
        message: `No more than ${listenerLimits.listeners} listeners can be registered.`,
      });
    }
    const written = standing ? await listeners.mutate(standing, draft) : await listeners.insert(draft);
    if (written.outcome === 'unknown') break;
    if (written.outcome === 'not_applied') continue;
    if (decision.replaced)
      log.info(
        { listener: name, former: standing?.registeredBy, registeredBy, events, order },
        'a provisioning listener was replaced by a later registration of its name',
      );
    return ok({ name, replaced: decision.replaced });
  }
  return refused({ code: 'store_unavailable', message: 'The registration could not be written; register again.' });
}

/** Creations from now on do not call it. Throws StoreUnavailableError. */
export async function unregisterListener(
  { listeners, log }: ListenerPorts,
  request: UnregisterListener,
): Promise<Result<{ readonly name: string; readonly removed: boolean }, Refusal>> {
  const { name, registeredBy } = request;
  for (let race = 0; race < races; race += 1) {
    const standing = await listeners.findById(name);
    if (!standing || !decideRemoval(standing, request)) return ok({ name, removed: false });
    const written = await listeners.mutate(standing, { ...standing, status: 'unregistered' });
    if (written.outcome === 'unknown') break;
    if (written.outcome === 'not_applied') continue;
    log.info({ listener: name, registeredBy }, 'a provisioning listener was removed');
    return ok({ name, removed: true });
  }
  return refused({ code: 'store_unavailable', message: 'The removal could not be written; ask again.' });
}
