/**
 * The case file of an operation (contracts §3): collected read-only, each step by its own finder, with a list of what
 * it does not prove. A source that fails does not hide the others.
 */
import {
  lifecycleRequests,
  lifecycleOfOperationSchema,
  type LifecycleOfOperation,
} from '@platform/contracts-lifecycle-delivery';
import type { Clock } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { Operation } from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import { findAtProvider, questionOf, type ProviderFindings } from './find-at-provider';
import { knowledgeOf, readOperation, type AttemptExecutorStates, type ReadPorts } from './read-operation';

const lifecycleWaitMs = 2_000;

export interface EvidencePorts extends ReadPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly provider: PaymentProvider;
  readonly messaging: Pick<Messaging, 'request'>;
  readonly clock: Clock;
}

type Source = 'answered' | 'not_applicable' | 'unavailable';

interface LifecycleFindings extends Partial<LifecycleOfOperation> {
  readonly source: Source;
  readonly problem?: string;
}

export interface CaseFile {
  readonly operation: Operation;
  readonly executors: AttemptExecutorStates;
  readonly collectedAt: Date;
  readonly subscription: Subscription | null;
  readonly provider: ProviderFindings;
  readonly lifecycle: LifecycleFindings;
  readonly notProven: readonly string[];
}

/** Collects the case file, or null when the workspace has no such operation. */
export async function collectEvidence(
  ports: EvidencePorts,
  tenantId: string,
  operationId: string,
): Promise<CaseFile | null> {
  const read = await readOperation(ports, tenantId, operationId);
  if (!read) return null;
  const { operation, executors } = read;
  const subscription = await ports.subscriptions.findById(tenantId);
  const [provider, lifecycle] = await Promise.all([
    findAtProvider(ports, questionOf(operation, subscription)),
    requestDelivery(ports, operation),
  ]);
  return {
    operation,
    executors,
    collectedAt: ports.clock.now(),
    subscription,
    provider,
    lifecycle,
    notProven: notProven(operation, executors, provider),
  };
}

async function requestDelivery({ messaging }: EvidencePorts, operation: Operation): Promise<LifecycleFindings> {
  if (!operation.lifecycle) return { source: 'not_applicable' };
  const answer = await messaging.request(lifecycleRequests.operation, { operationId: operation._id }, lifecycleWaitMs);
  if (!answer.ok) return { source: 'unavailable', problem: `lifecycle-delivery did not answer (${answer.error.code})` };
  const decoded = lifecycleOfOperationSchema.safeParse(answer.value);
  return decoded.success
    ? { source: 'answered', ...decoded.data }
    : { source: 'unavailable', problem: 'lifecycle-delivery answered in a form that this build does not know' };
}

/** Conclusions that an investigator must not draw from the provider's findings, for an open record. */
export function unprovenAtProvider({ source, evidence }: ProviderFindings): string[] {
  return [
    ...(source === 'unavailable' ? ['What the provider did: not all of it could be read.'] : []),
    ...evidence.flatMap((finding) => {
      if (finding.source !== 'answered')
        return [`Whether ${finding.step} took effect: ${finding.search} was not read (${finding.problem}).`];
      return finding.objects.length > 0
        ? []
        : [`That the provider did not and will not execute ${finding.step}: an absent object may still appear.`];
    }),
    ...(evidence.some(({ objects }) => objects.length > 0)
      ? ['That nothing more will happen: a matching provider read alone does not prove quiescence.']
      : []),
  ];
}
/** States in which an executor no longer works on the operation. */
const quiescent: ReadonlySet<string> = new Set(['stopped', 'not_under_way', 'declared_gone']);

/** Conclusions that an investigator must not draw from this file. */
function notProven(operation: Operation, executors: AttemptExecutorStates, provider: ProviderFindings): string[] {
  const unproven: string[] = [];
  if (operation.status === 'running' || operation.status === 'reconciliation_required') {
    const last = operation.attempts.at(-1);
    const state = (last && knowledgeOf(executors, operation._id, last)?.state) ?? 'unknown';
    if (last && !quiescent.has(state))
      unproven.push(
        `That the executor ${last.executor.instance} (incarnation ${last.executor.incarnation}, ${state.replaceAll('_', ' ')}) is quiescent.`,
      );
    unproven.push(...unprovenAtProvider(provider));
  }
  for (const attempt of operation.attempts) {
    for (const call of attempt.providerCalls) {
      if (call.skipped === undefined && call.phase === undefined)
        unproven.push(
          `Whether attempt ${attempt.number}, step ${call.step} was sent: it was recorded, and no answer was.`,
        );
    }
  }
  return unproven;
}
