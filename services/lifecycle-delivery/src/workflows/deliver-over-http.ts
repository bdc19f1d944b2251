/**
 * Hands one message of a consumer's durable to the endpoint of its team, and records the answer as a report that came
 * over the broker: the receipt is durable before the message is acknowledged. The record is read before each POST, so
 * nothing is posted after a pause or to an endpoint that is registered no more.
 */
import {
  isReplayed,
  lifecycleMessageIds,
  type ConsumerTest,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { backoffMs } from '@platform/kernel';
import type { Disposition, Handle, InboundMessage } from '@platform/messaging';
import type { ConsumerRecord } from '../domain/consumer';
import { deliveryIdOf, isOpen, receiptOf } from '../domain/delivery';
import { isPostedTo, pauseGone, type Served } from '../domain/endpoint';
import { signatureHeaders } from '../endpoints/signature';
import type { PostOutcome } from '../endpoints/port';
import { skipDelivery } from './attempt-delivery';
import { brokerRepeats, done, rejectMessage, tryAgain, type DeliveryPorts } from './ports';
import { askedPauseMaxMs, readAnswer, readPosted, type Answer, type Posted } from './read-answer';
import { recordFailure, recordReceipt } from './record-receipt';
import { refuseReport } from './refuse-report';
import { recordTestAnswer } from './send-test';
import { settleMessage } from './settle-message';

export const httpLimits = {
  /** Runs of one publication, as in the package for consumers; then the retry worker sends it every five minutes. */
  runsMax: 8,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  /** The delay before a message is tried again whose consumer gets nothing now. */
  lookAgainMs: 10_000,
} as const;

/** One message on its way to one endpoint. */
interface Run {
  readonly served: Served;
  readonly message: InboundMessage;
  readonly posted: Posted;
}

/** The handler of one consumer's durable. A pause that its endpoint requests delays all its messages in this process. */
export function deliverOverHttp(ports: DeliveryPorts, consumer: string): Handle {
  const hold = createHold(ports.clock);
  return async (message) => {
    const posted = readPosted(message);
    if (!posted) return rejectMessage(`not a delivery that this release can read (${message.type})`);
    const served = await ports.consumers.findById(consumer);
    if (!isPostedTo(served)) return later('nothing is posted to it now', httpLimits.lookAgainMs);
    const leftMs = hold.leftMs();
    if (leftMs > 0) return later('its endpoint asked for a pause', leftMs);
    const run = { served, message, posted };
    const ended = await endedBefore(ports, run);
    if (ended) return ended;
    const { outcome, answer } = await post(ports, run);
    ports.posted(consumer, outcome.kind === 'answered' ? answer.kind : outcome.kind);
    if (answer.kind === 'failed' && answer.waitMs !== undefined) hold.lengthen(answer.waitMs);
    return record(ports, run, answer);
  };
}

/** The pause that an endpoint asked for: answers come in any order, and a shorter one ends no longer pause. */
function createHold(clock: DeliveryPorts['clock']) {
  let until = 0;
  const leftMs = (): number => {
    const left = until - clock.now().getTime();
    // More than an endpoint can ask for is left by a clock that has gone back since.
    return left > askedPauseMaxMs ? 0 : left;
  };
  return {
    leftMs,
    lengthen: (waitMs: number): void => void (until = clock.now().getTime() + Math.max(waitMs, leftMs())),
  };
}

const later = (reason: string, delayMs: number): Disposition => ({ kind: 'nak', reason, delayMs });

/**
 * A delivery that has its receipt needs no further run, unless a person replays it; a crash may have prevented the
 * settlement after that receipt. Nothing is posted about a tenant that is deleted by now (specification §6 rule 5), also
 * when the broker has held the message since before. Null: it is posted.
 */
async function endedBefore(ports: DeliveryPorts, { served, message, posted }: Run): Promise<Disposition | null> {
  if (posted.kind === 'test') return null;
  const { tenantId, operationId } = posted.body;
  const delivery = isReplayed(message.id)
    ? null
    : await ports.deliveries.findById(deliveryIdOf(operationId, served._id));
  if (!delivery && !isReplayed(message.id))
    return rejectMessage('no delivery of this operation to this consumer exists');
  if (delivery && receiptOf(delivery)) return settleMessage(ports, operationId);
  if ((await ports.deletedTenants.findById(tenantId)) === null) return null;
  if (!delivery || !isOpen(delivery)) return done;
  const skipped = await skipDelivery(ports, delivery, ports.clock.now());
  return skipped === 'skipped_deleted'
    ? settleMessage(ports, operationId)
    : tryAgain(`delivery ${delivery._id} could not be skipped now`);
}

async function post(
  ports: DeliveryPorts,
  run: Run,
): Promise<{ readonly outcome: PostOutcome; readonly answer: Answer }> {
  const outcome = await signedPost(ports, run);
  return { outcome, answer: readAnswer(run.posted, outcome, ports.clock.now()) };
}

async function signedPost(ports: DeliveryPorts, { served, message, posted }: Run): Promise<PostOutcome> {
  const { url, secretRef } = served.endpoint;
  const read = await ports.secrets.read(secretRef);
  if (!read.ok) return { kind: 'not_sent', reason: read.problem };
  const id = webhookIdOf(served._id, message, posted);
  const body = JSON.stringify(posted.body);
  const { traceparent } = message.headers;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'workspace-platform',
    'ce-id': id,
    'ce-type': message.type,
    ...signatureHeaders({ id, at: ports.clock.now(), body }, read.secrets),
    ...(traceparent !== undefined && { traceparent }),
  };
  return ports.endpoints.post({ url, headers, body });
}

/** The same for each attempt of a delivery; a replay has one of its own, because the team runs again for it. */
function webhookIdOf(consumer: string, { id }: InboundMessage, posted: Posted): string {
  if (posted.kind === 'test' || isReplayed(id)) return id;
  return lifecycleMessageIds.posted(deliveryIdOf(posted.body.operationId, consumer));
}

async function record(ports: DeliveryPorts, run: Run, answer: Answer): Promise<Disposition> {
  const { served, posted } = run;
  if (answer.kind === 'receipt') {
    const recorded = await recordReceipt(ports, served._id, answer.receipt);
    if (recorded.kind !== 'dead_letter') return recorded;
    return record(ports, run, { kind: 'receipt_refused', reason: recorded.reason });
  }
  if (answer.kind === 'test_receipt') {
    const recorded = await recordTestAnswer(ports, served._id, { kind: 'receipt', body: answer.receipt });
    return recorded.kind === 'dead_letter' ? done : recorded;
  }
  if (answer.kind === 'gone') {
    const paused = await pause(ports, run);
    if (paused !== done) return paused;
  }
  return posted.kind === 'test'
    ? failTest(ports, served._id, posted.body, answer.reason)
    : failRun(ports, run, posted.body, answer);
}

/** A report is one fact for each run: the message, and which handing over of it. */
const reportIdOf = ({ message }: Run): string => `${message.id}#${message.deliveryCount}`;

async function failTest(
  ports: DeliveryPorts,
  consumer: string,
  { testId }: ConsumerTest,
  error: string,
): Promise<Disposition> {
  const body = { testId, error, failedAt: ports.clock.now().toISOString() };
  const recorded = await recordTestAnswer(ports, consumer, { kind: 'failure', body });
  return recorded.kind === 'dead_letter' ? done : recorded;
}

async function failRun(
  ports: DeliveryPorts,
  run: Run,
  { tenantId, operationId, transition }: LifecycleMessage,
  answer: Exclude<Answer, { readonly kind: 'receipt' | 'test_receipt' }>,
): Promise<Disposition> {
  const { served, message } = run;
  const { kind, reason } = answer;
  const reportId = reportIdOf(run);
  const failedAt = ports.clock.now().toISOString();
  const recorded =
    kind === 'receipt_refused'
      ? await refuseReport(ports, { consumer: served._id, reportId, operationId, reason })
      : await recordFailure(
          ports,
          served._id,
          { tenantId, operationId, transition, error: reason, failedAt },
          reportId,
        );
  if (recorded.kind === 'nak') return recorded;
  const waitMs = 'waitMs' in answer ? (answer.waitMs ?? 0) : 0;
  // What has a receipt was posted by a replay: its failed run is on the record of the replay, and not sent again,
  // unless the endpoint asked for a pause, after which it takes what waits.
  if (isReplayed(message.id) && waitMs === 0) return done;
  if (waitMs === 0 && message.deliveryCount >= httpLimits.runsMax) return done;
  const { firstPauseMs, longestPauseMs } = httpLimits;
  return later(reason, Math.max(waitMs, backoffMs(message.deliveryCount, firstPauseMs, longestPauseMs)));
}

/** Pauses the consumer whose endpoint is gone, so that nothing more is posted until a person resumes it. */
async function pause(ports: DeliveryPorts, run: Run): Promise<Disposition> {
  const { _id: consumer, endpoint } = run.served;
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, null>(
    brokerRepeats,
    ports.consumers,
    consumer,
    (record) => {
      const next = record && pauseGone(record, endpoint.url, `gone-${run.message.sequence}`, ports.clock.now());
      return next ? { write: next } : { answer: null };
    },
  );
  if (decided.kind === 'unknown') return tryAgain(decided.reason);
  if (decided.kind === 'written') ports.log.warn({ consumer }, 'an endpoint is gone; its consumer is paused');
  return done;
}
