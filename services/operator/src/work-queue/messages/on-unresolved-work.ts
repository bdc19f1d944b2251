/**
 * Alerts and outcomes of all services cause a new read: the message names a record, and its owner has the current
 * state. The owner may not have written the announced change yet, so a read that shows no change is repeated once or
 * twice.
 */
import { workKindSchema, type WorkKind } from '@platform/contracts-operator';
import { providerOutcomeSchema } from '@platform/contracts-provisioning';
import type { Disposition, InboundMessage } from '@platform/messaging';
import { z } from 'zod';
import { isUnavailable } from '../workflows/ports';
import type { Refreshed } from '../workflows/refresh-item';

const alertSchema = z.object({ kind: z.string(), id: z.string().min(1).max(300) });
const looks = 3;
const againMs = 700;

type Refresh = (kind: WorkKind, itemId: string) => Promise<Refreshed>;

export function onAlert(refresh: Refresh) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const alert = alertSchema.safeParse(message.body);
    if (!alert.success) return { kind: 'dead_letter', reason: 'not an alert' };
    const kind = workKindSchema.safeParse(alert.data.kind);
    if (kind.success) return looked(message, await refresh(kind.data, alert.data.id), ['changed', 'removed']);
    const row = alert.data.kind === 'quarantined_record' ? listedRow(alert.data.id) : null;
    // A later build will list a kind that this build does not know; a row that is no work is logged.
    return row ? looked(message, await refresh(row.kind, row.itemId), ['changed', 'removed']) : { kind: 'ack' };
  };
}

/** Collections of this service whose records are work. */
const workIn: Readonly<Record<string, WorkKind>> = {
  operations: 'operation',
  plan_migrations: 'migration',
  plan_migration_items: 'migration_item',
};

/** The queue item of a row that was set aside, by `<collection>/<id>`; null when the row is no work of this service. */
function listedRow(named: string): { readonly kind: WorkKind; readonly itemId: string } | null {
  const [, collection = '', itemId = ''] = /^([^/]+)\/(.+)$/.exec(named) ?? [];
  const kind = workIn[collection];
  return kind ? { kind, itemId } : null;
}

/** An outcome that stops the event also arrives as an alert. */
export function onProviderOutcome(refresh: Refresh) {
  return async (message: InboundMessage): Promise<Disposition> => {
    const outcome = providerOutcomeSchema.safeParse(message.body);
    if (!outcome.success) return { kind: 'dead_letter', reason: 'not an outcome of a provider event' };
    if (outcome.data.outcome === 'failed' || outcome.data.outcome === 'unknown') return { kind: 'ack' };
    return looked(message, await refresh('webhook_event', outcome.data.eventId), ['absent', 'removed']);
  };
}

/** The next walk finds what these reads miss. */
function looked({ deliveryCount }: InboundMessage, refreshed: Refreshed, awaited: readonly Refreshed[]): Disposition {
  if (awaited.includes(refreshed) || deliveryCount >= looks) return { kind: 'ack' };
  return {
    kind: 'nak',
    reason: isUnavailable(refreshed) ? refreshed.unavailable : `the record is not as announced yet (${refreshed})`,
    delayMs: againMs,
  };
}
