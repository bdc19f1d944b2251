/**
 * Continues recorded requests about consumers every ten seconds: tests that a crash left unsent, and the next page of
 * each replay; and opens and closes couriers. A round without such work reads only the consumers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { replayLimits } from '../domain/replay';
import { advanceReplays } from './advance-replays';
import type { Couriers } from './couriers';
import type { DeliveryPorts } from './ports';
import { sendUnsentTests } from './send-test';

export interface ConsumerWorker {
  /** A person changed a consumer: its courier is opened or closed soon. */
  alignSoon(): void;
  close(): Promise<void>;
}

const everyMs = 10_000;

/** One round. Throws StoreUnavailableError when the store is unreachable; the next round continues from the records. */
export async function takeUpActions(ports: DeliveryPorts, pageSize: number = replayLimits.pageSize): Promise<void> {
  const consumers = await ports.readConsumers();
  await sendUnsentTests(ports, consumers);
  await advanceReplays(ports, consumers, pageSize);
}

export function startConsumerWorker(
  ports: DeliveryPorts,
  couriers: Couriers,
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void> = waitByTimer,
): ConsumerWorker {
  const stop = new AbortController();
  const align = (): Promise<void> =>
    couriers
      .align()
      .catch((error: unknown) =>
        ports.log.warn({ error: String(error) }, 'the couriers could not be aligned; another round follows'),
      );
  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      await align();
      await takeUpActions(ports).catch((error: unknown) =>
        ports.log.warn(
          { error: String(error) },
          'the actions on consumers could not be taken up; another round follows',
        ),
      );
      await wait(everyMs, stop.signal);
    }
  }
  const looping = loop();
  return {
    alignSoon: () => void align(),
    async close() {
      stop.abort();
      await looping;
    },
  };
}

async function waitByTimer(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
