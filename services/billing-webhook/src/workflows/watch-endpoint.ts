/**
 * Alerts people before the provider stops repeating events or disables the endpoint. The alert leaves through the
 * outbox of the oldest event, once a day while the danger lasts.
 */
import { alertEntry } from '@platform/kernel';
import { givenUpAt, judgeEndpoint, repeatedSince, type EndpointHealth } from '../domain/endpoint-health';
import { noteEndpointWarning, workspaceOf, type WebhookEvent } from '../domain/webhook-event';
import type { WebhookPorts } from './ports';

type JudgePorts = Pick<WebhookPorts, 'events' | 'clock'>;

export interface JudgedEndpoint extends EndpointHealth {
  /** The oldest unresolved event that the provider still repeats. */
  readonly oldest: WebhookEvent | null;
}

/** Reads and judges; changes nothing. Throws StoreUnavailableError. */
export async function judgeOldest({ events, clock }: JudgePorts, warnAfterHours: number): Promise<JudgedEndpoint> {
  const now = clock.now();
  const since = repeatedSince(now);
  const found = await Promise.all(
    (['pending', 'reconciliation_required'] as const).map((result) =>
      events.find({ result, receivedAt: { $gt: since } }, { sort: { receivedAt: 1, _id: 1 }, limit: 1 }),
    ),
  );
  const oldest =
    found
      .flat()
      .sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())
      .at(0) ?? null;
  return { oldest, ...judgeEndpoint(oldest?.receivedAt ?? null, warnAfterHours, now) };
}

/** Judges, and alerts once for each day; of several replicas only one alerts. Throws StoreUnavailableError. */
export async function watchEndpoint(
  ports: Pick<WebhookPorts, 'events' | 'clock' | 'executor' | 'publishNow' | 'log'>,
  warnAfterHours: number,
): Promise<JudgedEndpoint> {
  const judged = await judgeOldest(ports, warnAfterHours);
  const { oldest, warningDay, hoursLeft, oldestUnresolvedHours } = judged;
  if (!oldest || warningDay <= (oldest.endpointWarning?.day ?? 0)) return judged;
  const at = ports.clock.now();
  const hours = { unresolved: Math.floor(oldestUnresolvedHours), left: Math.floor(hoursLeft ?? 0) };
  const reason = `${oldest.type} has been answered with an error for ${hours.unresolved} h. The payment provider gives it up in ${hours.left} h and may then disable the webhook endpoint.`;
  const alert = alertEntry(
    {
      service: ports.executor.service,
      kind: 'webhook_event',
      id: oldest._id,
      tenantId: workspaceOf(oldest),
      reason,
      at,
    },
    `endpoint:${warningDay}`,
  );
  const written = await ports.events.mutate(
    oldest,
    noteEndpointWarning(oldest, { day: warningDay, at, givenUpAt: givenUpAt(oldest.receivedAt) }),
    [alert],
  );
  if (written.outcome !== 'applied') return judged;
  ports.publishNow(oldest._id, [alert]);
  ports.log.error(
    { eventId: oldest._id, oldestUnresolvedHours: hours.unresolved, hoursLeft: hours.left },
    'the provider is still refused for an old event; it will give it up and may disable this endpoint. Resolve it',
  );
  return judged;
}
