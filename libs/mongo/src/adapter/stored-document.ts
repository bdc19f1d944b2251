/**
 * The one place that converts documents of the driver to records of the port, and filters of the port to those of the
 * driver.
 */
import type { OutboxEntry } from '@platform/kernel';
import type { Filter as DriverFilter } from 'mongodb';

export interface StoredDocument {
  readonly _id: string;
  readonly revision: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly outbox?: OutboxEntry[];
}

/** A filter of the port is a filter of the driver; only the types differ. */
export function driverFilter(filter: object): DriverFilter<StoredDocument> {
  return filter as DriverFilter<StoredDocument>;
}
