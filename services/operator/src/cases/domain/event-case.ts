/**
 * The case of a provider event: the records of its receiver and its owner. The operator's own admission is read here.
 * For an event that provisioning owns, provisioning is asked for the creation behind it. For anything that cannot be
 * asked, the case names the service that has the record.
 */
import type { CaseFact, CaseView, Money, WebhookEventView } from '@platform/contracts-operator';
import { id, instant, known, readCommands, resolveCommands, text } from './case-parts';
import { runningBy } from './executor-words';
import { admissionOf, attemptOf, isEnded, isOpen, type EventMaterial } from './event-material';
import { timelineOfEvent } from './event-timeline';

export function caseOfEvent(
  material: EventMaterial,
  { collectedAt, money }: { readonly collectedAt: string; readonly money: Money | null },
): CaseView {
  const { event, tenantId } = material;
  const open = isOpen(event);
  return {
    kind: 'webhook_event',
    id: event.eventId,
    tenantId,
    title: event.type,
    status: event.result,
    open,
    since: event.receivedAt,
    collectedAt,
    money,
    verdict: { money: moneyOf(event), running: runningOf(material) },
    intent: intentOf(material),
    sent: [],
    provider: { source: 'not_applicable', objects: [] },
    executors: executorsOf(material),
    deliveries: [],
    timeline: timelineOfEvent(material),
    notProven: open
      ? [
          'What the object looks like at the provider now: handlers read it again, an event proves nothing.',
          ...ownerNotProven(material),
        ]
      : [],
    next: nextOf(material),
    commands: [
      ...readCommands('webhook-event', event.eventId),
      ...ownerCommands(material),
      ...(open ? resolveCommands('webhook-event', event.eventId, { takes: false }) : []),
    ],
  };
}

function executorsOf(material: EventMaterial): CaseView['executors'] {
  const { event } = material;
  const admission = admissionOf(material);
  const receiver = { attempt: 1, ...event.executor, state: 'receiver', startedAt: event.receivedAt };
  if (!admission) return [receiver];
  const { executor, knowledge, admittedAt, finishedAt, status } = admission;
  const handler = {
    attempt: 1,
    ...executor,
    state: knowledge.state,
    ...(knowledge.lastHeardOf !== undefined && { lastHeardOf: knowledge.lastHeardOf }),
    startedAt: admittedAt,
    ...(finishedAt !== undefined && { finishedAt }),
    outcome: status,
  };
  return [receiver, handler];
}

function intentOf({ event, ...rest }: EventMaterial): CaseFact[] {
  const object = Object.entries(event.object)
    .filter(([, value]) => typeof value === 'string')
    .map(([label, value]) => id(label, String(value)));
  const attempt = attemptOf({ event, ...rest });
  return [
    text('event type', event.type),
    text('owner', event.owner ?? 'none'),
    instant('received', event.receivedAt),
    text('redeliveries', String(event.deliveries)),
    ...object,
    ...known(text, 'error', event.errorMessage),
    ...(attempt
      ? [
          text('creation', `${attempt.workspaceName} (${attempt.tenantId}) is ${attempt.status.replaceAll('_', ' ')}`),
          ...known(id, 'its invoice', attempt.handles.invoiceId),
          ...known(text, 'its error', attempt.lastError?.message),
        ]
      : []),
    id('payload digest', event.payloadDigest),
  ];
}

function moneyOf({ result, type }: WebhookEventView): CaseView['verdict']['money'] {
  if (result === 'skipped') return { answer: 'no_money', because: 'The event was skipped; it changed nothing here.' };
  return {
    answer: 'no_money',
    because: `An event moves no money: ${type} tells of something that the provider has done. What is open is whether it was taken over here.`,
  };
}

function runningOf(material: EventMaterial): CaseView['verdict']['running'] {
  const { result, owner, lateOutcome } = material.event;
  const admission = admissionOf(material);
  if (result === 'success' || result === 'skipped') return { answer: 'no', because: 'Its handler has ended.' };
  if (owner === 'provisioning') {
    if (lateOutcome)
      return {
        answer: 'no',
        because: `Provisioning told its outcome late (${lateOutcome.outcome}): its handler has ended.`,
      };
    const attempt = attemptOf(material);
    if (attempt && isEnded(attempt))
      return {
        answer: 'no',
        because: `The creation of ${attempt.tenantId} is ${attempt.status}: a handler that still runs changes nothing any more.`,
      };
    if (material.admission && !admission)
      return {
        answer: 'not_proven',
        because: attempt
          ? `Provisioning handles it; it tells that the creation of ${attempt.tenantId} is ${attempt.status.replaceAll('_', ' ')} (executor ${attempt.executor.instance}, ${attempt.executor.state}), but not whether this event is under way.`
          : 'Provisioning handles it, and could not be asked for its record of this event.',
      };
  }
  if (!admission)
    return {
      answer: 'not_proven',
      because:
        owner === null
          ? 'It has no owner, and it is not resolved.'
          : `${owner === 'operator' ? 'The gateway' : 'Provisioning'} has not admitted it yet; its message waits.`,
    };
  if (admission.finishedAt !== undefined)
    return { answer: 'no', because: `Its handler wrote down its end (${admission.status}).` };
  return runningBy(
    `Its handler ${admission.executor.instance} (${admission.executor.incarnation})`,
    admission.knowledge,
  );
}

function ownerNotProven(material: EventMaterial): string[] {
  const { event, admission, creation } = material;
  if (event.owner === null || admissionOf(material)) return [];
  const attempt = attemptOf(material);
  if (attempt && isEnded(attempt)) return [];
  if (!admission) return [`What ${event.owner} did with it: it has not admitted it.`];
  if (attempt)
    return [
      'What provisioning did with this event: it answers about the creation alone. Its record of the event is read with the command below.',
    ];
  if (creation === 'not_found')
    return [
      'What provisioning did with it: it knows no creation that this event names. Its record of the event is read with the command below.',
    ];
  return [
    `What provisioning did with it: it could not be asked now${typeof creation === 'object' && 'unavailable' in creation ? ` (${creation.unavailable})` : ''}. Ask it with the command below.`,
  ];
}

function admissionCommands(material: EventMaterial): CaseView['commands'] {
  const { eventId, result } = material.event;
  const read = readCommands('event-admission', eventId).map(({ line }) => ({
    purpose: 'Read what provisioning did with it',
    line,
  }));
  if (result === 'success' || result === 'skipped' || admissionOf(material)?.finishedAt !== undefined) return read;
  const ends = resolveCommands('event-admission', eventId, { takes: false });
  return [...read, ...ends.map(({ purpose, line }) => ({ purpose: `Of provisioning's record: ${purpose}`, line }))];
}

/**
 * The command line of the event's owner, and the command that resolves the event when its handler recorded no outcome.
 */
function ownerCommands(material: EventMaterial): CaseView['commands'] {
  if (material.event.owner !== 'provisioning') return [];
  const attemptId = attemptOf(material)?.tenantId ?? material.tenantId;
  const creation: CaseView['commands'] =
    attemptId === null
      ? [
          {
            purpose: 'Ask provisioning for its open creations, and look for the customer, subscription or invoice',
            line: 'npm run ops -- list provisioning-attempts',
          },
        ]
      : [
          {
            purpose: 'Ask provisioning for the creation behind it',
            line: `npm run ops -- show provisioning-attempt ${attemptId}`,
          },
        ];
  return [...admissionCommands(material), ...creation];
}

/** Provisioning admitted it, and its handler has recorded no outcome. */
function leftOpen(material: EventMaterial): boolean {
  const admission = admissionOf(material);
  return material.event.owner === 'provisioning' && admission !== null && admission.finishedAt === undefined;
}

function nextOf(material: EventMaterial): CaseView['next'] {
  const {
    event: { result },
  } = material;
  if (result === 'success' || result === 'skipped')
    return { advice: 'nothing', text: 'Resolved. Nothing is to be done.' };
  if (result === 'pending')
    return { advice: 'wait', text: 'Its owner has not told an outcome yet. Wait, and read again.' };
  const attempt = attemptOf(material);
  const outcome = material.event.lateOutcome?.outcome ?? admissionOf(material)?.status;
  const never = 'The event is never handled again by itself.';
  if (attempt?.status === 'committed')
    return {
      advice: 'investigate',
      text: `${never} The creation of ${attempt.tenantId} is committed, which is all that it could bring about. Compare with the provider, then record it as applied.`,
    };
  if (attempt?.status === 'awaiting_payment')
    return {
      advice: 'investigate',
      text: `${never} The creation of ${attempt.tenantId} waits for its payment, and reconciliation reads that from the provider every few minutes without charging. See what becomes of it, then record the resolution off-line.`,
    };
  if (leftOpen(material))
    return {
      advice: 'investigate',
      text: `${never} Its handler at provisioning left no outcome, so two records wait: end provisioning's record and the receiver's, with the proposals below.`,
    };
  if (outcome === 'success')
    return {
      advice: 'investigate',
      text: `${never} Its owner told a success afterwards, which is evidence and no resolution. Compare the workspace with the object at the provider, then record it as applied.`,
    };
  return {
    advice: 'investigate',
    text: `${never} Compare the workspace with the object at the provider, then record the resolution off-line.`,
  };
}
