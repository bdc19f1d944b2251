/**
 * Keeps one provisioning listener served and registered, in this order: once it is registered, a creation stops when no
 * process answers for it.
 */
import {
  listenerRequests,
  listenerSubjects,
  provisioningEvents,
  provisioningNoticeSchema,
  registeredListenerSchema,
  type ProvisioningEvent,
} from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint, Messaging, Subscription } from '@platform/messaging';
import type { TenantProvisioningListener, TenantProvisioningNotice } from '../tenant-lifecycle/provisioning-listener';
import { keepRegistered, requestTimeoutMs, type KeepPorts, type KeptRegistration } from './keep-registered';

export interface ListenPorts extends KeepPorts {
  readonly messaging: Pick<Messaging, 'request' | 'serve' | 'restored'>;
  readonly instance: string;
  /** Aborted when this process must not wait for runs any longer. */
  readonly abandon: AbortSignal;
}

type Run = (notice: TenantProvisioningNotice) => Promise<void>;

function handlersOf(listener: TenantProvisioningListener): Readonly<Record<ProvisioningEvent, Run | undefined>> {
  return { TENANT_BEING_PROVISIONED: listener.onTenantBeingProvisioned, TENANT_DELETED: listener.onTenantDeleted };
}

/** `close` stops registering and answering, and waits for a running call. */
export function linkListener(listener: TenantProvisioningListener, ports: ListenPorts): KeptRegistration {
  const { messaging, log } = ports;
  const { name, order, version } = listener;
  const handlers = handlersOf(listener);
  const events = provisioningEvents.filter((event) => handlers[event]);
  let served: Subscription | null = null;

  const kept = keepRegistered(
    async (renew, level, closing) => {
      if (!served && !closing.aborted) {
        const endpoints = events.map((event) => endpointFor(listener, event, handlers[event]!, ports));
        served = await messaging.serve(
          { name, version: '1.0.0', description: 'Takes part in the creation of workspaces' },
          endpoints,
        );
      }
      const request = {
        ...{ name, events, registeredBy: ports.instance, renew },
        ...(order !== undefined && { order }),
        ...(version !== undefined && { version }),
      };
      const answer = await messaging.request(listenerRequests.register(name), request, requestTimeoutMs);
      const registered = answer.ok ? registeredListenerSchema.safeParse(answer.value) : undefined;
      if (!registered?.success) {
        const reason = answer.ok
          ? 'the answer is not one that this version can read'
          : `${answer.error.serverCode ?? answer.error.code}: ${answer.error.message}`;
        log[level]({ listener: name, reason }, 'a tenant provisioning listener is not registered yet; asking again');
        return false;
      }
      if (registered.data.replaced)
        log.warn(
          { listener: name, registeredBy: ports.instance },
          'this registration replaced another one of the same name',
        );
      if (!renew) log.info({ listener: name, events }, 'a tenant provisioning listener is registered');
      return true;
    },
    ports,
    'tenant provisioning listener',
    { listener: name },
  );
  return {
    ready: kept.ready,
    async close() {
      await kept.close();
      await served?.close();
    },
  };
}

function endpointFor(
  { name }: TenantProvisioningListener,
  event: ProvisioningEvent,
  run: Run,
  { log, abandon }: ListenPorts,
): Endpoint {
  return {
    name: event.toLowerCase().replaceAll('_', '-'),
    subject: listenerSubjects[event](name),
    async answer(body) {
      const decoded = provisioningNoticeSchema.safeParse(body);
      if (!decoded.success || decoded.data.event !== event)
        return refused({ code: 'notice_not_understood', message: 'not a notice that this version can read' });
      const { event: _event, ...notice } = decoded.data;
      const code = await outcomeOf((async () => run(Object.freeze(notice)))(), abandon);
      if (code === null) return ok({ done: true });
      log.warn(
        { listener: name, event, tenantId: notice.tenantId, code },
        'a tenant provisioning listener did not succeed',
      );
      // Only a code: an error's message may repeat the extras.
      return refused({ code, message: 'the listener did not succeed' });
    },
  };
}

const safeCode = /^[a-z][a-z0-9_]{0,63}$/;

/** Identified by name, because the listener may use another copy of this package in the same process. */
function codeOf(error: unknown): string {
  const refusal =
    error instanceof Error && error.name === 'TenantProvisioningRefusal' && 'code' in error ? error.code : undefined;
  return typeof refusal === 'string' && safeCode.test(refusal) ? refusal : 'listener_error';
}

/** Null for a success. An abandoned run continues, and its outcome is unknown. */
async function outcomeOf(running: Promise<void>, abandon: AbortSignal): Promise<string | null> {
  let giveUp = (): void => undefined;
  const abandoned = new Promise<string>((resolve) => {
    giveUp = () => resolve('listener_stopping');
    abandon.addEventListener('abort', giveUp, { once: true });
    if (abandon.aborted) giveUp();
  });
  const ended = running.then(() => null, codeOf);
  return Promise.race([ended, abandoned]).finally(() => abandon.removeEventListener('abort', giveUp));
}
