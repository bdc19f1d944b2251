/**
 * The two questions about an operation, answered from its case file alone: did money move, and may anything still run.
 * Without a proof in the records the answer is `not_known` or `not_proven`, however likely it seems.
 */
import {
  contractOf,
  type CaseView,
  type Evidence,
  type OperationView,
  type ProviderCallView,
} from '@platform/contracts-operator';
import { effects, type EffectStep } from '@platform/payment-provider/effects';
import { lastingSteps } from '../../operations/domain/effects';
import { runningBy } from './executor-words';

type Verdict = CaseView['verdict'];

/** The step before the page of a checkout; a customer at the provider is no payment. */
const preparing = 'create_customer';

function effectCalls({ attempts }: OperationView): ProviderCallView[] {
  return attempts
    .flatMap(({ providerCalls }) => providerCalls)
    .filter(({ skipped, method }) => skipped === undefined && method !== 'GET');
}

export function moneyVerdict({ operation, provider }: Evidence): Verdict['money'] {
  const moving = contractOf(operation.action).movesMoney;
  const calls = effectCalls(operation).filter(({ step }) => !moving || step !== preparing);
  const effect = moving ? 'moved' : 'no_money';
  const { resolution } = operation;
  const contradiction = contradictionOf(operation, provider);
  if (contradiction !== null) return { answer: 'contradicted', because: contradiction };
  if (resolution)
    return resolution.outcome === 'applied'
      ? {
          answer: effect,
          because: `An investigation by ${resolution.by} established that it was applied (${resolution.providerObject ?? 'no provider object'}).`,
        }
      : {
          answer: 'did_not_move',
          because: `An investigation by ${resolution.by} established that nothing was applied.`,
        };
  if (calls.length === 0)
    return {
      answer: 'did_not_move',
      because: `No provider call${moving ? ' that moves money' : ''} is recorded, and a call is recorded before it is sent.`,
    };
  const open = calls.filter(({ outcome }) => outcome !== 'succeeded' && outcome !== 'failed');
  const lost = new Set(open.map(({ step }) => step));
  const object = provider.objects.findLast(({ step }) => step === undefined || lost.has(step));
  const done = calls.filter(({ outcome }) => outcome === 'succeeded');
  if (open.length === 0 && done.length === 0)
    return {
      answer: 'did_not_move',
      because: `Every call was refused before it had an effect (${[...new Set(calls.map(refusalOf))].join('; ')}).`,
    };
  const unpaid = moving ? notPaidYet(operation, provider) : null;
  if (unpaid) return unpaid;
  if (open.length === 0) {
    const last = done.at(-1)!;
    return {
      answer: effect,
      because: `The provider confirmed ${spoken(last.step)}${last.objectId === undefined ? '' : ` (${last.objectId})`}.${moving ? '' : ' The action moves no money by itself.'}`,
    };
  }
  if (object)
    return {
      answer: effect,
      because: `An answer was lost, but the provider shows ${spoken(object.kind)} ${object.id} for ${spoken(object.step ?? 'it')}.${moving ? '' : ' The action moves no money by itself.'}`,
    };
  if (provider.source === 'unavailable')
    return { answer: 'not_known', because: 'An answer was lost, and the provider could not be read now.' };
  return {
    answer: 'not_known',
    because: `The answer to ${spoken(open.at(-1)!.step)} was lost, and the provider shows nothing of it. It may still appear.`,
  };
}

/**
 * The answer where the confirmed call only asks a person to pay; null where the call itself moves the money. A failure
 * is recorded only with proof, also after an earlier step.
 */
function notPaidYet({ action, status, error }: OperationView, provider: Evidence['provider']): Verdict['money'] | null {
  if (status === 'failed')
    return { answer: 'did_not_move', because: `It ended as failed${error === undefined ? '' : `: ${error.message}`}` };
  if (status === 'awaiting_payment')
    return {
      answer: 'not_known',
      because: 'The provider holds the change until its payment is confirmed, and no confirmation is recorded.',
    };
  return action === 'checkout' ? paidOnThePage(provider) : null;
}

/** Whether the page of a checkout was paid, by its session as the provider shows it now. */
function paidOnThePage({ objects }: Evidence['provider']): Verdict['money'] {
  const session = objects.findLast(({ kind }) => kind === 'checkout_session');
  if (!session)
    return {
      answer: 'not_known',
      because: 'A checkout moves money only when its page is paid, and the provider does not show its session now.',
    };
  const { status, paymentStatus } = session.summary;
  const shown = `The provider shows checkout session ${session.id} as ${String(status)} and ${spoken(String(paymentStatus))}.`;
  if (paymentStatus === 'paid') return { answer: 'moved', because: shown };
  const isDecided = paymentStatus === 'no_payment_required' || status === 'open' || status === 'expired';
  return isDecided
    ? { answer: 'did_not_move', because: shown }
    : { answer: 'not_known', because: `${shown} Its bank may still pay.` };
}

/** The name of a step or of a kind of object, as people say it. */
const spoken = (name: string): string => name.replaceAll('_', ' ');

/**
 * The object that supports the outcome: the last one shown for a sent step that does more than prepare another step.
 */
export function lastShown({ objects }: Evidence['provider']): Evidence['provider']['objects'][number] | undefined {
  return objects.findLast(({ step }) => step !== 'release_schedule') ?? objects.at(-1);
}

/**
 * How the recorded resolution and the provider's current state differ; null when they agree, or when nothing is known.
 */
function contradictionOf(operation: OperationView, provider: Evidence['provider']): string | null {
  const { resolution } = operation;
  if (!resolution || provider.source === 'not_applicable') return null;
  const { override, evidence } = resolution;
  const by = `${resolution.by}${override ? ` and ${override.approvedBy}` : ''}`;
  // Evidence that was already read at the resolution is no contradiction, unless two people overrode it.
  const accepted = new Set(override ? [] : evidence?.objects);
  const answered = new Set(
    effectCalls(operation)
      .filter(({ outcome }) => outcome === 'succeeded' || outcome === 'failed')
      .map(({ step }) => step),
  );
  const shown = provider.objects.filter(
    ({ step, id, summary }) =>
      namesItsOperation(step) &&
      !accepted.has(id) &&
      summary['status'] !== 'expired' &&
      !(step === 'create_customer' && answered.has(step)),
  );
  if (resolution.outcome === 'not_applied')
    return shown.length === 0
      ? null
      : `${by} recorded that nothing was applied, but the provider shows ${shown.map(({ kind, id }) => `${spoken(kind)} ${id}`).join(', ')} of it.`;
  const searched = provider.searches ?? [];
  const last = searched.findLast(({ step }) => step !== 'release_schedule');
  if (!last || last.result === 'unavailable' || last.result === 'not_askable') return null;
  // A subscription names its last operation only: a later operation replaces or removes the name, so its absence proves
  // nothing.
  if (!lastingSteps.has(last.step)) return null;
  if (last.result === 'nothing_found')
    return `${by} recorded ${resolution.providerObject ?? 'it'} as applied, but the provider shows nothing of it (${last.search}).`;
  return provider.objects.some(({ id }) => id === resolution.providerObject)
    ? null
    : `${by} recorded ${resolution.providerObject ?? 'it'} as applied, but the provider shows ${provider.objects.map(({ id }) => id).join(', ')}.`;
}

/**
 * Whether the provider's object of this step carries the id of its operation. A state without an id may come from
 * another operation, so it contradicts nothing.
 */
function namesItsOperation(step: string | undefined): boolean {
  return step === undefined || !(step in effects) || effects[step as EffectStep].evidence.proof === 'intent';
}

function refusalOf({ step, httpStatus, phase }: ProviderCallView): string {
  return `${spoken(step)}: ${httpStatus === undefined ? (phase ?? 'no answer') : `HTTP ${httpStatus}`}`;
}

export function runningVerdict({ operation }: Evidence): Verdict['running'] {
  const last = operation.attempts.at(-1);
  switch (operation.status) {
    case 'succeeded':
    case 'failed':
      return {
        answer: 'no',
        because: operation.resolution
          ? 'It was closed by an investigation; an executor that wakes later loses its next write.'
          : 'It is finished; every attempt has ended.',
      };
    case 'pending':
      return { answer: 'no', because: 'No attempt was admitted.' };
    case 'awaiting_receipts':
      return {
        answer: 'no',
        because: "No attempt runs; it goes on when the last receipt is in, or when the checkout's session ends.",
      };
    case 'awaiting_payment':
      return {
        answer: 'no',
        because: 'No attempt runs; it goes on when the payment is confirmed, or given up by the provider.',
      };
    case 'reconciliation_required':
      return stoppedVerdict(operation, last);
    case 'running':
      return executingVerdict(last);
  }
}

type Attempt = OperationView['attempts'][number];

function executingVerdict(last: Attempt | undefined): Verdict['running'] {
  if (!last) return { answer: 'not_proven', because: 'No record names an executor.' };
  const who = `${last.executor.instance} (${last.executor.incarnation})`;
  return runningBy(who, last.executorKnowledge ?? { state: last.executorState ?? 'unknown' });
}

function stoppedVerdict(operation: OperationView, last: Attempt | undefined): Verdict['running'] {
  const lost = effectCalls(operation)
    .filter(({ outcome }) => outcome === undefined || outcome === 'unknown')
    .at(-1);
  if (!last?.finishedAt) return executingVerdict(last);
  if (!lost)
    return { answer: 'no', because: `Attempt ${last.number} wrote down its end, and no call is without an answer.` };
  return {
    answer: 'not_proven',
    because: `Attempt ${last.number} wrote down its end, but the provider may still execute ${spoken(lost.step)}: its answer was lost.`,
  };
}
