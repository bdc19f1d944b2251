/**
 * A person registers the endpoint of a team, or ends that. The record first, by a fenced write, then the durable that
 * the courier reads; a repeat under the same request id completes what a crash left out.
 */
import { lifecycleLimits, type ActOnConsumer, type ConsumerView } from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { ok, refused, type Result } from '@platform/kernel';
import { attemptLimits } from '../domain/attempts';
import type { ConsumerRecord } from '../domain/consumer';
import { decideEndpoint, isServed } from '../domain/endpoint';
import { viewOfConsumer } from './inspect';
import { brokerRepeats, type DeliveryPorts } from './ports';
import { dropDurable, durableOf, type Refusal } from './register-consumer';

/** `resumed`: the endpoint may now get messages that it did not get before, so its waiting deliveries are due. */
export interface ActedOn {
  readonly consumer: ConsumerView;
  readonly resumed: boolean;
}

/**
 * Registers or removes an endpoint. Refuses an address that is not allowed, an id of another action, and a consumer that
 * the broker serves. After `broker_unavailable` and `store_unavailable` the same request completes it. Throws
 * StoreUnavailableError when it is recorded and the consumer cannot be read back.
 */
export async function actOnEndpoint(ports: DeliveryPorts, asked: ActOnConsumer): Promise<Result<ActedOn, Refusal>> {
  const { consumer, endpoint } = asked;
  const objection = endpoint ? ports.endpoints.objectionTo(endpoint.url) : null;
  if (objection !== null) return refused({ code: 'endpoint_not_allowed', message: objection });
  let returned = false;
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, Refusal | ConsumerRecord>(
    brokerRepeats,
    ports.consumers,
    consumer,
    async (record) => {
      const decision = decideEndpoint(record, asked, ports.clock.now());
      if ('refused' in decision)
        return { answer: { code: decision.refused, message: whyRefused(asked)[decision.refused] } };
      if ('answer' in decision) return { answer: record! };
      if (!record && (await ports.consumers.count({})) >= lifecycleLimits.consumers)
        return {
          answer: { code: 'too_many_consumers', message: `at most ${lifecycleLimits.consumers} can be registered` },
        };
      returned = decision.returned;
      return { write: decision.next };
    },
  );
  if (decided.kind === 'unknown')
    return refused({ code: 'store_unavailable', message: 'it is not known whether the action is recorded; ask again' });
  const current = decided.kind === 'written' ? decided.record : decided.answer;
  if ('code' in current) return refused(current);
  if (decided.kind === 'written') {
    const { action, requestId, by } = asked;
    ports.log.warn({ consumer, action, requestId, by }, 'a person acted on the endpoint of a lifecycle consumer');
  }
  return followed(ports, current, returned);
}

/** The durable exists exactly while the consumer is registered. */
async function followed(
  ports: DeliveryPorts,
  record: ConsumerRecord,
  returned: boolean,
): Promise<Result<ActedOn, Refusal>> {
  let due = returned;
  if (!isServed(record)) {
    if (record.status === 'unregistered') await dropDurable(ports, record._id);
  } else
    try {
      if ((await ports.broker.ensureDurable(durableOf(record._id))) === 'created') due = true;
    } catch (error) {
      ports.log.warn({ consumer: record._id, error: String(error) }, 'the durable of an endpoint could not be made');
      const message = 'the registration is recorded, its durable could not be made now; ask again';
      return refused({ code: 'broker_unavailable', message });
    }
  const consumer = await viewOfConsumer(ports, record, attemptLimits.kept);
  return ok({ consumer, resumed: due && !record.paused });
}

const whyRefused = ({ consumer, requestId }: ActOnConsumer) => ({
  request_id_reused: `requestId ${requestId} names another action on ${consumer}`,
  served_by_broker: `${consumer} is registered over the broker; it must unregister first`,
  no_endpoint: `${consumer} has no endpoint`,
});
