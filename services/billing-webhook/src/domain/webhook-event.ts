/**
 * The durable record of a provider event (contracts §4.4): a union by result. One delivery admits it by inserting it;
 * its completion names the revision of that admission. A counted redelivery writes a new revision, so the record keeps
 * the revision of the admission.
 */
import type { OutcomeResolution } from '@platform/durable/journal';
import { defineSteps, type Checked } from '@platform/durable/steps';
import { assert, type Executor, type OutboxEntry, type Revisioned } from '@platform/kernel';
import {
  providerEventSubjects,
  providerEventTypes,
  providerEventMessageIds,
  type ProviderEventOwner,
  type ProviderObject,
  type ProviderOutcomeMessage,
} from '@platform/contracts-provisioning';

export type Resolution = Omit<OutcomeResolution, 'providerObject'>;

interface WebhookEventBase extends Revisioned {
  readonly type: string;
  /** Null when no service handles the type. */
  readonly owner: ProviderEventOwner | null;
  /** The process that admitted the event. */
  readonly executor: Executor;
  readonly admittedRevision: string;
  /** The provider's instant of the change. */
  readonly created: Date;
  readonly receivedAt: Date;
  /** Redeliveries of the event while it was unresolved. */
  readonly deliveries: number;
  readonly conflicts?: { readonly count: number; readonly lastType: string; readonly lastAt: Date };
  /**
   * The last alert that the provider will stop repeating this event and may disable the endpoint; `day` is its warning
   * level.
   */
  readonly endpointWarning?: { readonly day: number; readonly at: Date; readonly givenUpAt: Date };
  /** SHA-256 of the bytes of the first delivery. */
  readonly payloadDigest: string;
  readonly object: ProviderObject;
  readonly resolution?: Resolution;
  readonly outbox?: readonly OutboxEntry[];
}

export interface PendingEvent extends WebhookEventBase {
  readonly result: 'pending';
}
interface EndedEvent extends WebhookEventBase {
  readonly processedAt: Date;
  /** Why the event was skipped, or why it had stopped before its resolution. */
  readonly errorMessage?: string;
}
interface SucceededEvent extends EndedEvent {
  readonly result: 'success';
}
export interface SkippedEvent extends EndedEvent {
  readonly result: 'skipped';
}
export type ResolvedEvent = SucceededEvent | SkippedEvent;
export interface StoppedEvent extends WebhookEventBase {
  readonly result: 'reconciliation_required';
  readonly processedAt: Date;
  readonly errorMessage: string;
  /**
   * `owner`: its handler reported the stop. `restart`: the process that admitted it ended before the outcome arrived.
   */
  readonly stoppedBy: 'owner' | 'restart';
  /** Evidence: an outcome, reported after the stop, that does not complete the event. */
  readonly lateOutcome?: {
    readonly outcome: ProviderOutcomeMessage['outcome'];
    readonly error?: string;
    readonly at: Date;
  };
}
export type WebhookEvent = PendingEvent | ResolvedEvent | StoppedEvent;

type EndFields = 'processedAt' | 'errorMessage' | 'lateOutcome';

/** The fields that an event may have once it has left `pending`. */
export function endOf(event: WebhookEvent): Pick<WebhookEvent, 'result'> & Partial<Pick<StoppedEvent, EndFields>> {
  return event;
}

/** The workspace that the event names in its metadata. */
export function workspaceOf({ object }: Pick<WebhookEvent, 'object'>): string | null {
  return object.metadata?.tenantId ?? null;
}

/** Whether the event is resolved, so that no investigation is open. */
export function isResolved(event: WebhookEvent): event is ResolvedEvent {
  return event.result === 'success' || event.result === 'skipped';
}

const ended = { processedAt: true, errorMessage: true } as const;

export const webhookSteps = defineSteps<WebhookEvent>()({
  name: 'event',
  field: 'result',
  begins: ['pending', 'skipped'],
  table: {
    pending: { to: ['success', 'skipped', 'reconciliation_required'], byResolution: ['success', 'skipped'] },
    success: { to: [] },
    skipped: { to: [] },
    reconciliation_required: { to: ['success', 'skipped'], byResolution: ['success', 'skipped'] },
  },
  own: {
    pending: {},
    success: ended,
    skipped: ended,
    reconciliation_required: { ...ended, stoppedBy: true, lateOutcome: true },
  },
});

/** What arrived, verified and redacted. */
export interface ReceivedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly created: Date;
  readonly object: ProviderObject;
  readonly payloadDigest: string;
}

/** The admission: pending with its owner, or skipped at once because no service handles the type. */
export function admission(
  received: ReceivedEvent,
  owner: ProviderEventOwner | null,
  executor: Executor,
  admittedRevision: string,
  now: Date,
): Checked<PendingEvent> | Checked<SkippedEvent> {
  const { eventId, type, created, object, payloadDigest } = received;
  const base = {
    _id: eventId,
    type,
    owner,
    executor,
    admittedRevision,
    created,
    receivedAt: now,
    deliveries: 0,
    payloadDigest,
    object,
  };
  return owner
    ? webhookSteps.begin<PendingEvent>({ ...base, result: 'pending' })
    : webhookSteps.begin<SkippedEvent>({
        ...base,
        result: 'skipped',
        processedAt: now,
        errorMessage: 'no service handles this type',
      });
}

/**
 * The message that dispatches the event to its owner. The owner's outcome ends the dispatch, not the broker's
 * acknowledgement.
 */
export function dispatchEntry(
  event: Pick<WebhookEvent, '_id' | 'type' | 'created' | 'object' | 'admittedRevision'>,
  owner: ProviderEventOwner,
  now: Date,
): OutboxEntry {
  return {
    id: providerEventMessageIds.event(event._id),
    subject: providerEventSubjects.event(owner, event.type),
    type: providerEventTypes.event,
    body: {
      eventId: event._id,
      type: event.type,
      created: event.created.toISOString(),
      object: event.object,
      admittedRevision: event.admittedRevision,
    },
    closesOn: 'receiver_record',
    createdAt: now,
  };
}

/**
 * The record with the owner's outcome, also for an event that stopped only because the receiver restarted. A failure
 * stops the event just like an unknown outcome (specification §6).
 */
export function complete(
  event: PendingEvent | StoppedEvent,
  outcome: ProviderOutcomeMessage,
  now: Date,
): Checked<ResolvedEvent> | Checked<StoppedEvent> {
  if (outcome.outcome === 'success' || outcome.outcome === 'skipped')
    return webhookSteps.move(event, outcome.outcome, {
      processedAt: now,
      ...(outcome.error !== undefined && { errorMessage: outcome.error }),
    });
  assert(event.result === 'pending', `event ${event._id} is stopped already`);
  return stopped(event, 'owner', outcome.error ?? `the handler ended ${outcome.outcome}`, now);
}

/** The record of an event that no handler may handle again (law 3). */
export function stopped(
  event: PendingEvent,
  stoppedBy: StoppedEvent['stoppedBy'],
  errorMessage: string,
  now: Date,
): Checked<StoppedEvent> {
  return webhookSteps.move(event, 'reconciliation_required', { processedAt: now, errorMessage, stoppedBy });
}

export function noteLateOutcome(
  event: StoppedEvent,
  { outcome, error }: ProviderOutcomeMessage,
  now: Date,
): Checked<StoppedEvent> {
  return webhookSteps.keep(event, { lateOutcome: { outcome, ...(error !== undefined && { error }), at: now } });
}

export function countRedeliveries(event: WebhookEvent, times: number): Checked<WebhookEvent> {
  return webhookSteps.keep<WebhookEvent>(event, { deliveries: event.deliveries + times });
}

export function noteConflict(event: WebhookEvent, type: string, now: Date): Checked<WebhookEvent> {
  const conflicts = { count: (event.conflicts?.count ?? 0) + 1, lastType: type, lastAt: now };
  return webhookSteps.keep<WebhookEvent>(event, { conflicts });
}

export function noteEndpointWarning(
  event: WebhookEvent,
  endpointWarning: NonNullable<WebhookEventBase['endpointWarning']>,
): Checked<WebhookEvent> {
  return webhookSteps.keep<WebhookEvent>(event, { endpointWarning });
}

export type Completion = 'complete' | 'known' | 'late' | 'foreign';

/**
 * Which change an owner's outcome makes to the record: completion is fenced by the admitted revision (specification
 * §6).
 */
export function decideCompletion(event: WebhookEvent, outcome: ProviderOutcomeMessage): Completion {
  if (event.admittedRevision !== outcome.admittedRevision) return 'foreign';
  if (event.result === 'pending') return 'complete';
  if (!awaitsOwner(event)) return 'known';
  // A final outcome in the owner's record resolves the event; any other outcome leaves it stopped.
  if (outcome.outcome === 'success' || outcome.outcome === 'skipped') return 'complete';
  return event.lateOutcome ? 'known' : 'late';
}

/**
 * Whether an outcome of the owner may still complete it: it is pending, or it stopped only because the receiver
 * restarted.
 */
export function awaitsOwner(event: WebhookEvent): event is PendingEvent | StoppedEvent {
  return event.result === 'pending' || (event.result === 'reconciliation_required' && event.stoppedBy === 'restart');
}

/** Appends the result of an investigation. Only a person with both proofs takes this step. */
export function resolve(event: PendingEvent | StoppedEvent, resolution: Resolution): Checked<ResolvedEvent> {
  const result = resolution.outcome === 'applied' ? 'success' : 'skipped';
  return webhookSteps.resolve(event, result, { processedAt: resolution.at, resolution });
}
