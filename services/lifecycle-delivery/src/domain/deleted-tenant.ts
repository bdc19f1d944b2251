/**
 * A tenant whose deletion was announced. The record is never removed, because a delivery that starts later must still
 * find it.
 */
import type { Revisioned } from '@platform/kernel';

export interface DeletedTenant extends Revisioned {
  /** Operation that deleted it. */
  readonly operationId: string;
  readonly deletedAt: Date;
}
