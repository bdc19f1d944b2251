/** The platform of this process over a broker connection: what the registry of `tenant-lifecycle` is attached to. */
import { LIFECYCLE_REQUESTS, unregisteredConsumerSchema } from '@platform/contracts-lifecycle-delivery';
import { GATE_REQUEST, gateAnswerSchema } from '@platform/contracts-provisioning';
import { backoffMs, type Clock, type Ids, type Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { TenantLifecyclePlatform } from '../tenant-lifecycle/platform';
import { TenantLifecycleError, type TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import { deliverTo, type DeliveryLimits } from './deliver';
import { linkConsumer, type ConsumerLink, type Wait } from './link-consumer';

export interface PlatformPorts {
  readonly messaging: Pick<Messaging, 'request' | 'consume' | 'publish' | 'connected'>;
  readonly instance: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly wait: Wait;
  readonly limits: DeliveryLimits;
  /** How long a run under way may take when the process detaches. */
  readonly stopGraceMs: number;
}

export interface MessagingPlatform extends TenantLifecyclePlatform {
  /** Resolves when every consumer that is connected now is registered and read. */
  ready(): Promise<void>;
  /** Ends whatever still asks; called after the registry has been detached. */
  close(): void;
}

const REQUEST_TIMEOUT_MS = 5_000;

export function createMessagingPlatform(ports: PlatformPorts): MessagingPlatform {
  const { messaging, log } = ports;
  const links = new Set<ConsumerLink>();
  const stop = new AbortController();

  async function detach(link: ConsumerLink, abandon: AbortController): Promise<void> {
    links.delete(link);
    const grace = setTimeout(() => abandon.abort(), ports.stopGraceMs);
    await link.close().finally(() => clearTimeout(grace));
  }

  async function removeOnce(name: string): Promise<boolean> {
    const answer = await messaging.request(LIFECYCLE_REQUESTS.unregister(name), { name, registeredBy: ports.instance }, REQUEST_TIMEOUT_MS);
    if (answer.ok && unregisteredConsumerSchema.safeParse(answer.value).success) return true;
    log.warn({ consumer: name, reason: answer.ok ? 'unreadable answer' : answer.error.message }, 'a removal was not answered; asking again');
    return false;
  }

  return {
    log,
    connectConsumer(consumer: TenantLifecycleConsumer) {
      const abandon = new AbortController();
      const handle = deliverTo(consumer, { broker: messaging, clock: ports.clock, ids: ports.ids, log, limits: ports.limits, abandon: abandon.signal });
      const link = linkConsumer(consumer, handle, ports);
      links.add(link);
      return { detach: () => detach(link, abandon) };
    },
    async removeConsumer(name) {
      for (let tries = 1; !(await removeOnce(name)); tries += 1) {
        await ports.wait(backoffMs(tries, 250, 10_000), stop.signal);
        if (stop.signal.aborted) throw new Error(`the removal of ${name} was not confirmed before the connection was closed`);
      }
    },
    async isProvisioningCommitted(tenantId) {
      const answer = await messaging.request(GATE_REQUEST, { tenantId }, REQUEST_TIMEOUT_MS);
      if (!answer.ok) throw new TenantLifecycleError('gate_unavailable', `the commit gate did not answer: ${answer.error.serverCode ?? answer.error.code}`);
      const decoded = gateAnswerSchema.safeParse(answer.value);
      if (!decoded.success) throw new TenantLifecycleError('gate_unavailable', 'the commit gate gave an answer that this version cannot read');
      return decoded.data.committed;
    },
    async ready() {
      await Promise.all([...links].map((link) => link.ready));
    },
    close: () => stop.abort(),
  };
}
