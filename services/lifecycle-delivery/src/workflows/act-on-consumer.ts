/**
 * People's actions on a consumer. A pause only stops sending: the consumer stays required, messages wait for its
 * receipt, and those recorded during the pause are sent when it is resumed. A test sends one message that is no
 * lifecycle message. A replay sends again the messages that the consumer has acknowledged with receipts. One fenced
 * write contains the state and the person who requested it; a repeat under the same request id changes nothing.
 */
import { lifecycleLimits, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { ok, refused, type Result } from '@platform/kernel';
import { attemptLimits } from '../domain/attempts';
import type { ConsumerRecord } from '../domain/consumer';
import { decideAction } from '../domain/consumer-actions';
import { actOnEndpoint, type ActedOn } from './act-on-endpoint';
import { viewOfConsumer } from './inspect';
import { brokerRepeats, type DeliveryPorts } from './ports';
import type { Refusal } from './register-consumer';
import { sendTest } from './send-test';

/**
 * One action of a person. A test that is recorded and perhaps not sent is refused as `broker_unavailable`; the same
 * request sends it. Throws StoreUnavailableError when it is recorded and the consumer cannot be read back.
 */
export async function actOnConsumer(ports: DeliveryPorts, asked: ActOnConsumer): Promise<Result<ActedOn, Refusal>> {
  if (asked.action === 'register_endpoint' || asked.action === 'remove_endpoint') return actOnEndpoint(ports, asked);
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
        answer: 'refused' in decision ? refusal(decision.refused, whyRefused(asked)[decision.refused]) : record,
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
  // Also after a repeat: a crash may have come between the record and the sending.
  const shown = asked.action === 'test' ? await sendTest(ports, asked.consumer, asked.requestId) : record;
  if (!shown)
    return refused(
      refusal('broker_unavailable', 'the test is recorded, it is not known whether it is sent; ask again'),
    );
  const resumed = asked.action === 'resume' && !shown.paused;
  return ok({ consumer: await viewOfConsumer(ports, shown, attemptLimits.kept), resumed });
}

const refusal = (code: Refusal['code'], message: string): Refusal => ({ code, message });

const whyRefused = ({ consumer, requestId }: ActOnConsumer) => ({
  request_id_reused: `requestId ${requestId} names another action on ${consumer}`,
  tests_not_answered: `the registration of ${consumer} does not say that it answers tests`,
  consumer_paused: `nothing is sent to ${consumer} until it is resumed`,
  replay_running: `a replay of ${consumer} runs; one runs at a time`,
  no_replay: `no replay of ${consumer} runs`,
  since_not_past: 'since: must be before now',
  test_too_soon: `the last test of ${consumer} is less than ${lifecycleLimits.testEveryMs / 1_000} s old`,
});
