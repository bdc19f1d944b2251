/** The case of a provisioning attempt: how far the creation of a workspace got, according to provisioning. */
import type { CaseCall, CaseEvent, CaseFact, CaseView, Money } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { callEvents, id, inOrder, instant, known, readCommands, resolveCommands, text } from './case-parts';
import { quiescenceOf, runningBy } from './executor-words';

interface AttemptAbout {
  readonly collectedAt: string;
  readonly money: Money | null;
  /** Objects that the provider shows now for the calls of this attempt. */
  readonly provider: CaseView['provider'];
  /** The provider's word for the first invoice while its payment is waited for; absent while that is not known. */
  readonly invoice?: string;
  /** Conclusions that must not be drawn from them. */
  readonly unproven: readonly string[];
}

export function caseOfAttempt(
  attempt: AttemptView,
  { collectedAt, money, provider, unproven, invoice }: AttemptAbout,
): CaseView {
  const sent: CaseCall[] = attempt.providerCalls.map((call) => ({ attempt: 1, ...call }));
  const { state } = attempt.executor;
  return {
    kind: 'provisioning_attempt',
    id: attempt.tenantId,
    tenantId: attempt.tenantId,
    title: `create workspace ${attempt.workspaceName}`,
    status: attempt.status,
    open: attempt.status !== 'committed' && attempt.status !== 'cancelled',
    since: attempt.createdAt,
    collectedAt,
    money,
    verdict: { money: attemptMoney(attempt, sent, provider, invoice), running: attemptRunning(attempt) },
    intent: attemptIntent(attempt, invoice),
    sent,
    provider,
    executors: [
      {
        attempt: 1,
        ...executorOf(attempt),
        state,
        ...(attempt.executor.lastHeardOf !== undefined && { lastHeardOf: attempt.executor.lastHeardOf }),
        startedAt: attempt.createdAt,
      },
    ],
    deliveries: [],
    timeline: attemptTimeline(attempt, sent),
    notProven: attemptNotProven(attempt, unproven),
    next: attemptNext(attempt, invoice),
    commands: [
      ...readCommands('provisioning-attempt', attempt.tenantId),
      ...(mayBeInvestigated(attempt)
        ? resolveCommands('provisioning-attempt', attempt.tenantId, { takes: true, found: paidInvoice(provider) })
        : []),
    ],
  };
}

/**
 * Whether an executor is to go on with it: until the wait for a person is recorded, and while it is taken back. Nothing
 * else goes on with what such an executor leaves, except a payment.
 */
function hasExecutor({ status, confirmation, rollback }: AttemptView): boolean {
  return status === 'preparing' || (status === 'awaiting_payment' && (!confirmation || rollback !== undefined));
}

function mayBeInvestigated(attempt: AttemptView): boolean {
  return attempt.status === 'reconciliation_required' || (hasExecutor(attempt) && attempt.executor.state !== 'alive');
}

function executorOf({ executor: { service, instance, incarnation } }: AttemptView) {
  return { service, instance, incarnation };
}

function attemptIntent(attempt: AttemptView, invoice: string | undefined): CaseFact[] {
  return [
    text('workspace', attempt.workspaceName),
    text('plan', attempt.planId),
    text('asked by', attempt.userId),
    instant('asked at', attempt.createdAt),
    text('status', attempt.status),
    ...known(id, 'customer', attempt.handles.customerId),
    ...known(id, 'subscription', attempt.handles.subscriptionId),
    ...known(id, 'invoice', attempt.handles.invoiceId),
    ...known(text, 'first invoice at the provider', invoice),
    ...known(text, 'payment', confirmationInWords(attempt)),
    ...known(text, 'confirmed at', attempt.confirmation?.url),
    ...known(text, 'error', attempt.lastError?.message),
    ...known(text, 'rollback', attempt.rollback?.code),
    ...known(text, 'left at the provider', remainsInWords(attempt)),
    ...(attempt.reservations ?? []).map(({ kind, state: held, heldBecause }) =>
      text(`${kind} reservation`, `${held}. ${heldBecause}`),
    ),
  ];
}

function confirmationInWords({ confirmation }: Pick<AttemptView, 'confirmation'>): string | undefined {
  if (!confirmation) return undefined;
  return confirmation.reason === 'authentication_required'
    ? 'The holder of the card has to confirm it.'
    : 'It is on its way; the bank has not answered.';
}

function remainsInWords({ remains }: AttemptView): string | undefined {
  switch (remains?.state) {
    case 'open':
      return 'To be removed by the next reconciliation.';
    case 'removed':
      return 'Nothing: the subscription is ended and the customer deleted.';
    case 'kept':
      return `${remains.reason ?? ''} It was kept; look at the provider, and decide there what is removed or given back.`.trim();
    default:
      return undefined;
  }
}

function attemptTimeline(attempt: AttemptView, sent: readonly CaseCall[]): CaseEvent[] {
  const { status, createdAt, updatedAt, lastError } = attempt;
  const reservations = (attempt.reservations ?? []).flatMap(({ kind, timeline }) =>
    timeline.map(({ at, what }): CaseEvent => ({ at, what: `${kind} reservation: ${what}`, tone: 'neutral' })),
  );
  const listeners = attempt.listenerCalls.map(({ listener, event, calledAt, outcome }): CaseEvent => ({
    at: calledAt,
    what: `Listener ${listener}: ${event}`,
    detail: outcome ?? 'no answer yet',
    tone: outcome === undefined ? 'unknown' : 'neutral',
  }));
  return inOrder([
    { at: createdAt, what: 'Creation begun', tone: 'neutral' },
    ...callEvents(sent),
    ...reservations,
    ...listeners,
    {
      at: updatedAt,
      what: `Record is ${status.replaceAll('_', ' ')}`,
      ...(lastError && { detail: lastError.message }),
      tone: status === 'committed' ? 'good' : status === 'reconciliation_required' ? 'unknown' : 'neutral',
    },
  ]);
}

function attemptNotProven(attempt: AttemptView, unproven: readonly string[]): string[] {
  const { status, executor } = attempt;
  if (status === 'committed' || status === 'cancelled') return [];
  return [...unproven, ...(mayBeInvestigated(attempt) ? quiescenceOf(executor, executor) : [])];
}

/**
 * The step that pays the first invoice. The creation of the subscription leaves that invoice unpaid and charges
 * nothing.
 */
const payment = 'pay_invoice';

function attemptMoney(
  { status, handles, trialDays }: AttemptView,
  sent: readonly CaseCall[],
  provider: CaseView['provider'],
  shownInvoice: string | undefined,
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
  const shown = paidInvoice(provider);
  if (shown !== undefined)
    return {
      answer: 'moved',
      because: `${lost ? 'An answer was lost, but the' : 'The'} provider shows ${shown} as paid.`,
    };
  if (shownInvoice === 'void')
    return {
      answer: 'did_not_move',
      because: `The provider shows ${invoice} as void, and a void invoice is never paid.`,
    };
  if (lost?.step === payment) return { answer: 'not_known', because: `The answer to ${lost.step} was lost.` };
  if (status === 'awaiting_payment')
    return {
      answer: 'not_known',
      because: `${invoice.replace('the', 'The')} waits for its payment, which may come at any time.`,
    };
  if (lost)
    return {
      answer: 'did_not_move',
      because: `No payment was sent. The answer to ${lost.step} was lost; whether it took effect is not known, and it charges nothing by itself.`,
    };
  if (paid.length > 0) return { answer: 'did_not_move', because: `The payment of ${invoice} was refused.` };
  return {
    answer: 'did_not_move',
    because: `No payment was sent: the subscription, where there is one, was made with ${invoice} unpaid.`,
  };
}

function attemptRunning(attempt: AttemptView): CaseView['verdict']['running'] {
  const { status, executor } = attempt;
  if (status === 'committed' || status === 'cancelled') return { answer: 'no', because: 'It is finished.' };
  if (status === 'awaiting_payment' && !hasExecutor(attempt))
    return { answer: 'no', because: 'No executor runs; it goes on with the event of its invoice.' };
  return runningBy(`${executor.instance} (${executor.incarnation})`, executor);
}

/** The first invoice, where the provider shows it as paid. */
function paidInvoice({ objects }: CaseView['provider']): string | undefined {
  return objects.find(({ step }) => step === payment)?.id;
}

function attemptNext(attempt: AttemptView, invoice: string | undefined): CaseView['next'] {
  const { status, executor } = attempt;
  if (status === 'committed') return { advice: 'nothing', text: 'The workspace exists.' };
  if (status === 'cancelled')
    return { advice: 'nothing', text: 'The creation was taken back. A new one takes a new workspace.' };
  if (hasExecutor(attempt) && executor.state === 'alive')
    return { advice: 'wait', text: 'It is being executed. Wait, and read again.' };
  if (status !== 'awaiting_payment' || hasExecutor(attempt))
    return {
      advice: 'investigate',
      text: 'No process starts it again. Establish that its executor is stopped and what the provider holds, then record the resolution off-line.',
    };
  return {
    advice: 'wait',
    text:
      invoice === 'uncollectible'
        ? 'The first invoice is marked uncollectible at the provider, which does not end it: it can still be paid there, and then the creation goes on. Void it there, and the creation is taken back.'
        : `${confirmationInWords(attempt)} When the provider voids the invoice, the creation is taken back.`,
  };
}
