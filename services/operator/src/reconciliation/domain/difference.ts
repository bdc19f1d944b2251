/**
 * A difference between the payment provider and the platform's records. It names one fact on each side and the next
 * step of its owner. Its id is made from that fact, so a repeated reconciliation adds nothing.
 */
import type { Money } from '@platform/contracts-operator';
import { defineSteps, type Checked } from '@platform/durable/steps';
import { digestOf, type Revisioned } from '@platform/kernel';

export const differenceStatuses = ['open', 'closed'] as const;

export const differenceKinds = [
  'effect_without_entry',
  'effect_twice',
  'effect_of_failed',
  'amount_differs',
  'made_outside',
  'renewal_unexpected',
  'entry_without_effect',
  'mirror_differs',
  'subscription_unknown',
  'schedule_unknown',
  'collection_differs',
  'object_missing',
  'customer_unknown',
  'not_read',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Each kind in a few words, and the next step of its owner. */
export const differenceWords: Readonly<Record<DifferenceKind, { readonly title: string; readonly next: string }>> = {
  effect_without_entry: {
    title: 'effect without a journal entry',
    next: 'Find the operation in the audit trail, the access log or a backup. Without one, correct the object at the provider.',
  },
  effect_twice: {
    title: 'more effects than the journal holds',
    next: 'Keep the object that the journal names. Correct the other one at the provider, and find out who made it.',
  },
  effect_of_failed: {
    title: 'effect of an operation that is recorded as failed',
    next: 'Correct the object at the provider, or leave it and tell the customer. The operation stays failed; do not repeat it.',
  },
  amount_differs: {
    title: 'amount that differs',
    next: 'Compare the request id of the operation with the provider’s log. Correct the amount at the provider.',
  },
  made_outside: {
    title: 'money moved outside of the platform',
    next: 'Ask who works in the provider’s dashboard. Close it with the reason when it is meant.',
  },
  renewal_unexpected: {
    title: 'renewal that is not expected',
    next: 'The customer was charged for a workspace that this subscription does not pay for, or that is closed. End the subscription or pause its collection, and refund the invoice at the provider.',
  },
  entry_without_effect: {
    title: 'journal entry without its effect',
    next: 'Look the object up in the provider’s log by the request id. The customer did not get what the record says.',
  },
  mirror_differs: {
    title: 'mirror that differs',
    next: 'Run ops reconcile: it reads the mirror again. When it differs again, look for events that do not arrive.',
  },
  subscription_unknown: {
    title: 'subscription that no mirror names',
    next: 'The customer may pay twice. End it at the provider, or find the creation or checkout that it belongs to.',
  },
  schedule_unknown: {
    title: 'scheduled change that no mirror names',
    next: 'Release it at the provider, or run ops reconcile when the workspace is to change its plan.',
  },
  collection_differs: {
    title: 'collection of payments that differs',
    next: 'After a restore a suspension or a reactivation is lost: do it again under a new id. Otherwise ask who works in the provider’s dashboard, and set or lift the pause there.',
  },
  object_missing: {
    title: 'object that the provider does not know',
    next: 'Look it up in the provider’s log. A workspace without its customer or subscription is not billed.',
  },
  customer_unknown: {
    title: 'customer without a workspace',
    next: 'Find the creation or the checkout that it names: finish it, or end it and delete the customer. Until the case is closed, its person or its workspace is sold no second one.',
  },
  not_read: {
    title: 'workspace that could not be compared',
    next: 'Its lists at the provider are too long or not readable. Compare it by hand.',
  },
};

/** One difference, as a comparison found it. */
export interface Seen {
  readonly kind: DifferenceKind;
  /** Null for a difference that belongs to no workspace. */
  readonly tenantId: string | null;
  /** The object at the provider. */
  readonly objectId?: string;
  readonly operationId?: string;
  /** The person for whom a creation made the customer that no workspace names. */
  readonly emailDigest?: string;
  readonly money?: Money;
  readonly atProvider: string;
  readonly inPlatform: string;
}

interface DifferenceBase extends Revisioned, Seen {
  /** The period of the reconciliation that found it first. */
  readonly period: string;
}
interface OpenDifference extends DifferenceBase {
  readonly status: 'open';
}
export interface DifferenceEnd {
  /** A person, or {@link byReconciliation}. */
  readonly by: string;
  readonly at: Date;
  readonly reason: string;
}
interface ClosedDifference extends DifferenceBase {
  readonly status: 'closed';
  readonly end: DifferenceEnd;
}
export type Difference = OpenDifference | ClosedDifference;

/** The name under which a reconciliation closes differences that no longer exist. */
export const byReconciliation = 'reconciliation';

export const differenceSteps = defineSteps<Difference>()({
  name: 'difference',
  field: 'status',
  begins: ['open'],
  // A difference that was closed because it had disappeared opens again when it reappears.
  table: { open: { to: ['closed'] }, closed: { to: ['open'] } },
  own: { open: {}, closed: { end: true } },
});

/**
 * Kinds that describe a current state, so a later comparison can find that they have disappeared. All other kinds are
 * facts of their period.
 */
export const statesThatPass: readonly DifferenceKind[] = [
  'mirror_differs',
  'subscription_unknown',
  'schedule_unknown',
  'collection_differs',
  'object_missing',
  'not_read',
];

/** The same id on every replica and in every period for the same fact. */
export function differenceId({ kind, tenantId, objectId, operationId, atProvider, inPlatform }: Seen): string {
  const fact = { kind, tenantId, objectId, operationId, atProvider, inPlatform };
  return `diff-${digestOf(fact).slice(0, 32)}`;
}

export function openDifference(seen: Seen, period: string): Checked<Difference> {
  return differenceSteps.begin<OpenDifference>({ _id: differenceId(seen), status: 'open', ...seen, period });
}

/** Closes the difference; `by` is a person or {@link byReconciliation}. */
export function closedDifference(difference: OpenDifference, end: DifferenceEnd): Checked<Difference> {
  return differenceSteps.move(difference, 'closed', { end });
}

/** A difference that reappears is open again; one that a person closed stays closed. */
export function reopened(difference: ClosedDifference): Checked<Difference> | null {
  return difference.end.by === byReconciliation ? differenceSteps.move(difference, 'open', {}) : null;
}
