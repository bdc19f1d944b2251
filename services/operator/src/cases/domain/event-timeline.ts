/** What happened to a provider event, in order: at the provider, at its receiver, at its owner and in the creation behind it. */
import type { CaseEvent, WebhookEventView } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { inOrder } from './case-parts';
import { admissionOf, attemptOf, isOpen, type EventAdmissionFacts, type EventMaterial } from './event-material';

export function timelineOfEvent(material: EventMaterial): CaseEvent[] {
  const { event } = material;
  const admission = admissionOf(material);
  const attempt = attemptOf(material);
  return inOrder([
    { at: event.created, what: 'The provider changed the object', detail: event.type, tone: 'neutral' },
    {
      at: event.receivedAt,
      what: 'Event received and admitted',
      detail: `by ${event.executor.instance}, for ${event.owner ?? 'no owner'}`,
      tone: 'neutral',
    },
    ...(attempt ? creationEvents(attempt) : []),
    ...(admission ? handlerEvents(admission) : []),
    ...resultEvents(event),
  ]);
}

function creationEvents({ tenantId, createdAt, updatedAt, status, executor }: AttemptView): CaseEvent[] {
  return [
    { at: createdAt, what: `Creation of ${tenantId} begun`, detail: executor.instance, tone: 'neutral' },
    {
      at: updatedAt,
      what: `Creation is ${status.replaceAll('_', ' ')}`,
      detail: 'as provisioning tells it; last change of its record',
      tone: status === 'committed' ? 'good' : status === 'reconciliation_required' ? 'unknown' : 'neutral',
    },
  ];
}

function handlerEvents({ executor, admittedAt, finishedAt, status, error }: EventAdmissionFacts): CaseEvent[] {
  const admitted: CaseEvent = { at: admittedAt, what: `Handler admitted: ${executor.instance}`, tone: 'neutral' };
  if (finishedAt === undefined) return [admitted];
  return [
    admitted,
    {
      at: finishedAt,
      what: `Handler ended: ${status}`,
      ...(error !== undefined && { detail: error }),
      tone: status === 'success' ? 'good' : 'bad',
    },
  ];
}

/** What the receiver recorded of the outcome, when it came late, and who resolved it. */
function resultEvents(event: WebhookEventView): CaseEvent[] {
  const { processedAt, result, errorMessage, lateOutcome, resolution } = event;
  const told: CaseEvent[] = [];
  if (processedAt !== undefined)
    told.push({
      at: processedAt,
      what: `Event is ${result.replaceAll('_', ' ')}`,
      ...(errorMessage !== undefined && { detail: errorMessage }),
      tone: isOpen(event) ? 'unknown' : 'good',
    });
  if (lateOutcome)
    told.push({
      at: lateOutcome.at,
      what: `Late outcome: ${lateOutcome.outcome}`,
      detail: 'Evidence, never a resolution',
      tone: 'neutral',
    });
  if (resolution)
    told.push({
      at: resolution.at,
      what: `Resolved as ${resolution.outcome} by ${resolution.by}`,
      detail: resolution.executorStopped,
      tone: 'neutral',
    });
  return told;
}
