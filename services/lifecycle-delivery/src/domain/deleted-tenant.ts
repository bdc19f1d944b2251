/** A tenant whose deletion was announced. Never removed: a delivery that starts later must still find it. */
import type { Revisioned } from '@platform/kernel';

export interface DeletedTenant extends Revisioned {
  /** Operation that deleted it. */
  readonly operationId: string;
  readonly deletedAt: Date;
}
