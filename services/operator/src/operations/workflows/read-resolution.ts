/**
 * The evidence for the resolution of an operation: its executors, what the provider shows, and what an investigator
 * should know. The gateway prepares proposals with it, the off-line program resolves with it. Writes nothing.
 */
import { defineReading, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { actionOf } from '../domain/actions';
import { isUnresolved, type UnresolvedOperation } from '../domain/journal';
import type { Operation } from '../domain/operation';
import { operationKey } from './operation-key';
import { readSecondProof, type SecondProofPorts } from './second-proof';

export interface OperationReadingPorts extends InvestigationPorts, SecondProofPorts {
  readonly operations: Pick<RevisionedCollection<Operation>, 'findById'>;
}

export const operationReading = defineReading({
  noun: 'operation',
  missing: 'There is no such operation.',
  records: (ports: OperationReadingPorts) => ports.operations,
  isOpen: isUnresolved,
  known: ({ status }) => `The operation is ${status}: its outcome is known, there is nothing to resolve.`,
  beside: async () => ok(null),
  executors: ({ _id, attempts, updatedAt }) =>
    attempts.slice(-1).map(({ executor }) => ({ key: operationKey(_id), executor, wroteAt: updatedAt })),
  calls: ({ attempts }) => attempts.flatMap(({ providerCalls }) => providerCalls),
  secondProof: (ports, operation, request: OutcomeProofs) => readSecondProof(ports, operation, request),
  warnings: warningsOf,
});

/** The consequence of the resolution, in a sentence. */
export function operationBecomes({ outcome }: Pick<OutcomeProofs, 'outcome'>): string {
  return `The operation becomes ${outcome === 'applied' ? 'succeeded' : 'failed'}; its transition is cleared. Nothing is sent anywhere.`;
}

function warningsOf(operation: UnresolvedOperation, { outcome }: OutcomeProofs): string[] {
  const { announces } = actionOf(operation.action);
  const unannounced = outcome === 'applied' && announces !== null && !operation.lifecycle;
  if (announces === 'deletion')
    return [
      'A deletion that is resolved notifies no service: no delivery is skipped and no listener is called. The marker stays, whatever the outcome; delete the workspace once more under a new id.',
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
