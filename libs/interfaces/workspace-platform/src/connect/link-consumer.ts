/**
 * Keeps one consumer registered and read: registers until it is answered, opens the durable, and makes sure now and
 * then, and after every reconnect, that both still stand, because the broker may have lost its disk meanwhile.
 */
import { LIFECYCLE_REQUESTS, registeredConsumerSchema, type RegisteredConsumer } from '@platform/contracts-lifecycle-delivery';
import { backoffMs, refused, type Log, type Result } from '@platform/kernel';
import type { Handle, Messaging, Subscription } from '@platform/messaging';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';

export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export interface LinkPorts {
  readonly messaging: Pick<Messaging, 'request' | 'consume' | 'connected'>;
  readonly instance: string;
  readonly log: Log;
  readonly wait: Wait;
}

export interface ConsumerLink {
  /** Resolves when the consumer is registered and read for the first time. */
  readonly ready: Promise<void>;
  /** Stops registering and reading; waits for a run under way. */
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const RENEW_AFTER_MS = 30_000;
/** How often a lost connection is looked for between renewals. */
const LOOK_EVERY_MS = 500;

export function linkConsumer(consumer: TenantLifecycleConsumer, handle: Handle, ports: LinkPorts): ConsumerLink {
  const { messaging, log } = ports;
  const stop = new AbortController();
  let subscription: Subscription | null = null;
  let becomeReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });

  async function ensure(renew: boolean, level: 'info' | 'warn'): Promise<boolean> {
    const answer = await register(messaging, { name: consumer.name, transitions: [...consumer.transitions], registeredBy: ports.instance, renew });
    if (!answer.ok) {
      log[level]({ consumer: consumer.name, reason: answer.error }, 'a tenant lifecycle consumer is not registered yet; asking again');
      return false;
    }
    if (answer.value.replaced) log.warn({ consumer: consumer.name, registeredBy: ports.instance }, 'this registration replaced another one of the same name');
    if (!subscription && !stop.signal.aborted) {
      subscription = await messaging.consume({ stream: answer.value.stream, durable: answer.value.durable, concurrency: 1 }, handle);
      log.info({ consumer: consumer.name, transitions: consumer.transitions }, 'a tenant lifecycle consumer is registered');
    }
    return true;
  }

  /** Returns after the renewal interval, or as soon as a lost connection has come back. */
  async function untilRenewal(): Promise<void> {
    let lost = false;
    for (let waited = 0; waited < RENEW_AFTER_MS && !stop.signal.aborted; waited += LOOK_EVERY_MS) {
      await ports.wait(LOOK_EVERY_MS, stop.signal);
      const connected = messaging.connected();
      if (lost && connected) return;
      lost ||= !connected;
    }
  }

  async function keep(): Promise<void> {
    let renew = false;
    for (let failures = 0; !stop.signal.aborted; ) {
      // Services start in any order: the first refusals are no news.
      const stands = await ensure(renew, failures < 5 ? 'info' : 'warn').catch((error: unknown) => {
        log.warn({ consumer: consumer.name, error: String(error) }, 'a tenant lifecycle consumer could not be opened; trying again');
        return false;
      });
      if (stands) {
        becomeReady();
        renew = true;
        failures = 0;
        await untilRenewal();
      } else {
        failures += 1;
        await ports.wait(backoffMs(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), stop.signal);
      }
    }
  }

  const keeping = keep();
  return {
    ready,
    async close() {
      stop.abort();
      await keeping;
      await subscription?.close();
    },
  };
}

async function register(messaging: Pick<Messaging, 'request'>, request: Readonly<Record<string, unknown>> & { readonly name: string }): Promise<Result<RegisteredConsumer, string>> {
  const answer = await messaging.request(LIFECYCLE_REQUESTS.register(request.name), request, REQUEST_TIMEOUT_MS);
  if (!answer.ok) return refused(`${answer.error.serverCode ?? answer.error.code}: ${answer.error.message}`);
  const decoded = registeredConsumerSchema.safeParse(answer.value);
  return decoded.success ? { ok: true, value: decoded.data } : refused('the answer is not one that this version can read');
}
