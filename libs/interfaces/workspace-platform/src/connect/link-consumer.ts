/** Keeps one consumer registered and its deliveries read: registers until it is answered and opens its durable. */
import {
  lifecycleRequests,
  registeredConsumerSchema,
  type RegisteredConsumer,
} from '@platform/contracts-lifecycle-delivery';
import { refused, type Result } from '@platform/kernel';
import type { Handle, Messaging, Subscription } from '@platform/messaging';
import type { TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { keepRegistered, requestTimeoutMs, type KeepPorts, type KeptRegistration } from './keep-registered';

export interface LinkPorts extends KeepPorts {
  readonly messaging: Pick<Messaging, 'request' | 'consume' | 'restored'>;
  readonly instance: string;
}

/** `close` stops registering and reading, and waits for a running call. */
export function linkConsumer(consumer: TenantLifecycleConsumer, handle: Handle, ports: LinkPorts): KeptRegistration {
  const { messaging, log } = ports;
  let subscription: Subscription | null = null;
  const tell = createTeller(consumer.name, ports);

  const kept = keepRegistered(
    async (renew, level, closing) => {
      const answer = await register(messaging, {
        name: consumer.name,
        transitions: [...consumer.transitions],
        registeredBy: ports.instance,
        renew,
        answersTests: true,
        ...(consumer.version !== undefined && { version: consumer.version }),
        ...(consumer.contact !== undefined && { contact: consumer.contact }),
      });
      if (!answer.ok) {
        log[level](
          { consumer: consumer.name, reason: answer.error },
          'a tenant lifecycle consumer is not registered yet; asking again',
        );
        return false;
      }
      tell(answer.value);
      if (!subscription && !closing.aborted) {
        subscription = await messaging.consume(
          { stream: answer.value.stream, durable: answer.value.durable, concurrency: consumer.concurrency ?? 1 },
          handle,
        );
        log.info(
          { consumer: consumer.name, transitions: consumer.transitions },
          'a tenant lifecycle consumer is registered',
        );
      }
      return true;
    },
    ports,
    'tenant lifecycle consumer',
    { consumer: consumer.name },
  );
  return {
    ready: kept.ready,
    async close() {
      await kept.close();
      await subscription?.close();
    },
  };
}

/** Logs the facts in an answer that the consumer's people must know, each one once. */
function createTeller(consumer: string, { log, instance }: LinkPorts): (answer: RegisteredConsumer) => void {
  let toldAt: string | undefined;
  let toldSuperseded = false;
  return ({ replaced, superseded = false, refusedReceipts: refusal }) => {
    if (replaced)
      log.warn({ consumer, registeredBy: instance }, 'this registration replaced another one of the same name');
    if (superseded && !toldSuperseded)
      log.warn(
        { consumer, registeredBy: instance },
        'a later registration of this name has other transitions; this one changes nothing',
      );
    toldSuperseded = superseded;
    if (!refusal || refusal.last.at === toldAt) return;
    toldAt = refusal.last.at;
    log.warn(
      { consumer, refused: refusal.count, ...refusal.last },
      'a receipt of this consumer was refused; its delivery is not done',
    );
  };
}

async function register(
  messaging: Pick<Messaging, 'request'>,
  request: Readonly<Record<string, unknown>> & { readonly name: string },
): Promise<Result<RegisteredConsumer, string>> {
  const answer = await messaging.request(lifecycleRequests.register(request.name), request, requestTimeoutMs);
  if (!answer.ok) return refused(`${answer.error.serverCode ?? answer.error.code}: ${answer.error.message}`);
  const decoded = registeredConsumerSchema.safeParse(answer.value);
  return decoded.success
    ? { ok: true, value: decoded.data }
    : refused('the answer is not one that this version can read');
}
