/**
 * Registration of required consumers: the record first, by a fenced write, then the durable that the consumer reads. A
 * registration is answered only when both exist, so a consumer simply repeats an unanswered one.
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
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import {
  decideRegistration,
  decideRemoval,
  refusedReceiptsOf,
  type ConsumerRecord,
  type RegistrationDecision,
} from '../domain/consumer';
import { isServed } from '../domain/endpoint';
import { brokerRepeats, type DeliveryPorts } from './ports';

export interface Refusal {
  readonly code: LifecycleRefusalCode;
  readonly message: string;
}

/** How long a consumer's handler may run without a sign of life from its process. */
const ackWaitMs = 30_000;
/** The most messages that one consumer, with all its replicas, may have unacknowledged. */
const maxAckPending = 256;

/** The durable of one consumer: it has the consumer's name and reads only that consumer's messages. */
export function durableOf(consumer: string): DurableDeclaration {
  return {
    stream: lifecycleStreams.deliveries,
    durable: consumer,
    filterSubjects: [lifecycleSubjects.deliveriesOf(consumer)],
    ackWaitMs: ackWaitMs,
    maxAckPending: maxAckPending,
  };
}

/**
 * A consumer with `returned` had unregistered, or the broker had lost its durable and what waited in it; its waiting
 * deliveries are due now.
 */
export type Registration = RegisteredConsumer & { readonly returned: boolean };

/** Answers once record and durable exist; a consumer asks again after `store_unavailable` and `broker_unavailable`. */
export async function registerConsumer(
  ports: DeliveryPorts,
  request: RegisterConsumer,
): Promise<Result<Registration, Refusal>> {
  let former: ConsumerRecord | null = null;
  let decision: RegistrationDecision = { replaced: false, returned: false };
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, Refusal | null>(
    brokerRepeats,
    ports.consumers,
    request.name,
    async (read) => {
      former = read;
      if (isServed(read))
        return { answer: { code: 'served_over_http', message: 'a person registered an endpoint for this name' } };
      decision = decideRegistration(read, request, ports.clock.now());
      if (!read && (await ports.consumers.count({})) >= lifecycleLimits.consumers)
        return {
          answer: {
            code: 'too_many_consumers',
            message: `at most ${lifecycleLimits.consumers} consumers can be registered`,
          },
        };
      return decision.next ? { write: decision.next } : { answer: null };
    },
  );
  if (decided.kind === 'unknown') return notNow();
  if (decided.kind === 'answered' && decided.answer) return refused(decided.answer);
  const { replaced, returned, superseded }: RegistrationDecision = decision;
  const before = former as ConsumerRecord | null;
  if (decided.kind === 'written') logRegistration(ports, request, replaced, before?.registeredBy);
  return withDurable(ports, request.name, {
    replaced,
    returned,
    ...(superseded && { superseded }),
    // A registration does not change them.
    ...(before && refusedReceiptsOf(before)),
  });
}

async function withDurable(
  ports: DeliveryPorts,
  name: string,
  decided: Pick<Registration, 'replaced' | 'returned' | 'superseded' | 'refusedReceipts'>,
): Promise<Result<Registration, Refusal>> {
  let returned = decided.returned;
  try {
    if ((await ports.broker.ensureDurable(durableOf(name))) === 'created') returned = true;
  } catch (error) {
    ports.log.warn(
      { consumer: name, error: String(error) },
      'the durable of a registered consumer could not be made; it will ask again',
    );
    return refused({
      code: 'broker_unavailable',
      message: 'the registration is recorded, its durable could not be made now; ask again',
    });
  }
  return ok({ name, stream: lifecycleStreams.deliveries, durable: name, ...decided, returned });
}

/** The durable of an unregistered name is unused; it does no harm if it remains. */
export async function dropDurable(ports: DeliveryPorts, name: string): Promise<void> {
  try {
    await ports.broker.removeDurable(lifecycleStreams.deliveries, name);
  } catch (error) {
    ports.log.warn(
      { consumer: name, error: String(error) },
      'the durable of an unregistered consumer could not be removed',
    );
  }
}

/**
 * Orderly unregistration: the consumer is not required for messages accepted from now on. Deliveries that already wait
 * stay open and visible.
 */
export async function unregisterConsumer(
  ports: DeliveryPorts,
  request: UnregisterConsumer,
): Promise<Result<UnregisteredConsumer, Refusal>> {
  const { name } = request;
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, ConsumerRecord | null>(
    brokerRepeats,
    ports.consumers,
    name,
    (former) => {
      const next = decideRemoval(former, request, ports.clock.now());
      return former && next ? { write: next } : { answer: former };
    },
  );
  if (decided.kind === 'unknown') return notNow();
  if (decided.kind === 'written')
    ports.log.info({ consumer: name, registeredBy: request.registeredBy }, 'lifecycle consumer unregistered');
  const gone = decided.kind === 'written' || decided.answer?.status === 'unregistered';
  if (gone) await dropDurable(ports, name);
  return ok({ name, removed: decided.kind === 'written' });
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
