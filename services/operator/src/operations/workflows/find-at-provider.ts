/** What the provider shows of the calls of a record, for people and for the second proof of a resolution. Reads only. */
import type { Clock } from '@platform/kernel';
import {
  gatherEvidence,
  type EffectEvidence,
  type EvidenceQuestion,
  type ProviderReads,
} from '@platform/payment-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from '../domain/operation';

type Source = 'answered' | 'not_applicable' | 'unavailable';

export interface ProviderFindings {
  readonly source: Source;
  readonly evidence: readonly EffectEvidence[];
}

export interface FindingPorts {
  readonly provider: ProviderReads;
  readonly clock: Clock;
}

/**
 * The question for an operation: its calls, and the ids that its checkpoint fixed or that its workspace is known by.
 */
export function questionOf(operation: Operation, subscription: Subscription | null): EvidenceQuestion {
  const { customerId, subscriptionId } = subscription?.provider ?? {};
  return {
    operationId: operation._id,
    calls: operation.attempts.flatMap(({ providerCalls }) => providerCalls),
    handles: handlesIn({ customerId, subscriptionId, ...operation.checkpoint }),
  };
}

const handles = ['customerId', 'subscriptionId', 'scheduleId', 'priceId'] as const;

function handlesIn(known: { readonly [Name in (typeof handles)[number]]?: string | undefined }) {
  return Object.fromEntries(handles.flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
}

/** A source without anything to look for is `not_applicable`; a source that fails does not hide another one. */
export async function findAtProvider(
  { provider, clock }: FindingPorts,
  question: EvidenceQuestion,
): Promise<ProviderFindings> {
  const evidence = await gatherEvidence(provider, question, clock);
  if (evidence.length === 0) return { source: 'not_applicable', evidence };
  return { source: evidence.some(({ source }) => source === 'unavailable') ? 'unavailable' : 'answered', evidence };
}
