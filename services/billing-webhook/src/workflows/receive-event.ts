/**
 * One delivery of a verified event (workflows §6): admit it by an insert, hand it to its owner through the outbox, wait
 * for the outcome within the budget. Only a resolved event is answered with a success; a second delivery never causes
 * a second dispatch.
 */
import { decide, onceOnly } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { StoreUnavailableError } from '@platform/mongo';
import {
  admission,
  awaitsOwner,
  dispatchEntry,
  isResolved,
  noteConflict,
  type ReceivedEvent,
  type WebhookEvent,
} from '../domain/webhook-event';
import { ownerOf } from '../domain/route-event';
import { recordedEnd } from './ask-owner';
import { completeEvent } from './complete-event';
import type { WaitBudget, WebhookPorts } from './ports';
import type { Reception } from './reception';
import { recogniseLateDuplicate } from './recognise-late-duplicate';

/** Throws StoreUnavailableError only while nothing has been written. */
export async function receiveEvent(ports: WebhookPorts, received: ReceivedEvent): Promise<Reception> {
  const late = await recogniseLateDuplicate(ports, received);
  if (late) return late;
  const listening = ports.notifier.listen(received.eventId);
  const budget = ports.budget();
  try {
    return await admit(ports, received, listening.heard, budget);
  } finally {
    budget.cancel();
    listening.stop();
  }
}

async function admit(
  ports: WebhookPorts,
  received: ReceivedEvent,
  heard: Promise<WebhookEvent>,
  budget: WaitBudget,
): Promise<Reception> {
  const owner = ownerOf(received.type, received.object.billing_reason);
  const admittedRevision = ports.ids.next();
  const now = ports.clock.now();
  const draft = admission(received, owner, ports.executor, admittedRevision, now);
  const entries = owner ? [dispatchEntry(draft, owner, now)] : [];
  const insertion = await ports.events.insert(draft, entries);
  if (insertion.outcome === 'not_applied')
    return insertion.existing
      ? repeated(ports, insertion.existing, received)
      : notRecorded('another record holds the event id and cannot be read');
  if (insertion.outcome === 'unknown') {
    const standing = await readBack(ports, received.eventId);
    if (!standing) return notRecorded(insertion.reason);
    if (standing.admittedRevision !== admittedRevision) return repeated(ports, standing, received);
  }
  ports.meter.reached(draft.result);
  if (!owner) return { kind: 'accepted', result: 'skipped', duplicate: false };
  ports.publishNow(received.eventId, entries);
  const event = await firstOutcome(ports, received.eventId, heard, budget);
  return event ? answerOf(event, false) : { kind: 'unresolved', result: 'pending' };
}

/**
 * The event once any replica has moved it out of `pending`; at the end of the budget in its current state; null when
 * unreadable.
 */
async function firstOutcome(
  ports: WebhookPorts,
  eventId: string,
  heard: Promise<WebhookEvent>,
  budget: WaitBudget,
): Promise<WebhookEvent | null> {
  for (;;) {
    const first = await Promise.race([heard, budget.over, budget.look()]);
    if (typeof first === 'object') return first;
    const event = await readBack(ports, eventId);
    if (first === 'over' || (event && event.result !== 'pending')) return event;
  }
}

/**
 * A redelivery dispatches nothing, whatever is recorded. An event that its owner has finished meanwhile is completed
 * here.
 */
async function repeated(ports: WebhookPorts, standing: WebhookEvent, received: ReceivedEvent): Promise<Reception> {
  if (standing.type !== received.type) return conflict(ports, standing, received);
  ports.meter.duplicate(standing.result);
  const end = awaitsOwner(standing) ? recordedEnd(standing, await ports.askOwner(standing)) : undefined;
  if (end) await completeEvent(ports, end);
  const now = end ? ((await readBack(ports, standing._id)) ?? standing) : standing;
  if (!isResolved(now)) await ports.countRedelivery(standing._id);
  return answerOf(now, true);
}

async function conflict(ports: WebhookPorts, standing: WebhookEvent, received: ReceivedEvent): Promise<Reception> {
  ports.meter.rejected('event_conflict');
  ports.log.error(
    { eventId: standing._id, standingType: standing.type, type: received.type },
    'an event id came again with another type; refused',
  );
  // The note is only evidence: a conflict is refused even when the note cannot be written.
  await decide<WebhookEvent, Checked<WebhookEvent>, null>(
    { retryPolicy: onceOnly },
    ports.events,
    received.eventId,
    (event) => (event ? { write: noteConflict(event, received.type, ports.clock.now()) } : { answer: null }),
    standing,
  );
  return { kind: 'conflict', standingType: standing.type };
}

function answerOf(event: WebhookEvent, duplicate: boolean): Reception {
  if (isResolved(event)) return { kind: 'accepted', result: event.result, duplicate };
  return {
    kind: 'unresolved',
    result: event.result,
    ...(event.result === 'reconciliation_required' && { errorMessage: event.errorMessage }),
  };
}

function notRecorded(reason: string): Reception {
  return { kind: 'not_recorded', reason };
}

/** The record as stored; null when there is none or it cannot be read. */
async function readBack({ events }: WebhookPorts, eventId: string): Promise<WebhookEvent | null> {
  try {
    return await events.findById(eventId);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null;
    throw error;
  }
}
