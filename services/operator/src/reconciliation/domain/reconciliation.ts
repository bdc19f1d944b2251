/**
 * The progress of the reconciliation of a period: one record, which any replica may continue. Repeated reads change
 * nothing and a difference has one id, so no lease is needed; one replica's fenced write advances the record.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { Revisioned } from '@platform/kernel';
import type { Period } from './period';

export const reconciliationStatuses = ['running', 'completed'] as const;

interface ReconciliationBase extends Revisioned {
  readonly kind: Period['kind'];
  readonly from: Date;
  readonly to: Date;
  /** The last workspace that was examined; null at the beginning. */
  readonly after: string | null;
  readonly examined: number;
  /** Number of differences that were seen, including known ones. */
  readonly differing: number;
}
export interface RunningReconciliation extends ReconciliationBase {
  readonly status: 'running';
}
interface CompletedReconciliation extends ReconciliationBase {
  readonly status: 'completed';
  readonly completedAt: Date;
}
export type Reconciliation = RunningReconciliation | CompletedReconciliation;

export const reconciliationSteps = defineSteps<Reconciliation>()({
  name: 'reconciliation',
  field: 'status',
  begins: ['running'],
  table: { running: { to: ['completed'] }, completed: { to: [] } },
  own: { running: {}, completed: { completedAt: true } },
});

export function beginReconciliation({ id, kind, from, to }: Period): Checked<Reconciliation> {
  return reconciliationSteps.begin<RunningReconciliation>({
    _id: id,
    status: 'running',
    ...{ kind, from, to },
    after: null,
    examined: 0,
    differing: 0,
  });
}

/** A page of workspaces that was examined. */
export interface ExaminedPage {
  /** The last workspace of the page. */
  readonly after: string;
  readonly examined: number;
  readonly differing: number;
}

function counted(record: RunningReconciliation, page: ExaminedPage | undefined) {
  return {
    after: page?.after ?? record.after,
    examined: record.examined + (page?.examined ?? 0),
    differing: record.differing + (page?.differing ?? 0),
  };
}

export function advance(record: RunningReconciliation, page: ExaminedPage): Checked<Reconciliation> {
  return reconciliationSteps.keep<RunningReconciliation>(record, counted(record, page));
}

/** `page` is the last page; absent when no workspace was left. */
export function complete(
  record: RunningReconciliation,
  page: ExaminedPage | undefined,
  completedAt: Date,
): Checked<Reconciliation> {
  return reconciliationSteps.move(record, 'completed', { ...counted(record, page), completedAt });
}

export function periodOf({ _id: id, kind, from, to }: Reconciliation): Period {
  return { id, kind, from, to };
}
