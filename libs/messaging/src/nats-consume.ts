/**
 * A durable pull consumer that survives every outage. It requests exactly as many messages as it has free handlers: the
 * client's own continuous `consume()` requests more while a slow handler runs, and those messages wait in its queue
 * longer than their ack wait and run twice. When a pull ends badly (missed heartbeats, consumer or stream missing) it
 * opens again.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { backoffMs } from '@platform/kernel';
import { attend } from './nats-attend';
import type { Attendant } from './nats-attend';
import type { AdapterContext } from './nats-context';
import type { ConsumeOptions, Handle, Subscription } from './port';

export interface OpenConsumer extends Subscription {
  /** `<stream>/<durable>`. */
  readonly name: string;
  /** True while no pull is open at the broker on an existing durable. */
  quiet(): boolean;
}

interface Intake extends Attendant {
  readonly concurrency: number;
  readonly stopping: AbortController;
  readonly handling: Set<Promise<void>>;
  readonly pulls: Set<ConsumerMessages>;
  reached: boolean;
  failures: number;
  /** Called when a handler or a pull ended, or when the consumer closes. */
  wake: () => void;
}

/** Starts pulling; never throws for a missing broker or durable: it continues when they are available. */
export function openConsumer(context: AdapterContext, options: ConsumeOptions, handleMessage: Handle): OpenConsumer {
  const concurrency = options.concurrency ?? 1;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 256)
    throw new RangeError(`concurrency must be 1..256, not ${concurrency}`);
  const intake: Intake = {
    context,
    options,
    handleMessage,
    concurrency,
    stopping: new AbortController(),
    handling: new Set(),
    pulls: new Set(),
    reached: false,
    failures: 0,
    wake: () => undefined,
  };
  const running = runIntake(intake);
  return {
    name: `${options.stream}/${options.durable}`,
    quiet: () => !context.connected() || !intake.reached,
    close: async () => {
      intake.stopping.abort();
      intake.wake();
      await running;
      await Promise.all(intake.handling);
    },
  };
}

async function runIntake(intake: Intake): Promise<void> {
  const { context, options, stopping } = intake;
  // A request for the durable at an unreachable broker takes until its time-out; closing does not wait for that.
  const stopped = new Promise<null>((settle) =>
    stopping.signal.addEventListener('abort', () => settle(null), { once: true }),
  );
  while (!stopping.signal.aborted && !context.connection.isClosed()) {
    try {
      const consumer = await Promise.race([
        context.jetstream.consumers.get(context.names.stream(options.stream), options.durable),
        stopped,
      ]);
      if (!consumer) return;
      intake.reached = true;
      await keepPulling(intake, consumer);
    } catch (error) {
      intake.reached = false;
      intake.failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      // The first failure is logged; `quietConsumers` shows a durable that remains missing.
      if (intake.failures === 1)
        context.options.log.warn(
          { stream: options.stream, durable: options.durable, reason },
          'Consumer went quiet; opening it again',
        );
      await pause(backoffMs(intake.failures, 50, 2_000), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
}

/** Returns when stopped; throws the error that ended a pull. */
async function keepPulling(intake: Intake, consumer: Consumer): Promise<void> {
  const ackWaitMs = Math.max(300, ((await consumer.info(true)).config.ack_wait ?? 30e9) / 1e6);
  const ends = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let requested = 0;
  const pull = async (count: number): Promise<void> => {
    requested += count;
    let left = count;
    try {
      for await (const message of await openPull(intake, consumer, count)) {
        left -= 1;
        requested -= 1;
        if (intake.stopping.signal.aborted) message.nak();
        else track(intake.handling, attend(intake, message, ackWaitMs).catch(reportLost(intake)), intake);
      }
      intake.failures = 0;
    } catch (error) {
      failures.push(error);
    } finally {
      requested -= left;
    }
  };
  try {
    while (!intake.stopping.signal.aborted && !intake.context.connection.isClosed()) {
      if (failures.length > 0) throw failures[0];
      const woken = new Promise<void>((settle) => (intake.wake = settle));
      const free = intake.concurrency - intake.handling.size - requested;
      if (free > 0) track(ends, pull(free), intake);
      await woken;
      // Handlers that end in one turn share the next pull; a single handler pulls at the same time as it acknowledges.
      if (intake.concurrency > 1) await nextTurn();
    }
  } finally {
    for (const standing of intake.pulls) standing.stop();
    await Promise.all(ends);
  }
}

async function* openPull(
  { context, pulls, stopping }: Intake,
  consumer: Consumer,
  count: number,
): AsyncGenerator<JsMsg> {
  const pull = await consumer.fetch({ max_messages: count, expires: context.options.pullExpiresMs ?? 10_000 });
  pulls.add(pull);
  try {
    if (stopping.signal.aborted) pull.stop();
    yield* pull;
  } finally {
    pulls.delete(pull);
  }
}

function track(set: Set<Promise<void>>, work: Promise<void>, intake: Intake): void {
  const tracked = work.finally(() => {
    set.delete(tracked);
    intake.wake();
  });
  set.add(tracked);
}

/** An acknowledgement fails only on a closed connection; then the message is delivered again. */
function reportLost({ context, options }: Intake): (error: unknown) => void {
  return (error) =>
    context.options.log.warn(
      { stream: options.stream, durable: options.durable, error },
      'Acknowledgement was not sent',
    );
}
