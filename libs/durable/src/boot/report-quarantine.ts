/**
 * Reports the rows that a service has set aside: an error in the log and a metric at once, an alert as soon as the
 * broker accepts it. The alert bypasses the outboxes, because a row that cannot be read cannot be written either.
 */
import { quarantineAlert, type Clock, type Log, type OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { QuarantinedRecord } from '@platform/mongo';
import type { Metrics } from '@platform/service-host';

export interface QuarantineReport {
  /** Given to the store, which calls it once per row. */
  note(record: QuarantinedRecord): void;
  /** Publishes what the broker has not acknowledged yet. */
  publish(messaging: Pick<Messaging, 'publish'>): Promise<void>;
}

export function createQuarantineReport(context: {
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'gauge'>;
}): QuarantineReport {
  const { service, clock, log, metrics } = context;
  const records = metrics.gauge({
    name: 'quarantined_records',
    help: 'Rows that this process has met since its start and cannot take for records.',
    labels: ['collection'],
  });
  let waiting: readonly OutboxEntry[] = [];
  return {
    note(record) {
      log.error({ ...record }, 'a record was set aside; nothing changes it until a person has looked at it');
      records.add({ collection: record.collection });
      waiting = [...waiting, quarantineAlert(service, record, clock.now())];
    },
    async publish(messaging) {
      const due = waiting;
      const done = new Set<OutboxEntry>();
      for (const alert of due) if ((await messaging.publish(alert)) === 'acknowledged') done.add(alert);
      waiting = waiting.filter((alert) => !done.has(alert));
    },
  };
}
