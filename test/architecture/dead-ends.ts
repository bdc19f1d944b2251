/**
 * The possible statuses of a record, and the ways out of each when the process that worked on it never returns. A step
 * that only that process could make is no way out. `dead-ends.spec.ts` compares each way with the record's table, the
 * command line and the code, and searches every status for a way to an end.
 */
import type { StepTable } from '@platform/durable/steps';
import { webhookSteps } from '../../services/billing-webhook/src/domain/webhook-event';
import { consumerSteps } from '../../services/lifecycle-delivery/src/domain/consumer';
import { deliverySteps } from '../../services/lifecycle-delivery/src/domain/delivery';
import { messageSteps } from '../../services/lifecycle-delivery/src/domain/lifecycle-message';
import { contradictionSteps } from '../../services/operator/src/contradictions/domain/contradiction';
import { deadLetterSteps } from '../../services/operator/src/dead-letters/domain/dead-letter';
import { migrationSteps } from '../../services/operator/src/migrations/domain/migration';
import { migrationItemSteps } from '../../services/operator/src/migrations/domain/migration-item';
import { operationSteps } from '../../services/operator/src/operations/domain/operation';
import { creditProposalSteps } from '../../services/operator/src/proposals/domain/credit-proposal';
import { proposalSteps } from '../../services/operator/src/proposals/domain/proposal';
import { admissionSteps as operatorEventSteps } from '../../services/operator/src/provider-events/domain/provider-event';
import { differenceSteps } from '../../services/operator/src/reconciliation/domain/difference';
import { reconciliationSteps } from '../../services/operator/src/reconciliation/domain/reconciliation';
import { attemptSteps } from '../../services/provisioning/src/domain/attempt';
import { deletionSteps } from '../../services/provisioning/src/domain/deletion';
import { admissionSteps as provisioningEventSteps } from '../../services/provisioning/src/domain/event-admission';
import { remainsSteps } from '../../services/provisioning/src/domain/remains';
import { markerSteps } from '../../services/provisioning/src/domain/marker';

/** The cause of a step that belongs to no single process. */
type Way =
  /** A person with database credentials, with this off-line command: a step by a recorded resolution. */
  | { readonly to: string; readonly command: string }
  /** Running code of any replica, or of the next boot with the instance's name: `file#function`. */
  | { readonly to: string; readonly code: string };

export interface RecordModel {
  readonly table: StepTable;
  readonly begins: readonly string[];
  /** Statuses in which nothing is owed, although further steps are possible. */
  readonly ends?: readonly string[];
  readonly ways: Readonly<Record<string, readonly Way[]>>;
}

const operator = (path: string): string => `services/operator/src/${path}`;
const delivery = (path: string): string => `services/lifecycle-delivery/src/${path}`;
const resolved = (command: string, ...ends: readonly string[]): Way[] => ends.map((to) => ({ to, command }));

export const records: Readonly<Record<string, RecordModel>> = {
  operation: {
    ...operationSteps,
    // Nothing happened; the same id may be requested again within its window.
    ends: ['failed'],
    ways: {
      // The caller repeats the request under the same id.
      pending: [{ to: 'running', code: operator('operations/workflows/run-operation.ts#runOperation') }],
      running: resolved('resolve operation', 'succeeded', 'failed'),
      awaiting_receipts: [
        { to: 'running', code: operator('operations/workflows/settle-operation.ts#settleOperation') },
        { to: 'succeeded', code: operator('operations/workflows/settle-operation.ts#settleOperation') },
        ...resolved('resolve operation', 'succeeded', 'failed'),
      ],
      awaiting_payment: [
        { to: 'succeeded', code: operator('operations/workflows/await-payment.ts#lookAtPayment') },
        { to: 'failed', code: operator('operations/workflows/await-payment.ts#lookAtPayment') },
        ...resolved('resolve operation', 'succeeded', 'failed'),
      ],
      reconciliation_required: resolved('resolve operation', 'succeeded', 'failed'),
    },
  },
  'dead letter': {
    ...deadLetterSteps,
    // The receiver accepted the letter, or refused it again, which makes another letter.
    ends: ['redriven'],
    ways: {
      open: [
        { to: 'redriven', code: operator('dead-letters/workflows/end-letter.ts#redriveLetter') },
        { to: 'closed', code: operator('dead-letters/workflows/end-letter.ts#closeLetter') },
      ],
    },
  },
  contradiction: {
    ...contradictionSteps,
    ways: {
      open: [{ to: 'closed', code: operator('contradictions/workflows/close-contradiction.ts#closeContradiction') }],
    },
  },
  difference: {
    ...differenceSteps,
    // A difference that a comparison finds again is reopened.
    ends: ['closed'],
    ways: {
      open: [{ to: 'closed', code: operator('reconciliation/workflows/keep-differences.ts#closeDifference') }],
    },
  },
  reconciliation: {
    ...reconciliationSteps,
    ways: {
      // By the replica that checks next.
      running: [
        { to: 'completed', code: operator('reconciliation/workflows/run-reconciliation.ts#carryReconciliation') },
      ],
    },
  },
  proposal: {
    ...proposalSteps,
    ways: {
      proposed: [{ to: 'approved', code: operator('proposals/workflows/approve-proposal.ts#approveProposal') }],
    },
  },
  creditProposal: {
    ...creditProposalSteps,
    ways: {
      proposed: [{ to: 'approved', code: operator('proposals/workflows/propose-credit.ts#approveCredit') }],
    },
  },
  migration: {
    ...migrationSteps,
    ways: {
      pending: [{ to: 'capturing', code: operator('migrations/workflows/run-migration.ts#runMigration') }],
      capturing: [
        {
          to: 'reconciliation_required',
          code: operator('migrations/workflows/stop-migration.ts#stopInterruptedMigrations'),
        },
      ],
      running: [
        {
          to: 'reconciliation_required',
          code: operator('migrations/workflows/stop-migration.ts#stopInterruptedMigrations'),
        },
      ],
      reconciliation_required: resolved('resolve migration', 'completed'),
    },
  },
  'migration item': {
    ...migrationItemSteps,
    ways: {
      // The item is skipped when its job is closed.
      pending: [{ to: 'skipped', code: operator('migrations/workflows/skip-never-begun.ts#skipNeverBegun') }],
      running: resolved('resolve migration-item', 'succeeded', 'failed'),
      reconciliation_required: resolved('resolve migration-item', 'succeeded', 'failed'),
    },
  },
  'event admitted by the operator': {
    ...operatorEventSteps,
    ways: {
      pending: [
        { to: 'unknown', code: operator('provider-events/workflows/stop-interrupted-events.ts#stopInterruptedEvents') },
      ],
    },
  },
  'provider event': {
    ...webhookSteps,
    ways: {
      pending: resolved('resolve webhook-event', 'success', 'skipped'),
      reconciliation_required: resolved('resolve webhook-event', 'success', 'skipped'),
    },
  },
  'provisioning attempt': {
    ...attemptSteps,
    ways: {
      preparing: resolved('resolve provisioning-attempt', 'cancelled'),
      awaiting_payment: [
        { to: 'committed', code: 'services/provisioning/src/workflows/reconcile.ts#reconcileAttempt' },
        { to: 'cancelled', code: 'services/provisioning/src/workflows/reconcile.ts#reconcileAttempt' },
        ...resolved('resolve provisioning-attempt', 'committed', 'cancelled'),
      ],
      reconciliation_required: resolved('resolve provisioning-attempt', 'committed', 'cancelled'),
    },
  },
  'creation marker': {
    ...markerSteps,
    ways: {
      preparing: resolved('resolve provisioning-attempt', 'committed', 'cancelled'),
      awaiting_payment: resolved('resolve provisioning-attempt', 'committed', 'cancelled'),
    },
  },
  'deletion of a workspace': {
    ...deletionSteps,
    ways: {
      requested: [{ to: 'calling', code: 'services/provisioning/src/workflows/delete-tenant.ts#resumeDeletions' }],
      // By the executor that continued it after the resolution; when that one is gone, by another resolution.
      calling: [
        ...resolved('resolve deletion', 'requested'),
        { to: 'deleted', code: 'services/provisioning/src/workflows/delete-tenant.ts#callDeletionListeners' },
      ],
      reconciliation_required: resolved('resolve deletion', 'requested'),
    },
  },
  'remains of a creation': {
    ...remainsSteps,
    ways: {
      open: [
        { to: 'removed', code: 'services/provisioning/src/workflows/remove-remains.ts#removeRemains' },
        { to: 'kept', code: 'services/provisioning/src/workflows/remove-remains.ts#removeRemains' },
      ],
    },
  },
  'event admitted by provisioning': {
    ...provisioningEventSteps,
    ways: { pending: resolved('resolve event-admission', 'completed') },
  },
  'lifecycle message': {
    ...messageSteps,
    ways: {
      awaiting_receipts: [{ to: 'settled', code: delivery('workflows/settle-message.ts#settleMessage') }],
    },
  },
  delivery: {
    ...deliverySteps,
    ways: {
      pending: resolved('waive delivery', 'waived'),
      failed: resolved('waive delivery', 'waived'),
    },
  },
  // A registration is a state and not a piece of work, so neither of its statuses is a dead end.
  'lifecycle consumer': { ...consumerSteps, ends: ['registered', 'unregistered'], ways: {} },
};

/** Statuses that a record can reach, by any step, from its initial ones. */
function reachable({ table, begins }: RecordModel): string[] {
  const seen = new Set(begins);
  for (const status of seen)
    for (const next of [...(table[status]?.to ?? []), ...(table[status]?.byResolution ?? [])]) seen.add(next);
  return [...seen];
}

/** Reachable statuses of a record from which no ways lead to an end. */
export function deadEnds(record: RecordModel): string[] {
  const { table, ends = [], ways } = record;
  const isEnd = (status: string): boolean =>
    ends.includes(status) ||
    ((table[status]?.to ?? []).length === 0 && (table[status]?.byResolution ?? []).length === 0);
  const leadsOut = (status: string, seen: ReadonlySet<string>): boolean =>
    isEnd(status) || (ways[status] ?? []).some(({ to }) => !seen.has(to) && leadsOut(to, new Set([...seen, status])));
  return reachable(record).filter((status) => !leadsOut(status, new Set()));
}

/** Ways that the record's table does not allow: a command resolves, running code moves. */
export function impossibleWays({ table, ways }: RecordModel): string[] {
  return Object.entries(ways).flatMap(([from, listed]) =>
    listed
      .filter((way) => !(('command' in way ? table[from]?.byResolution : table[from]?.to) ?? []).includes(way.to))
      .map((way) => `${from} → ${way.to} by ${'command' in way ? way.command : way.code}`),
  );
}
