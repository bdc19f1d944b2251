/**
 * The case file of an operation (contracts §3): collected read-only, by list endpoints of the customer, and honest about
 * what it does not prove. No source that fails hides another one.
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
import { knowledgeOf, readOperation, type AttemptExecutorStates, type ReadPorts } from './read-operation';

const lifecycleWaitMs = 2_000;

export interface EvidencePorts extends ReadPorts {
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly provider: PaymentProvider;
  readonly messaging: Pick<Messaging, 'request'>;
  readonly clock: Clock;
}

type Source = 'answered' | 'not_applicable' | 'unavailable';

export interface ProviderFindings {
  readonly source: Source;
  readonly objects: readonly {
    readonly kind: string;
    readonly id: string;
    readonly summary: Readonly<Record<string, unknown>>;
  }[];
  readonly problem?: string;
}

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
    findAtProvider(ports, operation, subscription),
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

async function findAtProvider(
  { provider }: EvidencePorts,
  operation: Operation,
  subscription: Subscription | null,
): Promise<ProviderFindings> {
  const customerId = operation.checkpoint?.['customerId'] ?? subscription?.provider.customerId;
  if (!customerId) return { source: 'not_applicable', objects: [] };
  const [transactions, subscriptions] = await Promise.all([
    provider.listBalanceTransactions(customerId),
    provider.listSubscriptions(customerId),
  ]);
  if (transactions.outcome !== 'succeeded')
    return { source: 'unavailable', objects: [], problem: explain(transactions) };
  if (subscriptions.outcome !== 'succeeded')
    return { source: 'unavailable', objects: [], problem: explain(subscriptions) };
  const names = (metadata: Readonly<Record<string, string>>) => metadata['operationId'] === operation._id;
  return {
    source: 'answered',
    objects: [
      ...transactions.value
        .filter(({ metadata }) => names(metadata))
        .map(({ id, amount, currency, endingBalance, createdAt }) => ({
          kind: 'customer_balance_transaction',
          id,
          summary: { amount, currency, endingBalance, createdAt: createdAt.toISOString() },
        })),
      ...subscriptions.value
        .filter(({ metadata }) => names(metadata))
        .map(({ id, status, collectionPaused, priceId }) => ({
          kind: 'subscription',
          id,
          summary: { status, collectionPaused, priceId },
        })),
    ],
  };
}

function explain(answer: { outcome: 'failed'; message: string } | { outcome: 'unknown'; reason: string }): string {
  return answer.outcome === 'failed' ? answer.message : answer.reason;
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

/** States in which nothing of the operation goes on in its executor. */
const quiescent: ReadonlySet<string> = new Set(['stopped', 'not_under_way', 'declared_gone']);

/** What an investigator must not read out of this file. */
function notProven(operation: Operation, executors: AttemptExecutorStates, provider: ProviderFindings): string[] {
  const unproven: string[] = [];
  if (operation.status === 'running' || operation.status === 'reconciliation_required') {
    const last = operation.attempts.at(-1);
    const state = (last && knowledgeOf(executors, operation._id, last)?.state) ?? 'unknown';
    if (last && !quiescent.has(state))
      unproven.push(
        `That the executor ${last.executor.instance} (incarnation ${last.executor.incarnation}, ${state}) is quiescent.`,
      );
    if (provider.source === 'answered' && provider.objects.length === 0)
      unproven.push('That the provider did not and will not execute the request: an absent object may still appear.');
    if (provider.objects.length > 0)
      unproven.push('That nothing more will happen: a matching provider read alone does not prove quiescence.');
  }
  if (provider.source === 'unavailable') unproven.push('Anything about the provider: it could not be read.');
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
