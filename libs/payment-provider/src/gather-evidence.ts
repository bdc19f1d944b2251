/**
 * What the provider shows of the calls in a record: each step has its own search. It reports what was read, when, what
 * for, and what could not be read; it draws no conclusion. Reads only.
 */
import type { Clock } from '@platform/kernel';
import { effects, type EffectStep, type Handles } from './effects';
import { findEffect, missingHandles } from './find-effect';
import type { FoundObject } from './found-object';
import type { PossiblySent } from './late-effects';
import type { ProviderReads } from './port';

/** A call in the form that journals keep. */
export interface RecordedCall extends Omit<PossiblySent, 'phase'> {
  readonly phase?: string;
  readonly step: string;
  readonly method?: string;
  readonly path?: string;
  readonly objectId?: string;
}

export interface EvidenceQuestion {
  /** The id in the metadata of the effects: of the operation, the migration or the attempt. */
  readonly operationId: string;
  readonly calls: readonly RecordedCall[];
  /** Handles that are known besides those in the calls, which name the objects that they addressed and created. */
  readonly handles: Handles;
}

export interface EffectEvidence {
  readonly step: EffectStep;
  /** The read that was made: `listBalanceTransactions of cus_1`. */
  readonly search: string;
  /** The required form of an object. */
  readonly looksFor: string;
  readonly readAt: Date;
  /** `not_askable`: an id that the search needs is unknown. */
  readonly source: 'answered' | 'unavailable' | 'not_askable';
  /** The objects that show the effect. */
  readonly objects: readonly FoundObject[];
  /** Why the search failed. */
  readonly problem?: string;
}

/** The greatest difference between the clocks of sender and provider. */
const clockToleranceMs = 86_400_000;

const addressed: readonly (readonly [RegExp, keyof Handles])[] = [
  [/^\/v1\/subscriptions\/([\w-]+)/, 'subscriptionId'],
  [/^\/v1\/subscription_schedules\/([\w-]+)/, 'scheduleId'],
  [/^\/v1\/customers\/([\w-]+)/, 'customerId'],
  [/^\/v1\/payment_methods\/([\w-]+)/, 'paymentMethodId'],
  [/^\/v1\/invoices\/([\w-]+)/, 'invoiceId'],
  [/^\/v1\/checkout\/sessions\/([\w-]+)/, 'sessionId'],
];

const made: { readonly [Step in EffectStep]?: keyof Handles } = {
  create_customer: 'customerId',
  attach_payment_method: 'paymentMethodId',
  create_subscription: 'subscriptionId',
  create_schedule: 'scheduleId',
};

const isStep = (step: string): step is EffectStep => step in effects;

/** Whether it is an effect that was to be sent. */
const mayHaveEffect = ({ step, method, skipped }: RecordedCall): boolean =>
  skipped === undefined && method !== 'GET' && isStep(step);

/** The ids in a call or its answer. */
function handlesOf({ step, path = '', sentAt, objectId }: RecordedCall): Handles {
  const named = addressed.flatMap(([pattern, handle]) => {
    const id = pattern.exec(path)?.[1];
    return id === undefined ? [] : [[handle, id]];
  });
  const answered = isStep(step) ? made[step] : undefined;
  return {
    ...(Object.fromEntries(named) as Handles),
    ...(answered && objectId !== undefined && { [answered]: objectId }),
    ...(step === 'create_customer' &&
      sentAt && { createdSince: new Date(sentAt.getTime() - clockToleranceMs).toISOString() }),
  };
}

/**
 * One finding for each step that was to be sent, in the order of the calls. Never throws for a failure of the provider.
 */
export async function gatherEvidence(
  reads: ProviderReads,
  { operationId, calls, handles }: EvidenceQuestion,
  clock: Clock,
): Promise<readonly EffectEvidence[]> {
  const sent = calls.filter(mayHaveEffect);
  const known = Object.assign({}, handles, ...sent.map(handlesOf)) as Handles;
  // A documented test card becomes a new method when it is attached, so an id from the caller takes precedence over
  // that of the call.
  const { paymentMethodId } = handles;
  // The last call of a step belongs to the latest attempt; an attempt repeats a step with the same key.
  const byStep = new Map(sent.map((call) => [call.step as EffectStep, call]));
  return Promise.all(
    [...byStep].map(([step, call]) =>
      lookFor(
        reads,
        { operationId, step },
        { ...known, ...handlesOf(call), ...(paymentMethodId && { paymentMethodId }) },
        clock,
      ),
    ),
  );
}

async function lookFor(
  reads: ProviderReads,
  intent: { readonly operationId: string; readonly step: EffectStep },
  handles: Handles,
  clock: Clock,
): Promise<EffectEvidence> {
  const { search, needs, looksFor } = effects[intent.step].evidence;
  const asked = handles[needs[0]];
  const base = {
    step: intent.step,
    search:
      search === 'listCustomers'
        ? `${search} created since ${asked}`
        : `${search} of ${asked ?? 'an id that is not known'}`,
    looksFor: `${looksFor}: ${intent.operationId}`,
    readAt: clock.now(),
    objects: [],
  };
  const missing = missingHandles(intent.step, handles);
  if (missing.length > 0)
    return { ...base, source: 'not_askable', problem: `${missing.join(' and ')} is in no record of this operation` };
  const answer = await findEffect(reads, intent, handles);
  return answer.outcome === 'succeeded'
    ? { ...base, source: 'answered', objects: answer.value }
    : { ...base, source: 'unavailable', problem: answer.outcome === 'failed' ? answer.message : answer.reason };
}
