/**
 * Registration of provisioning listeners. It is durable: a listener that crashes stays required, and creations fail
 * closed.
 */
import { decide, onceOnly } from '@platform/durable/record';
import { listenerLimits, type RegisterListener, type UnregisterListener } from '@platform/contracts-provisioning';
import { ok, refused, type Result } from '@platform/kernel';
import type { Draft } from '@platform/mongo';
import { decideRegistration, decideRemoval, type Listener } from '../domain/listener';
import type { ProvisioningPorts } from './ports';

type ListenerPorts = Pick<ProvisioningPorts, 'listeners' | 'log'>;
type Refusal = { readonly code: 'store_unavailable' | 'too_many_listeners'; readonly message: string };
type Registered = Result<{ readonly name: string; readonly replaced: boolean }, Refusal>;
type Removed = Result<{ readonly name: string; readonly removed: boolean }, Refusal>;

/** The listener repeats its request, so the store is tried only once here. */
const registerTries = { retryPolicy: onceOnly };

/** The latest registration of a name replaces the former, and is logged. */
export async function registerListener(
  { listeners, log }: ListenerPorts,
  request: RegisterListener,
): Promise<Registered> {
  const { name, events, order, registeredBy, version } = request;
  const draft: Draft<Listener> = {
    _id: name,
    status: 'registered',
    events,
    order,
    registeredBy,
    ...(version !== undefined && { version }),
  };
  const tooMany = `No more than ${listenerLimits.listeners} listeners can be registered.`;
  let former: Listener | null = null;
  const decided = await decide<Listener, Draft<Listener>, Registered>(registerTries, listeners, name, async (read) => {
    former = read;
    if (decideRegistration(read, request).kind === 'unchanged') return { answer: ok({ name, replaced: false }) };
    const full =
      read?.status !== 'registered' && (await listeners.count({ status: 'registered' })) >= listenerLimits.listeners;
    return full ? { answer: refused({ code: 'too_many_listeners', message: tooMany }) } : { write: draft };
  });
  if (decided.kind === 'unknown')
    return refused({ code: 'store_unavailable', message: 'The registration could not be written; register again.' });
  if (decided.kind === 'answered') return decided.answer;
  const standing = former as Listener | null;
  const replaced = standing?.status === 'registered';
  if (replaced)
    log.info(
      { listener: name, former: standing.registeredBy, registeredBy, events, order },
      'a provisioning listener was replaced by a later registration of its name',
    );
  return ok({ name, replaced });
}

/** Later creations do not call it. */
export async function unregisterListener(
  { listeners, log }: ListenerPorts,
  request: UnregisterListener,
): Promise<Removed> {
  const { name, registeredBy } = request;
  const decided = await decide<Listener, Draft<Listener>, Removed>(registerTries, listeners, name, (read) =>
    read && decideRemoval(read, request)
      ? { write: { ...read, status: 'unregistered' } }
      : { answer: ok({ name, removed: false }) },
  );
  if (decided.kind === 'unknown')
    return refused({ code: 'store_unavailable', message: 'The removal could not be written; ask again.' });
  if (decided.kind === 'answered') return decided.answer;
  log.info({ listener: name, registeredBy }, 'a provisioning listener was removed');
  return ok({ name, removed: true });
}
