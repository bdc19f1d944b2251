/**
 * A record's journal of its calls to the payment provider: a call is described before it is sent (law 1) and completed
 * when its answer was classified (law 2). Pure, so `domain` may use it.
 */
import { assert } from '@platform/kernel';
import type { CallPhase } from '@platform/payment-provider';

export { evidenceInView, type Contradicted, type OutcomeResolution } from '../investigation/resolution';

/** One provider call. Without `outcome` its outcome is unknown. */
export interface ProviderCallRecord {
  readonly step: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path?: string;
  readonly idempotencyKey?: string;
  readonly payloadDigest?: string;
  /** Why the step did not apply; such a call is never sent. */
  readonly skipped?: string;
  readonly sentAt?: Date;
  readonly phase?: CallPhase;
  readonly outcome?: 'succeeded' | 'failed' | 'unknown';
  readonly requestId?: string;
  readonly httpStatus?: number;
  readonly objectId?: string;
}

type Described = 'method' | 'path' | 'idempotencyKey' | 'payloadDigest' | 'sentAt';

/** A call that is recorded before it is sent. */
export type SentCall = ProviderCallRecord & Required<Pick<ProviderCallRecord, Described>>;

/** What an answer adds to its call. */
export type AnswerRecord = Partial<Omit<ProviderCallRecord, 'step' | 'skipped' | Described>>;

/** The calls, with the answer added to the last one. Throws InvariantError when there is none. */
export function answerLast<Call extends ProviderCallRecord>(
  calls: readonly Call[],
  evidence: AnswerRecord,
): readonly Call[] {
  const sent = calls.at(-1);
  assert(sent, 'there is no recorded call to answer');
  return [...calls.slice(0, -1), { ...sent, ...evidence }];
}
