/** The case of a waiting lifecycle delivery: which consumer has not answered, and what the message requests. */
import type { DeliveryView, LifecycleOfOperation } from '@platform/contracts-lifecycle-delivery';
import type { CaseEvent, CaseFact, CaseView, Money } from '@platform/contracts-operator';
import { deliveryItemId } from '../../work-queue/domain/delivery-item-id';
import { id, inOrder, instant, known, readCommands, receiptEvents, text, waiveCommands } from './case-parts';

const isOpen = ({ status }: DeliveryView): boolean => status === 'pending' || status === 'failed';

export function caseOfDelivery(
  delivery: DeliveryView,
  lifecycle: LifecycleOfOperation,
  { collectedAt, money }: { readonly collectedAt: string; readonly money: Money | null },
): CaseView {
  const open = isOpen(delivery);
  const creation = delivery.operationId.startsWith('workspace-created:');
  return {
    kind: 'delivery',
    id: deliveryItemId(delivery),
    tenantId: delivery.tenantId,
    title: `${delivery.transition} → ${delivery.consumer}`,
    status: delivery.status,
    open,
    since: delivery.createdAt,
    collectedAt,
    money,
    verdict: {
      money: { answer: 'no_money', because: 'A delivery tells a consumer; it moves no money.' },
      running: open
        ? { answer: 'yes', because: 'It is published again until the receipt is durable; consumers recognise repeats.' }
        : { answer: 'no', because: `It is ${delivery.status}.` },
    },
    intent: deliveryIntent(delivery),
    sent: [],
    provider: { source: 'not_applicable', objects: [] },
    executors: [],
    deliveries: lifecycle.deliveries,
    timeline: deliveryTimeline(delivery, lifecycle),
    notProven: notProven(delivery, open),
    next: open
      ? {
          advice: 'wait',
          text: `${whyItWaits(delivery)} Ask its team; access stays as it is until the receipt is in, or a person waives it off-line.`,
        }
      : { advice: 'nothing', text: 'Nothing is to be done.' },
    commands: [
      ...(creation
        ? readCommands('provisioning-attempt', delivery.tenantId)
        : readCommands('operation', delivery.operationId)),
      ...readCommands('delivery', `${delivery.operationId} ${delivery.consumer}`),
      ...(open ? waiveCommands(delivery, delivery.waitingFor !== 'consumer_unregistered') : []),
    ],
  };
}

function notProven({ waiver }: DeliveryView, open: boolean): string[] {
  if (open) return ['Whether the consumer has acted: only its receipt tells.'];
  return waiver && !waiver.lateReceipt
    ? ['Whether the consumer has acted: its receipt was waived and none has come.']
    : [];
}

function deliveryIntent(delivery: DeliveryView): CaseFact[] {
  return [
    text('transition', delivery.transition),
    text('consumer', delivery.consumer),
    id('operation', delivery.operationId),
    instant('since', delivery.createdAt),
    text('publications', String(delivery.attemptCount)),
    text('failed runs', String(delivery.failureCount)),
    ...known(text, 'last error', delivery.lastError),
    ...(delivery.waiver
      ? [
          text('waived by', delivery.waiver.by),
          text('proof', delivery.waiver.proof),
          text('reason', delivery.waiver.reason),
        ]
      : []),
  ];
}

function deliveryTimeline(delivery: DeliveryView, { message, deliveries }: LifecycleOfOperation): CaseEvent[] {
  const { consumer, createdAt, attemptCount, failureCount, nextAttemptAt, lastError } = delivery;
  const told: CaseEvent[] = [];
  if (message)
    told.push(
      { at: message.requestedAt, what: `Transition ${message.transition} requested`, tone: 'neutral' },
      {
        at: message.acceptedAt,
        what: 'Message accepted',
        detail: `required: ${message.required.join(', ')}`,
        tone: 'neutral',
      },
    );
  told.push({
    at: createdAt,
    what: `Delivery to ${consumer} begun`,
    detail: `${attemptCount} publications, ${failureCount} failed runs`,
    tone: 'neutral',
  });
  told.push(...attemptEvents(delivery), ...receiptEvents(deliveries));
  if (isOpen(delivery) && nextAttemptAt !== undefined)
    told.push({
      at: nextAttemptAt,
      what: 'Next publication',
      ...(lastError !== undefined && { detail: lastError }),
      tone: 'neutral',
    });
  return inOrder(told);
}

/** An event for each attempt at the time it was sent, and one for a failure after it. The receipt has its own event. */
function attemptEvents({ consumer, attempts = [] }: DeliveryView): CaseEvent[] {
  return attempts.flatMap(({ number, startedAt, messageId, failures, answer }): CaseEvent[] => {
    const sent: CaseEvent = {
      at: startedAt,
      what: `Attempt ${number} sent to ${consumer}`,
      detail: messageId,
      tone: 'neutral',
    };
    if (!answer || answer.kind === 'receipt') return [sent];
    const what = answer.kind === 'receipt_refused' ? `Receipt of ${consumer} refused` : `${consumer} failed`;
    const often = failures > 1 ? `the last of ${failures} failures: ` : '';
    return [sent, { at: answer.at, what, detail: `${often}${answer.error ?? ''}`, tone: 'bad' }];
  });
}

function whyItWaits({ consumer, waitingFor, lastError }: DeliveryView): string {
  switch (waitingFor) {
    case 'consumer_unregistered':
      return `${consumer} is not registered any more.`;
    case 'consumer_paused':
      return `A person paused ${consumer}.`;
    case 'retry':
      return `${consumer} answers with errors: ${lastError ?? 'no error text is recorded'}`;
    default:
      return `${consumer} has not answered yet.`;
  }
}
