/** What remains of a resolved event after its retention (contracts §4.4). */
import type { Revisioned } from '@platform/kernel';

export interface WebhookDigest extends Revisioned {
  readonly type: string;
  readonly result: 'success' | 'skipped';
  readonly removedAt: Date;
  /** Duplicates that came after the removal. */
  readonly lateDeliveries: number;
  readonly lastLateAt?: Date;
}
