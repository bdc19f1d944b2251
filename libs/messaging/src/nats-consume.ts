/**
 * A durable pull consumer that outlives everything: each of its workers asks for one message, handles it, tells the
 * broker that it is still working, and acknowledges by what the handler decided. One message per pull, because the
 * client's own continuous `consume()` asks for more while a slow handler runs, and those messages then run twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { backoffMs } from '@platform/kernel';
import type { AdapterContext } from './nats-connect';
import type { ConsumeOptions, Disposition, Handle, InboundMessage, Subscription } from './port';
import { deadLetter, decodeBody, inboundId } from './wire';

export interface OpenConsumer extends Subscription {
  /** `<stream>/<durable>`. */
  readonly name: string;
  /** True while no worker has a standing pull request on an existing durable. */
  quiet(): boolean;
}

interface Workers {
  readonly context: AdapterContext;
  readonly options: ConsumeOptions;
  readonly handleMessage: Handle;
  readonly stopping: AbortController;
  readonly pulls: Set<ConsumerMessages>;
  /** Workers that reached the durable at their last try. */
  readonly reached: Set<number>;
}

/** Starts the workers; never throws for a broker or durable that is missing: they come in when it is there. */
export function openConsumer(context: AdapterContext, options: ConsumeOptions, handleMessage: Handle): OpenConsumer {
  const concurrency = options.concurrency ?? 1;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 256) throw new RangeError(`concurrency must be 1..256, not ${concurrency}`);
  const workers: Workers = { context, options, handleMessage, stopping: new AbortController(), pulls: new Set(), reached: new Set() };
  const running = Array.from({ length: concurrency }, (_, index) => runWorker(workers, index));
  return {
    name: `${options.stream}/${options.durable}`,
    quiet: () => !context.connected() || workers.reached.size === 0,
    close: async () => {
      workers.stopping.abort();
      for (const pull of workers.pulls) pull.stop();
      await Promise.all(running);
    },
  };
}

async function runWorker(workers: Workers, index: number): Promise<void> {
  const { context, options, stopping } = workers;
  for (let failures = 0; !stopping.signal.aborted && !context.connection.isClosed(); ) {
    try {
      const consumer = await findDurable(context, options);
      failures = 0;
      workers.reached.add(index);
      await pullUntilQuiet(workers, consumer);
    } catch (error) {
      workers.reached.delete(index);
      failures += 1;
      if (stopping.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      // The first failure is the news; a durable that stays away is shown by `quietConsumers`.
      if (failures === 1 && index === 0) context.options.log.warn({ stream: options.stream, durable: options.durable, reason }, 'Consumer went quiet; opening it again');
      await pause(backoffMs(failures, 50, 2_000), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
}

async function findDurable({ connection, names }: AdapterContext, { stream, durable }: ConsumeOptions): Promise<Consumer> {
  return jetstream(connection, { timeout: 5_000 }).consumers.get(names.stream(stream), durable);
}

/** Returns when stopped; throws when the durable is gone, the stream was made anew or heartbeats are missed. */
async function pullUntilQuiet(workers: Workers, consumer: Consumer): Promise<void> {
  const { context, stopping, pulls } = workers;
  const ackWaitMs = Math.max(300, ((await consumer.info(true)).config.ack_wait ?? 30e9) / 1e6);
  while (!stopping.signal.aborted) {
    const pull = await consumer.fetch({ max_messages: 1, expires: context.options.pullExpiresMs ?? 10_000 });
    pulls.add(pull);
    let message: JsMsg | undefined;
    try {
      if (stopping.signal.aborted) pull.stop();
      for await (const arrived of pull) message = arrived;
    } finally {
      pulls.delete(pull);
    }
    if (message && stopping.signal.aborted) message.nak();
    else if (message) await attend(workers, message, ackWaitMs);
  }
}

/** Handles one message while telling the broker so; an unreachable broker redelivers, which handlers admit. */
async function attend(workers: Workers, message: JsMsg, ackWaitMs: number): Promise<void> {
  const working = setInterval(() => {
    // On a closed connection the call throws, and a throw in a timer would end the process.
    if (!workers.context.connection.isClosed()) message.working();
  }, ackWaitMs / 3);
  try {
    const disposition = await decide(workers, message);
    if (disposition.kind === 'ack') message.ack();
    else if (disposition.kind === 'nak') nak(workers, message, disposition);
    else await bury(workers, message, disposition.reason);
  } finally {
    clearInterval(working);
  }
}

async function decide({ context, options, handleMessage }: Workers, message: JsMsg): Promise<Disposition> {
  const body = decodeBody(message.data);
  if (!body.ok) return { kind: 'dead_letter', reason: body.reason };
  try {
    return await handleMessage(toInbound(context, options.stream, message, body.body));
  } catch (error) {
    context.options.log.error({ stream: options.stream, durable: options.durable, sequence: message.seq, error }, 'Handler threw');
    return { kind: 'nak', reason: 'handler threw' };
  }
}

function nak({ context, options }: Workers, message: JsMsg, { reason, delayMs }: Extract<Disposition, { kind: 'nak' }>): void {
  const { baseMs, capMs } = context.options.redelivery ?? { baseMs: 1_000, capMs: 60_000 };
  const waitMs = delayMs ?? backoffMs(message.info.deliveryCount, baseMs, capMs);
  context.options.log.debug({ stream: options.stream, durable: options.durable, sequence: message.seq, reason, waitMs }, 'Message will be delivered again');
  message.nak(waitMs);
}

/** The copy first: only when it is acknowledged may the original end. */
async function bury(workers: Workers, message: JsMsg, reason: string): Promise<void> {
  const { context, options } = workers;
  const origin = {
    stream: options.stream,
    durable: options.durable,
    subject: context.names.plainSubject(message.subject),
    sequence: message.seq,
    publishedAt: message.time,
    deliveryCount: message.info.deliveryCount,
    headers: readHeaders(message),
  };
  const copy = deadLetter(origin, reason);
  const outcome = await context.publishBytes(copy.subject, copy.id, message.data, copy.headers);
  if (outcome === 'unknown') return nak(workers, message, { kind: 'nak', reason: 'dead letter not acknowledged' });
  context.options.log.warn({ stream: options.stream, durable: options.durable, sequence: message.seq, reason }, 'Message moved to the dead letters');
  // Bare: servers before 2.10 ignore a term with a reason, and the message would come back for ever.
  message.term();
}

function toInbound(context: AdapterContext, stream: string, message: JsMsg, body: unknown): InboundMessage {
  const headers = readHeaders(message);
  return {
    subject: context.names.plainSubject(message.subject),
    stream,
    sequence: message.seq,
    id: inboundId(headers, stream, message.seq),
    type: headers['ce-type'] ?? '',
    body,
    headers,
    deliveryCount: message.info.deliveryCount,
    publishedAt: message.time,
  };
}

function readHeaders(message: JsMsg): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of message.headers?.keys() ?? []) headers[name] = message.headers?.get(name) ?? '';
  return headers;
}
