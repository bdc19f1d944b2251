/** Cases of what other services own: a provisioning attempt, a waiting delivery. */
import type { DeliveryView, LifecycleOfOperation } from '@platform/contracts-lifecycle-delivery';
import type { CaseCall, CaseEvent, CaseView, Money } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { deliveryItemId } from '../work/project';
import { callEvents, id, inOrder, instant, known, readCommands, resolveCommands, text } from './case-parts';

interface About {
  readonly collectedAt: string;
  readonly money: Money | null;
}

const notAsked: CaseView['provider'] = { source: 'not_applicable', objects: [] };

export function caseOfAttempt(attempt: AttemptView, { collectedAt, money }: About): CaseView {
  const sent: CaseCall[] = attempt.providerCalls.map((call) => ({ attempt: 1, ...call }));
  const open = attempt.status !== 'committed' && attempt.status !== 'cancelled';
  const reservations = (attempt.reservations ?? []).flatMap(({ kind, timeline }) =>
    timeline.map(({ at, what }): CaseEvent => ({ at, what: `${kind} reservation: ${what}`, tone: 'neutral' })),
  );
  const listeners = attempt.listenerCalls.map(({ listener, event, calledAt, outcome }): CaseEvent => ({
    at: calledAt,
    what: `Listener ${listener}: ${event}`,
    detail: outcome ?? 'no answer yet',
    tone: outcome === undefined ? 'unknown' : 'neutral',
  }));
  const state = attempt.executor.state;
  return {
    kind: 'provisioning_attempt',
    id: attempt.tenantId,
    tenantId: attempt.tenantId,
    title: `create workspace ${attempt.workspaceName}`,
    status: attempt.status,
    open,
    since: attempt.createdAt,
    collectedAt,
    money,
    verdict: { money: attemptMoney(attempt, sent), running: attemptRunning(attempt) },
    intent: [
      text('workspace', attempt.workspaceName),
      text('plan', attempt.planId),
      text('asked by', attempt.userId),
      instant('asked at', attempt.createdAt),
      text('status', attempt.status),
      ...known(id, 'customer', attempt.handles.customerId),
      ...known(id, 'subscription', attempt.handles.subscriptionId),
      ...known(id, 'invoice', attempt.handles.invoiceId),
      ...known(text, 'error', attempt.lastError?.message),
      ...known(text, 'rollback', attempt.rollback?.code),
      ...(attempt.reservations ?? []).map(({ kind, state: held, heldBecause }) =>
        text(`${kind} reservation`, `${held}. ${heldBecause}`),
      ),
    ],
    sent,
    provider: notAsked,
    executors: [
      {
        attempt: 1,
        service: attempt.executor.service,
        instance: attempt.executor.instance,
        incarnation: attempt.executor.incarnation,
        state,
        startedAt: attempt.createdAt,
      },
    ],
    deliveries: [],
    timeline: inOrder([
      { at: attempt.createdAt, what: 'Creation begun', tone: 'neutral' },
      ...callEvents(sent),
      ...reservations,
      ...listeners,
      {
        at: attempt.updatedAt,
        what: `Record is ${attempt.status.replaceAll('_', ' ')}`,
        ...(attempt.lastError && { detail: attempt.lastError.message }),
        tone:
          attempt.status === 'committed'
            ? 'good'
            : attempt.status === 'reconciliation_required'
              ? 'unknown'
              : 'neutral',
      },
    ]),
    notProven:
      attempt.status === 'reconciliation_required'
        ? [
            'What the provider shows now: look at the customer, subscription and invoice named above.',
            ...(state === 'stopped' ? [] : [`That the executor ${attempt.executor.instance} (${state}) is quiescent.`]),
          ]
        : [],
    next: attemptNext(attempt),
    commands: [
      ...readCommands('provisioning-attempt', attempt.tenantId),
      ...(attempt.status === 'reconciliation_required' || state === 'superseded' || state === 'stopped'
        ? resolveCommands('provisioning-attempt', attempt.tenantId, { takes: true })
        : []),
    ],
  };
}

/** The step that has the first invoice paid; a subscription is made with that invoice unpaid and charges nothing by itself. */
const payment = 'pay_invoice';

function attemptMoney(
  { status, handles, trialDays }: AttemptView,
  sent: readonly CaseCall[],
): CaseView['verdict']['money'] {
  const lost = sent.filter(({ outcome }) => outcome === undefined || outcome === 'unknown').at(-1);
  const paid = sent.filter(({ step }) => step === payment);
  const invoice = handles.invoiceId === undefined ? 'the first invoice' : `the first invoice ${handles.invoiceId}`;
  if (sent.length === 0)
    return {
      answer: 'did_not_move',
      because: 'No provider call is recorded, and a call is recorded before it is sent.',
    };
  if (paid.some(({ outcome }) => outcome === 'succeeded'))
    return {
      answer: 'moved',
      because: `The provider confirmed the payment of ${invoice}.${status === 'cancelled' ? ' The creation was taken back afterwards; the provider tells what was refunded.' : ''}`,
    };
  if (status === 'committed')
    return paid.length > 0
      ? {
          answer: 'moved',
          because: `The creation is committed, which it is only once the provider shows ${invoice} as paid.`,
        }
      : {
          answer: 'did_not_move',
          because: `No payment was asked for${trialDays === undefined || trialDays === 0 ? ': nothing was due' : ', because of the trial'}.`,
        };
  if (lost)
    return {
      answer: 'not_known',
      because: `The answer to ${lost.step} was lost.${lost.step === payment ? '' : ' Nothing that was sent charges by itself.'}`,
    };
  if (status === 'awaiting_payment')
    return {
      answer: 'not_known',
      because: `${invoice.replace('the', 'The')} waits for its payment, which may come at any time.`,
    };
  if (paid.length > 0) return { answer: 'did_not_move', because: `The payment of ${invoice} was refused.` };
  return {
    answer: 'did_not_move',
    because: `No payment was sent: the subscription, where there is one, was made with ${invoice} unpaid.`,
  };
}

function attemptRunning({ status, executor }: AttemptView): CaseView['verdict']['running'] {
  if (status === 'committed' || status === 'cancelled') return { answer: 'no', because: 'It is finished.' };
  if (status === 'awaiting_payment')
    return { answer: 'no', because: 'No executor runs; it goes on with the event of its invoice.' };
  if (executor.state === 'live')
    return status === 'preparing'
      ? { answer: 'yes', because: `${executor.instance} is alive and may execute it now.` }
      : {
          answer: 'not_proven',
          because: `It was stopped, but ${executor.instance} is alive, and a call whose answer was lost may still be executed.`,
        };
  if (executor.state === 'stopped') return { answer: 'no', because: `${executor.instance} has ended in order.` };
  return {
    answer: 'not_proven',
    because: `${executor.instance} is ${executor.state}. Prove that its process is gone.`,
  };
}

function attemptNext({ status, executor }: AttemptView): CaseView['next'] {
  if (status === 'committed') return { advice: 'nothing', text: 'The workspace stands.' };
  if (status === 'cancelled')
    return { advice: 'nothing', text: 'The creation was taken back. A new one takes a new workspace.' };
  if (status === 'awaiting_payment')
    return {
      advice: 'wait',
      text: 'It waits for the payment of its first invoice; reservations are held meanwhile and never expire.',
    };
  if (status === 'preparing' && executor.state === 'live')
    return { advice: 'wait', text: 'It is being executed. Wait, and read again.' };
  return {
    advice: 'investigate',
    text: 'Nobody begins it again. Establish that its executor is stopped and what the provider holds, then record the resolution off-line.',
  };
}

export function caseOfDelivery(
  delivery: DeliveryView,
  lifecycle: LifecycleOfOperation,
  { collectedAt, money }: About,
): CaseView {
  const open = delivery.status === 'pending' || delivery.status === 'failed';
  const { message } = lifecycle;
  const reason =
    delivery.waitingFor === 'consumer_unregistered'
      ? `${delivery.consumer} is not registered any more.`
      : delivery.waitingFor === 'retry'
        ? `${delivery.consumer} answers with errors: ${delivery.lastError ?? 'none was told'}`
        : `${delivery.consumer} has not answered yet.`;
  const creation = delivery.operationId.startsWith('workspace-created:');
  const timeline: CaseEvent[] = [
    ...(message
      ? [
          { at: message.requestedAt, what: `Transition ${message.transition} requested`, tone: 'neutral' as const },
          {
            at: message.acceptedAt,
            what: 'Message accepted',
            detail: `required: ${message.required.join(', ')}`,
            tone: 'neutral' as const,
          },
        ]
      : []),
    {
      at: delivery.createdAt,
      what: `Delivery to ${delivery.consumer} begun`,
      detail: `${delivery.attemptCount} publications, ${delivery.failureCount} failed runs`,
      tone: 'neutral',
    },
    ...lifecycle.deliveries.flatMap(({ consumer, receipt }) =>
      receipt
        ? [{ at: receipt.acceptedAt, what: `Receipt of ${consumer}`, detail: receipt.receiptId, tone: 'good' as const }]
        : [],
    ),
    ...(open && delivery.nextAttemptAt !== undefined
      ? [
          {
            at: delivery.nextAttemptAt,
            what: 'Next publication',
            ...(delivery.lastError !== undefined && { detail: delivery.lastError }),
            tone: 'neutral' as const,
          },
        ]
      : []),
  ];
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
    intent: [
      text('transition', delivery.transition),
      text('consumer', delivery.consumer),
      id('operation', delivery.operationId),
      instant('since', delivery.createdAt),
      text('publications', String(delivery.attemptCount)),
      text('failed runs', String(delivery.failureCount)),
      ...known(text, 'last error', delivery.lastError),
    ],
    sent: [],
    provider: notAsked,
    executors: [],
    deliveries: lifecycle.deliveries,
    timeline: inOrder(timeline),
    notProven: open ? ['Whether the consumer has acted: only its receipt tells.'] : [],
    next: open
      ? { advice: 'wait', text: `${reason} Ask its team; access stays as it is until the receipt is in.` }
      : { advice: 'nothing', text: 'Nothing is to be done.' },
    commands: creation
      ? readCommands('provisioning-attempt', delivery.tenantId)
      : readCommands('operation', delivery.operationId),
  };
}
