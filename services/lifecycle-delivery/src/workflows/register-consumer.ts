/**
 * Registration of required consumers: the record first, by a fenced write, then the durable that the consumer reads.
 * A registration is answered only when both stand, so an unanswered one is simply asked for again.
 */
import {
  lifecycleLimits,
  lifecycleStreams,
  lifecycleSubjects,
  type LifecycleRefusalCode,
  type RegisterConsumer,
  type RegisteredConsumer,
  type UnregisterConsumer,
  type UnregisteredConsumer,
} from '@platform/contracts-lifecycle-delivery';
import { ok, refused, type Result } from '@platform/kernel';
import type { DurableDeclaration } from '@platform/messaging';
import { decideRegistration, decideRemoval } from '../domain/consumer';
import { lostRacesMax, type DeliveryPorts } from './ports';

export interface Refusal {
  readonly code: LifecycleRefusalCode;
  readonly message: string;
}

/** A consumer's handler may run for so long without a sign of life from its process. */
const ackWaitMs = 30_000;
/** Bounds what one consumer, with all its replicas, holds unacknowledged. */
const maxAckPending = 256;

/** The durable of one consumer: named like it, and reading nothing but what is addressed to it. */
export function durableOf(consumer: string): DurableDeclaration {
  return {
    stream: lifecycleStreams.deliveries,
    durable: consumer,
    filterSubjects: [lifecycleSubjects.deliveriesOf(consumer)],
    ackWaitMs: ackWaitMs,
    maxAckPending: maxAckPending,
  };
}

/** A consumer that `returned` had been unregistered; what waits for it is due now. */
export type Registration = RegisteredConsumer & { readonly returned: boolean };

export async function registerConsumer(
  ports: DeliveryPorts,
  request: RegisterConsumer,
): Promise<Result<Registration, Refusal>> {
  for (let round = 0; round < lostRacesMax; round += 1) {
    const former = await ports.consumers.findById(request.name);
    const decision = decideRegistration(former, request, ports.clock.now());
    if (!former && (await ports.consumers.count({})) >= lifecycleLimits.consumers) {
      return refused({
        code: 'too_many_consumers',
        message: `at most ${lifecycleLimits.consumers} consumers can be registered`,
      });
    }
    const written = !decision.next
      ? 'applied'
      : (former ? await ports.consumers.mutate(former, decision.next) : await ports.consumers.insert(decision.next))
          .outcome;
    if (written === 'unknown') return notNow();
    if (written === 'not_applied') continue;
    if (decision.next) logRegistration(ports, request, decision.replaced, former?.registeredBy);
    return withDurable(ports, request.name, { replaced: decision.replaced, returned: decision.returned });
  }
  return notNow();
}

async function withDurable(
  ports: DeliveryPorts,
  name: string,
  decided: Pick<Registration, 'replaced' | 'returned'>,
): Promise<Result<Registration, Refusal>> {
  try {
    await ports.broker.ensureDurable(durableOf(name));
  } catch (error) {
    ports.log.warn(
      { consumer: name, error: String(error) },
      'the durable of a registered consumer could not be made; it will ask again',
    );
    return refused({
      code: 'broker_unavailable',
      message: 'the registration stands, its durable could not be made now; ask again',
    });
  }
  return ok({ name, stream: lifecycleStreams.deliveries, durable: name, ...decided });
}

/** The durable of a name that is not registered is of no use; one that stays is only untidy. */
async function dropDurable(ports: DeliveryPorts, name: string): Promise<void> {
  try {
    await ports.broker.removeDurable(lifecycleStreams.deliveries, name);
  } catch (error) {
    ports.log.warn(
      { consumer: name, error: String(error) },
      'the durable of an unregistered consumer could not be removed',
    );
  }
}

/** Orderly removal: no longer required for messages accepted from now on; what waits already goes on waiting, visibly. */
export async function unregisterConsumer(
  ports: DeliveryPorts,
  request: UnregisterConsumer,
): Promise<Result<UnregisteredConsumer, Refusal>> {
  const { name } = request;
  for (let round = 0; round < lostRacesMax; round += 1) {
    const former = await ports.consumers.findById(name);
    const next = decideRemoval(former, request, ports.clock.now());
    if (!former || !next) {
      if (former?.status === 'unregistered') await dropDurable(ports, name);
      return ok({ name, removed: false });
    }
    const written = await ports.consumers.mutate(former, next);
    if (written.outcome === 'unknown') return notNow();
    if (written.outcome === 'not_applied') continue;
    ports.log.info({ consumer: name, registeredBy: request.registeredBy }, 'lifecycle consumer unregistered');
    await dropDurable(ports, name);
    return ok({ name, removed: true });
  }
  return notNow();
}

function logRegistration(
  ports: DeliveryPorts,
  request: RegisterConsumer,
  replaced: boolean,
  formerlyBy: string | undefined,
): void {
  const fields = { consumer: request.name, transitions: request.transitions, registeredBy: request.registeredBy };
  if (replaced) ports.log.warn({ ...fields, formerlyBy }, 'lifecycle consumer registration replaced by a later one');
  else ports.log.info(fields, 'lifecycle consumer registered');
}

function notNow(): Result<never, Refusal> {
  return refused({ code: 'store_unavailable', message: 'the registration could not be recorded now; ask again' });
}
