/**
 * The objects that a creation resolved as not applied has left at the provider. The record lasts from the resolution
 * until all objects are removed or a person must decide; it is separate because the attempt is final by then. One table
 * defines the allowed steps, and `docs/states.md` is generated from it.
 */
import { answerLast, type AnswerRecord, type SentCall } from '@platform/durable/journal';
import { defineSteps, type Checked } from '@platform/durable/steps';
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import type { Attempt } from './attempt';

interface RemainsBase extends Revisioned {
  readonly tenantId: string;
  readonly handles: Pick<Attempt['handles'], 'customerId' | 'subscriptionId' | 'invoiceId'>;
  /** The first invoice needed no payment, so its status `paid` proves nothing. */
  readonly paymentFree: boolean;
  /** Steps of the creation's own rollback whose outcome is unknown. */
  readonly unknownSteps: readonly string[];
  readonly providerCalls: readonly SentCall[];
  readonly outbox?: readonly OutboxEntry[];
}

/** Not proven to be gone yet. */
export interface OpenRemains extends RemainsBase {
  readonly status: 'open';
}
interface RemovedRemains extends RemainsBase {
  readonly status: 'removed';
  readonly removedAt: Date;
}
/** Money may have been taken, or a call has no known outcome: a person examines the provider. */
interface KeptRemains extends RemainsBase {
  readonly status: 'kept';
  readonly keptBecause: string;
}

export type Remains = OpenRemains | RemovedRemains | KeptRemains;
export const remainsStatuses = ['open', 'removed', 'kept'] as const;

export const remainsSteps = defineSteps<Remains>()({
  name: 'remains of a creation',
  field: 'status',
  begins: ['open'],
  table: { open: { to: ['removed', 'kept'] }, removed: { to: [] }, kept: { to: [] } },
  own: { open: {}, removed: { removedAt: true }, kept: { keptBecause: true } },
});

/** Whether an investigation closed a creation that has objects at the provider. */
export function leavesRemains({ status, resolution, handles }: Attempt): boolean {
  return status === 'cancelled' && resolution !== undefined && Boolean(handles.customerId ?? handles.subscriptionId);
}

const hasNoOutcome = ({ outcome }: SentCall): boolean => outcome === undefined || outcome === 'unknown';

/** Whether this call was sent and its outcome is unknown: then it is never sent again. */
export function isUnknown({ providerCalls, unknownSteps }: OpenRemains, step: string): boolean {
  return unknownSteps.includes(step) || providerCalls.some((call) => call.step === step && hasNoOutcome(call));
}

export function newRemains({ tenantId, handles, paymentFree = false, providerCalls }: Attempt): Checked<OpenRemains> {
  const { customerId, subscriptionId, invoiceId } = handles;
  return remainsSteps.begin<OpenRemains>({
    _id: tenantId,
    status: 'open',
    tenantId,
    handles: {
      ...(customerId && { customerId }),
      ...(subscriptionId && { subscriptionId }),
      ...(invoiceId && { invoiceId }),
    },
    paymentFree,
    unknownSteps: providerCalls.filter(hasNoOutcome).map(({ step }) => step),
    providerCalls: [],
  });
}

export function withCall(remains: OpenRemains, call: SentCall): OpenRemains {
  return { ...remains, providerCalls: [...remains.providerCalls, call] };
}

export function withAnswer(remains: OpenRemains, evidence: AnswerRecord): OpenRemains {
  return { ...remains, providerCalls: answerLast(remains.providerCalls, evidence) };
}
