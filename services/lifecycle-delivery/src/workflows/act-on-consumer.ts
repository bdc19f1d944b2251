/**
 * What a person does to a consumer: a pause stops what is sent to it, and nothing else. It stays required, so each
 * message goes on waiting for its receipt, and what was recorded meanwhile leaves when it is resumed. One fenced write
 * holds the state and who asked for it; a repeat under the same request id changes nothing.
 */
import type { ActOnConsumer, ConsumerView } from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { ok, refused, type Result } from '@platform/kernel';
import { attemptLimits } from '../domain/attempts';
import { decideAction, type ConsumerRecord } from '../domain/consumer';
import { viewOfConsumer } from './inspect';
import { brokerRepeats, type DeliveryPorts } from './ports';
import type { Refusal } from './register-consumer';

/** `resumed`: what waits for it is due now. */
export interface ActedOn {
  readonly consumer: ConsumerView;
  readonly resumed: boolean;
}

export async function actOnConsumer(ports: DeliveryPorts, asked: ActOnConsumer): Promise<Result<ActedOn, Refusal>> {
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, Refusal | ConsumerRecord>(
    brokerRepeats,
    ports.consumers,
    asked.consumer,
    (record) => {
      if (record?.status !== 'registered')
        return { answer: refusal('unknown_consumer', `${asked.consumer} is not registered`) };
      const decision = decideAction(record, asked, ports.clock.now());
      if ('next' in decision) return { write: decision.next };
      return {
        answer:
          decision.answer === 'already_done'
            ? record
            : refusal('request_id_reused', `requestId ${asked.requestId} names another action on ${asked.consumer}`),
      };
    },
  );
  if (decided.kind === 'unknown')
    return refused(refusal('store_unavailable', 'it is not known whether the action is recorded; ask again'));
  const record = decided.kind === 'written' ? decided.record : decided.answer;
  if ('code' in record) return refused(record);
  if (decided.kind === 'written') {
    const { consumer, action, requestId, by } = asked;
    ports.log.warn({ consumer, action, requestId, by }, 'a person acted on a lifecycle consumer');
  }
  // Also after a repeat: a crash may have come between the record and what follows it.
  return ok({ consumer: await viewOfConsumer(ports, record, attemptLimits.kept), resumed: !record.paused });
}

const refusal = (code: Refusal['code'], message: string): Refusal => ({ code, message });
