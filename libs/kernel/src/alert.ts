/** Law 3: a stop is announced to people within a second. The alert is sent from the stopped record's own outbox. */
import type { OutboxEntry } from './outbox-entry';

export interface Alert {
  readonly service: string;
  /**
   * The kind of what stopped, which the work queue must know: `operation`, `migration`, `migration_item`,
   * `webhook_event`, `provisioning_attempt`.
   */
  readonly kind: string;
  readonly id: string;
  readonly tenantId: string | null;
  /** One sentence for people, without secrets. */
  readonly reason: string;
  readonly at: Date;
  /** The off-line command with which a person starts; see `opsLine`. */
  readonly run?: string;
}

const type = 'alert.reconciliation_required.v1';

/** Outbox row of an alert. Its id names the record and the stop, so that a repeat is recognised. */
export function alertEntry(alert: Alert, stop: string): OutboxEntry {
  return {
    id: `alert:${alert.service}:${alert.kind}:${alert.id}:${stop}`,
    subject: `alert.reconciliation_required.${alert.service}.${alert.kind}`,
    type,
    body: { ...alert, at: alert.at.toISOString() },
    closesOn: 'publish_ack',
    createdAt: alert.at,
  };
}

/**
 * A row that no build can change cannot use an outbox: its alert is published directly, under an id that names the row.
 */
export function quarantineAlert(
  service: string,
  { collection, id, why }: { readonly collection: string; readonly id: string; readonly why: string },
  at: Date,
): OutboxEntry {
  const kind = 'quarantined_record';
  const named = `${collection}/${id}`.slice(0, 300);
  return {
    id: `alert:${service}:${kind}:${named}`,
    subject: `alert.reconciliation_required.${service}.${kind}`,
    type,
    body: { service, kind, id: named, tenantId: null, reason: `${named} ${why}`.slice(0, 500), at: at.toISOString() },
    closesOn: 'publish_ack',
    createdAt: at,
  };
}
