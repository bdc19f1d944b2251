/**
 * The end of an investigation of an operation: the record is appended to, then the matching transition is cleared. A
 * zombie that wakes later loses its next write, of the operation and of the subscription.
 */
import { defineInvestigation, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import type { CheckedCollection, RetryPolicy } from '@platform/durable/record';
import { ok, refused, type Log } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { ProviderReads } from '@platform/payment-provider';
import type { MirrorRefresh } from '../../mirror/domain/mirror-refresh';
import type { Subscription } from '../../mirror/domain/subscription';
import { actionOf } from '../domain/actions';
import { isUnresolved, resolve, type UnresolvedOperation } from '../domain/journal';
import type { FailedOperation, Operation, SucceededOperation } from '../domain/operation';
import { fenceAdmission, fenceTransition } from './fence-executor';
import { clearAfterJournal } from './journal-outcome';
import { operationKey } from './operation-key';
import { readSecondProof } from './second-proof';

export interface ResolvePorts extends InvestigationPorts {
  readonly operations: CheckedCollection<Operation>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly refreshes: RevisionedCollection<MirrorRefresh>;
  readonly provider: ProviderReads;
  readonly retryPolicy: RetryPolicy;
  readonly log: Log;
}

export const operationInvestigation = defineInvestigation({
  noun: 'operation',
  missing: 'There is no such operation.',
  records: (ports: ResolvePorts) => ports.operations,
  isOpen: isUnresolved,
  known: ({ status }) => `The operation is ${status}: its outcome is known, there is nothing to resolve.`,
  beside: async () => ok(null),
  executors: ({ _id, attempts, updatedAt }) =>
    attempts.slice(-1).map(({ executor }) => ({ key: operationKey(_id), executor, wroteAt: updatedAt })),
  calls: ({ attempts }) => attempts.flatMap(({ providerCalls }) => providerCalls),
  secondProof: (ports, operation, request: OutcomeProofs) => readSecondProof(ports, operation, request),
  warnings: warningsOf,
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

function warningsOf(operation: UnresolvedOperation, { outcome }: OutcomeProofs): string[] {
  const { announces } = actionOf(operation.action);
  const unannounced = outcome === 'applied' && announces !== null && !operation.lifecycle;
  if (announces === 'deletion')
    return [
      'A deletion that is resolved tells nobody: no delivery is skipped and no listener is called. The marker stays, whatever the outcome; delete the workspace once more under a new id.',
      ...stillRunning(operation),
    ];
  return [
    ...(unannounced
      ? [
          `No consumer has been notified: the message "${announces}" was not sent, and a resolution sends none. If they must be notified, resolve it as not_applied and repeat the action under a new id.`,
        ]
      : []),
    ...stillRunning(operation),
  ];
}

function stillRunning({ status }: UnresolvedOperation): string[] {
  return status === 'running'
    ? [
        'The operation is still marked as running. If its executor is alive, it will lose its next write, but a call that it has already sent cannot be stopped.',
      ]
    : [];
}
