/** What survives the retention of a resolved event (contracts §4.4). */
import type { Revisioned } from '@platform/kernel';

export interface WebhookDigest extends Revisioned {
  readonly type: string;
  readonly result: 'success' | 'skipped';
  readonly removedAt: Date;
  /** Duplicates that came after the removal. */
  readonly lateDeliveries: number;
  readonly lastLateAt?: Date;
}
