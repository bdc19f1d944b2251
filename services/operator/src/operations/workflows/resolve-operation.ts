/**
 * Ends the investigation of an operation: the resolution is appended to the record, then the matching transition is
 * cleared. An executor that resumes later loses its next write, of the operation and of the subscription.
 */
import { defineInvestigation, type InvestigationPorts } from '@platform/durable/investigation';
import type { CheckedCollection, RetryPolicy } from '@platform/durable/record';
import { ok, refused, type Log } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { ProviderReads } from '@platform/payment-provider';
import type { MirrorRefresh } from '../../mirror/domain/mirror-refresh';
import type { Subscription } from '../../mirror/domain/subscription';
import { resolve } from '../domain/journal';
import type { FailedOperation, Operation, SucceededOperation } from '../domain/operation';
import { fenceAdmission, fenceTransition } from './fence-executor';
import { clearAfterJournal } from './journal-outcome';
import { operationReading } from './read-resolution';

export interface ResolvePorts extends InvestigationPorts {
  readonly operations: CheckedCollection<Operation>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly refreshes: RevisionedCollection<MirrorRefresh>;
  readonly provider: ProviderReads;
  readonly retryPolicy: RetryPolicy;
  readonly log: Log;
}

export const operationInvestigation = defineInvestigation({
  ...operationReading,
  records: (ports: ResolvePorts) => ports.operations,
  prepare: async (ports, { record }) =>
    (await fenceTransition(ports, record))
      ? ok(record)
      : refused("Nothing was written: the subscription's transition could not be closed to its executor. Try again."),
  resolve: (_ports, operation, resolution) => resolve(operation, resolution),
  follow: async (ports, resolved, { record }) => {
    await clearAfterJournal(ports, resolved as SucceededOperation | FailedOperation);
    await fenceAdmission(ports, record);
  },
});
