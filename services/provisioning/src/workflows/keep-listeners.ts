/** Registration of provisioning listeners. Durable: a crash of a listener does not make it optional; it fails creations closed. */
import { LISTENER_LIMITS, type RegisterListener } from '@platform/contracts-provisioning';
import { ok, refused, type Result } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import type { Listener } from '../domain/listener';
import type { ProvisioningPorts } from './ports';

type ListenerPorts = Pick<ProvisioningPorts, 'listeners' | 'log'>;
type Refusal = { readonly code: 'store_unavailable' | 'too_many_listeners'; readonly message: string };

const races = 8;

/** The latest registration of a name replaces the former, and is logged. Throws StoreUnavailableError. */
export async function registerListener({ listeners, log }: ListenerPorts, request: RegisterListener): Promise<Result<{ readonly name: string; readonly replaced: boolean }, Refusal>> {
  const { name, events, order, registeredBy } = request;
  const draft: Draft<Listener> = { _id: name, status: 'registered', events, order, registeredBy };
  for (let race = 0; race < races; race += 1) {
    const standing = await listeners.findById(name);
    if (!standing && (await listeners.count({ status: 'registered' })) >= LISTENER_LIMITS.listeners) return refused({ code: 'too_many_listeners', message: `No more than ${LISTENER_LIMITS.listeners} listeners can be registered.` });
    const written = standing ? await listeners.mutate(standing, draft) : await listeners.insert(draft);
    if (written.outcome === 'unknown') break;
    if (written.outcome === 'not_applied') continue;
    const replaced = standing?.status === 'registered';
    if (replaced && standing.registeredBy !== registeredBy) log.info({ listener: name, former: standing.registeredBy, registeredBy }, 'provisioning listener registered anew');
    return ok({ name, replaced });
  }
  return refused({ code: 'store_unavailable', message: 'The registration could not be written; register again.' });
}

/** Creations from now on do not call it. Throws StoreUnavailableError. */
export async function unregisterListener({ listeners }: ListenerPorts, name: string): Promise<Result<{ readonly name: string; readonly removed: boolean }, Refusal>> {
  for (let race = 0; race < races; race += 1) {
    const standing = await listeners.findById(name);
    if (!standing || standing.status === 'unregistered') return ok({ name, removed: false });
    const written = await listeners.mutate(standing, { ...standing, status: 'unregistered' });
    if (written.outcome === 'applied') return ok({ name, removed: true });
    if (written.outcome === 'unknown') break;
  }
  return refused({ code: 'store_unavailable', message: 'The removal could not be written; ask again.' });
}
