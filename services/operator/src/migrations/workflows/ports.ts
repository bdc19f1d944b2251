/** The ports of plan migrations. The composition root supplies them; the crash sweep injects faults into them. */
import type { OutboxEntry } from '@platform/kernel';
import type { CheckedCollection } from '@platform/durable/record';
import type { PaymentProvider } from '@platform/payment-provider';
import type { MigrationItemStatus } from '@platform/contracts-operator';
import type { MigrationItem } from '../domain/migration-item';
import type { PlanMigration } from '../domain/migration';
import type { OperatorPorts } from '../../operations/workflows/ports';
import type { RateGovernor } from './rate-governor';

export interface MigrationStore {
  readonly migrations: CheckedCollection<PlanMigration>;
  readonly items: CheckedCollection<MigrationItem>;
}

/** Something that repeats until closed; closing waits for the round under way. */
interface Pulse {
  close(): Promise<void>;
}

export interface MigrationPorts
  extends
    MigrationStore,
    Pick<
      OperatorPorts,
      'subscriptions' | 'refreshes' | 'plans' | 'clock' | 'executor' | 'retryPolicy' | 'work' | 'log'
    > {
  readonly provider: Pick<PaymentProvider, 'prepare' | 'previewPriceChange' | 'retrieveSubscription'>;
  readonly governor: RateGovernor;
  /** Items under way at a time; they are begun in the order of the list. */
  readonly lanes: number;
  /** Calls `work` about every so many milliseconds until closed. */
  readonly pulse: (everyMs: number, work: () => Promise<void>) => Pulse;
  /** True once this process ends in order: no further item is begun. */
  readonly stopping: () => boolean;
  readonly publishMigrationNow: (migrationId: string, entries: readonly OutboxEntry[]) => void;
  readonly publishItemNow: (itemId: string, entries: readonly OutboxEntry[]) => void;
  readonly itemEnded: (status: MigrationItemStatus) => void;
}
