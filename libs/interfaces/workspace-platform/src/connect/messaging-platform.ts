/** The platform of this process over a broker connection: what the registry of `tenant-lifecycle` is attached to. */
import { LIFECYCLE_REQUESTS, unregisteredConsumerSchema } from '@platform/contracts-lifecycle-delivery';
import {
  GATE_REQUEST,
  gateAnswerSchema,
  LISTENER_REQUESTS,
  unregisteredListenerSchema,
} from '@platform/contracts-provisioning';
import { backoffMs, type Clock, type Ids, type Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { TenantLifecyclePlatform } from '../tenant-lifecycle/platform';
import type { TenantProvisioningListener } from '../tenant-lifecycle/provisioning-listener';
import { TenantLifecycleError, type TenantLifecycleConsumer } from '../tenant-lifecycle/types';
import type { z } from 'zod';
import { deliverTo, type DeliveryLimits } from './deliver';
import { REQUEST_TIMEOUT_MS, type KeptRegistration, type Wait } from './keep-registered';
import { linkConsumer } from './link-consumer';
import { linkListener } from './link-listener';

export interface PlatformPorts {
  readonly messaging: Pick<Messaging, 'request' | 'consume' | 'publish' | 'serve' | 'connected'>;
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
  /** Resolves when every consumer and listener that is connected now is registered, and read or served. */
  ready(): Promise<void>;
  /** Ends whatever still asks; called after the registry has been detached. */
  close(): void;
}

export function createMessagingPlatform(ports: PlatformPorts): MessagingPlatform {
  const { messaging, log, instance } = ports;
  const links = new Set<KeptRegistration>();
  const stop = new AbortController();

  function connection(link: KeptRegistration, abandon: AbortController) {
    links.add(link);
    return {
      stands: link.ready,
      async detach(): Promise<void> {
        links.delete(link);
        const grace = setTimeout(() => abandon.abort(), ports.stopGraceMs);
        await link.close().finally(() => clearTimeout(grace));
      },
    };
  }

  async function removeOnce(subject: string, name: string, answerSchema: z.ZodType): Promise<boolean> {
    const answer = await messaging.request(subject, { name, registeredBy: instance }, REQUEST_TIMEOUT_MS);
    if (answer.ok && answerSchema.safeParse(answer.value).success) return true;
    log.warn(
      { name, reason: answer.ok ? 'unreadable answer' : answer.error.message },
      'a removal was not answered; asking again',
    );
    return false;
  }

  async function remove(subject: string, name: string, answerSchema: z.ZodType): Promise<void> {
    for (let tries = 1; !(await removeOnce(subject, name, answerSchema)); tries += 1) {
      await ports.wait(backoffMs(tries, 250, 10_000), stop.signal);
      if (stop.signal.aborted)
        throw new Error(`the removal of ${name} was not confirmed before the connection was closed`);
    }
  }

  return {
    log,
    connectConsumer(consumer: TenantLifecycleConsumer) {
      const abandon = new AbortController();
      const handle = deliverTo(consumer, {
        broker: messaging,
        clock: ports.clock,
        ids: ports.ids,
        log,
        limits: ports.limits,
        abandon: abandon.signal,
      });
      return connection(linkConsumer(consumer, handle, ports), abandon);
    },
    removeConsumer: (name) => remove(LIFECYCLE_REQUESTS.unregister(name), name, unregisteredConsumerSchema),
    connectListener(listener: TenantProvisioningListener) {
      const abandon = new AbortController();
      return connection(linkListener(listener, { ...ports, abandon: abandon.signal }), abandon);
    },
    removeListener: (name) => remove(LISTENER_REQUESTS.unregister(name), name, unregisteredListenerSchema),
    async isProvisioningCommitted(tenantId) {
      const answer = await messaging.request(GATE_REQUEST, { tenantId }, REQUEST_TIMEOUT_MS);
      if (!answer.ok)
        throw new TenantLifecycleError(
          'gate_unavailable',
          `the commit gate did not answer: ${answer.error.serverCode ?? answer.error.code}`,
        );
      const decoded = gateAnswerSchema.safeParse(answer.value);
      if (!decoded.success)
        throw new TenantLifecycleError(
          'gate_unavailable',
          'the commit gate gave an answer that this version cannot read',
        );
      return decoded.data.committed;
    },
    async ready() {
      await Promise.all([...links].map((link) => link.ready));
    },
    close: () => stop.abort(),
  };
}
