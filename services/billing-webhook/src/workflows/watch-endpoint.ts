/** Says in time that the provider is about to give events up, or to disable the endpoint. */
import { judgeEndpoint, repeatedSince, type EndpointHealth } from '../domain/endpoint-health';
import type { WebhookPorts } from './ports';

/** Judges the oldest unresolved event that the provider still repeats. Throws StoreUnavailableError. */
export async function watchEndpoint({ events, clock, log }: Pick<WebhookPorts, 'events' | 'clock' | 'log'>, warnAfterHours: number): Promise<EndpointHealth> {
  const now = clock.now();
  const since = repeatedSince(now);
  const oldest = await Promise.all((['pending', 'reconciliation_required'] as const).map((result) => events.find({ result, receivedAt: { $gt: since } }, { sort: { receivedAt: 1, _id: 1 }, limit: 1 })));
  const times = oldest.flat().map(({ receivedAt }) => receivedAt.getTime());
  const health = judgeEndpoint(times.length > 0 ? new Date(Math.min(...times)) : null, warnAfterHours, now);
  if (health.warn) log.error({ oldestUnresolvedHours: Math.floor(health.oldestUnresolvedHours), hoursLeft: Math.floor(health.hoursLeft ?? 0) }, 'the provider is still refused for old events; it will give them up and may disable this endpoint. Resolve them');
  return health;
}
