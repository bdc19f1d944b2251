/**
 * The evidence of a history, as plain data: the final records, logs of what happened in between, and the answers to
 * callers. Types are structural (contracts §4), so this library imports no service.
 */

/** All instants of one history have one unit: epoch milliseconds, or the ticks of a simulated clock. */
export type Instant = number | Date;

/** The position of an instant in its history. */
export function order(instant: Instant): number {
  return typeof instant === 'number' ? instant : instant.getTime();
}

export interface ProviderCallEvidence {
  readonly step: string;
  readonly path?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly sentAt?: Instant | undefined;
  /** Why the call was never sent. */
  readonly skipped?: string | undefined;
  /** Absent while no service has recorded the result. */
  readonly outcome?: 'succeeded' | 'failed' | 'unknown' | undefined;
}

export interface OperationEvidence {
  readonly _id: string;
  readonly tenantId: string;
  readonly action: string;
  readonly status: string;
  readonly fingerprint: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
  readonly attempts: readonly { readonly number: number; readonly providerCalls: readonly ProviderCallEvidence[] }[];
  /** The result of an investigation: it ends the requirement that the status stays unknown, and nothing else. */
  readonly resolution?: ResolutionEvidence;
}

/** The investigator's claim. If the claim is wrong, the investigator broke the law, not the product. */
export interface ResolutionEvidence {
  readonly outcome: string;
  readonly providerObject?: string | null;
  readonly by?: string;
  readonly at?: Instant;
  /** What was read when the resolution was recorded. */
  readonly evidence?: { readonly readAt: Instant };
  /** Two people recorded the outcome against the evidence. */
  readonly override?: { readonly proposedBy: string; readonly approvedBy: string };
}

interface SubscriptionEvidence {
  readonly _id: string;
  readonly access: { readonly state: 'open' | 'closed' };
  readonly transition?: { readonly operationId: string } | undefined;
}

/** An entry of the provider's ledger: an effect that it really had. */
interface EffectEvidence {
  readonly operationId: string;
  readonly step: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly objectId: string;
  /** Minor units. */
  readonly amount?: number | undefined;
  readonly at: Instant;
}

/** A request that reached the network, with the result or the part of the answer that its caller knows. */
interface SendEvidence {
  readonly operationId: string;
  readonly step: string;
  readonly idempotencyKey: string;
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  readonly at: Instant;
  /** The digest of the payload, when an observer has read it. */
  readonly payloadDigest?: string | undefined;
}

export interface AlertEvidence {
  readonly kind: string;
  /** Id of the stopped record. */
  readonly id: string;
}

export interface LifecycleMessageEvidence {
  readonly operationId: string;
  readonly tenantId: string;
  readonly transition: string;
  /** When the service first sent it. */
  readonly at: Instant;
  /** Consumers fixed at acceptance; empty when none is required. */
  readonly required: readonly string[];
  readonly settledAt?: Instant | undefined;
}

export interface DeliveryEvidence {
  readonly operationId: string;
  readonly consumer: string;
  readonly status: string;
  readonly nextAttemptAt?: Instant | undefined;
  readonly lastError?: string | undefined;
  readonly receipt?: { readonly receiptId: string; readonly acceptedAt: Instant } | undefined;
  /** For a waived delivery: who waived it, and when. */
  readonly resolution?: { readonly by: string; readonly at: Instant } | undefined;
}

export interface ConsumerRunEvidence {
  readonly operationId: string;
  readonly consumer: string;
  readonly outcome: 'receipt' | 'failed';
}

interface AccessChange {
  readonly tenantId: string;
  readonly state: 'open' | 'closed';
  readonly operationId: string | null;
  readonly at: Instant;
}

/** A read of a workspace that a guard allowed. */
export interface GuardedReadEvidence {
  readonly tenantId: string;
  readonly guard: string;
  readonly at: Instant;
  /** How many milliseconds old the state may be that a guard follows. */
  readonly boundMs: number;
}

/** A value of access that was written to the broker's bucket. */
interface AccessCopyEvidence {
  readonly tenantId: string;
  /** Identity of the bucket: a recreated one has a separate history. */
  readonly bucket: string;
  readonly revision: number;
}

interface TransitionChange {
  readonly tenantId: string;
  readonly operationId: string;
  readonly change: 'admitted' | 'cleared';
  readonly at: Instant;
}

interface DeletionMarkerChange {
  readonly tenantId: string;
  /** Null: the marker was removed. */
  readonly operationId: string | null;
  readonly at: Instant;
}

interface DeletionEvidence {
  readonly tenantId: string;
  readonly status: string;
  readonly deletedAt?: Instant | undefined;
}

interface StatusChange {
  readonly operationId: string;
  readonly status: string;
  readonly at: Instant;
}

/** One attempt to write `version` of a record, applied or refused; an insert expects the revision null. */
export interface WriteEvidence {
  readonly collection: string;
  readonly id: string;
  readonly expectedRevision: string | null;
  readonly revision?: string | undefined;
  readonly outcome: 'applied' | 'not_applied' | 'unknown';
  readonly at: Instant;
  readonly version?: object | undefined;
}

/** The answer to the caller of a mutation. */
export interface AnswerEvidence {
  readonly operationId: string;
  /** Fingerprint of the request, not of the stored record. */
  readonly fingerprint: string;
  readonly status: number;
  readonly code?: string | undefined;
  readonly at: Instant;
}

interface MigrationEvidence {
  readonly migrationId: string;
  readonly status: string;
  /** Tenants at the moment of capture. */
  readonly captured: readonly string[];
  readonly items: readonly {
    readonly tenantId: string;
    readonly status: string;
    readonly providerCalls: readonly ProviderCallEvidence[];
    readonly resolution?: ResolutionEvidence;
  }[];
}

export interface WebhookEvidence {
  readonly eventId: string;
  readonly result: string;
  /** The number of runs of its handler, over all owners. */
  readonly handlerRuns: number;
  readonly answers: readonly { readonly status: number; readonly resultThen: string }[];
}

export interface ReservationEvidence {
  readonly taken: readonly { readonly key: string; readonly tenantId: string }[];
  readonly standing: readonly { readonly key: string; readonly tenantId: string }[];
  /** Recorded releases. `not_eligible`: the same creation used another identity, so this one was released. */
  readonly released: readonly {
    readonly key: string;
    readonly tenantId: string;
    readonly reason: 'cancelled' | 'not_eligible';
  }[];
}

interface CreationEvidence {
  readonly tenantId: string;
  readonly status: string;
  readonly committedAt?: Instant | undefined;
  /** When the marker was written by which the commit gate judges. */
  readonly markedAt?: Instant | undefined;
  /** When the first row of the workspace became visible. */
  readonly shownAt?: Instant | undefined;
  /** Payments that the provider took for the first invoice. */
  readonly charges: number;
}

/** A write that changed a record which an investigation, or its creation's own end, had decided. */
export interface OverwriteEvidence {
  readonly collection: string;
  readonly id: string;
  readonly at: Instant;
}

export interface Evidence {
  readonly operations: readonly OperationEvidence[];
  readonly subscriptions: readonly SubscriptionEvidence[];
  readonly ledger: readonly EffectEvidence[];
  readonly alerts: readonly AlertEvidence[];
  readonly lifecycleMessages: readonly LifecycleMessageEvidence[];
  readonly deliveries: readonly DeliveryEvidence[];
  readonly consumerRuns: readonly ConsumerRunEvidence[];
  readonly accessLog: readonly AccessChange[];
  readonly answers: readonly AnswerEvidence[];
  readonly sends?: readonly SendEvidence[];
  readonly transitionLog?: readonly TransitionChange[];
  readonly statusLog?: readonly StatusChange[];
  readonly writes?: readonly WriteEvidence[];
  readonly overwrites?: readonly OverwriteEvidence[];
  /** Every change of a workspace's deletion marker. */
  readonly deletionLog?: readonly DeletionMarkerChange[];
  /** The deletion records of the service that owns the deletion listeners. */
  readonly deletions?: readonly DeletionEvidence[];
  readonly deliveryLog?: readonly (DeliveryEvidence & { readonly at: Instant })[];
  readonly migrations?: readonly MigrationEvidence[];
  readonly webhooks?: readonly WebhookEvidence[];
  readonly reservations?: ReservationEvidence;
  readonly creations?: readonly CreationEvidence[];
  readonly guardedReads?: readonly GuardedReadEvidence[];
  /** True when no process was paused while time passed, so that the sender itself decided how old a reused key was. */
  readonly unpaused?: boolean;
  /** True when everything works again and enough time has passed for all interrupted work to end. */
  readonly atRest?: boolean;
  readonly accessCopies?: readonly AccessCopyEvidence[];
}

export type InvariantId = `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18}`;

export interface Violation {
  readonly invariant: InvariantId;
  /** Id of the record, event or key that shows it. */
  readonly subject: string;
  readonly message: string;
}

export interface Invariant {
  readonly id: InvariantId;
  readonly statement: string;
  /** Names of optional evidence without which the invariant cannot be checked. */
  readonly needs: readonly (keyof Evidence)[];
  readonly check: (evidence: Evidence) => readonly Omit<Violation, 'invariant'>[];
  /** How many facts of this evidence could have shown a violation. */
  readonly weigh: (evidence: Evidence) => number;
  /** The counted facts, in words. */
  readonly facts: string;
}

export const emptyEvidence: Evidence = {
  operations: [],
  subscriptions: [],
  ledger: [],
  alerts: [],
  lifecycleMessages: [],
  deliveries: [],
  consumerRuns: [],
  accessLog: [],
  answers: [],
};
export { groupBy } from './group-by';
