/** The creation that a provider event concerns, requested from its owner. Evidence for a case; no decision uses it. */
import type { WebhookEventView } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { readAttempt, requestAttempts } from '../../work-queue/workflows/asked-owners';
import { isUnavailable, type OwnerPorts, type Unavailable } from '../../work-queue/workflows/ports';

/**
 * The attempt behind an event that provisioning owns; `not_asked` for all others, `not_found` when the event names no
 * known attempt.
 */
export type CreationOfEvent = AttemptView | 'not_asked' | 'not_found' | Unavailable;

/** By the workspace that the event names; else by its invoice, subscription or customer among the open attempts. */
export async function creationOf(
  ports: OwnerPorts,
  { object }: WebhookEventView,
  tenantId: string | undefined,
): Promise<CreationOfEvent> {
  if (tenantId !== undefined) return (await readAttempt(ports, tenantId)) ?? 'not_found';
  const same = (id: string | undefined, reported: unknown) => id !== undefined && id === reported;
  const ofEvent = ({ handles }: AttemptView) =>
    same(handles.invoiceId, object['id']) ||
    same(handles.subscriptionId, object['subscription']) ||
    same(handles.customerId, object['customer']);
  let cursor: string | undefined;
  do {
    const page = await requestAttempts(ports, cursor);
    if (isUnavailable(page)) return page;
    const found = page.attempts.find(ofEvent);
    if (found) return found;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return 'not_found';
}
