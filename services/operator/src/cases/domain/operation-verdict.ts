/**
 * The two questions about an operation, answered from its case file alone: did money move, and may anything still run.
 * What no record proves is `not_known` or `not_proven`, however likely it is.
 */
import {
  contractOf,
  type CaseView,
  type Evidence,
  type OperationView,
  type ProviderCallView,
} from '@platform/contracts-operator';
import { runningBy } from './executor-words';

type Verdict = CaseView['verdict'];

function effectCalls({ attempts }: OperationView): ProviderCallView[] {
  return attempts
    .flatMap(({ providerCalls }) => providerCalls)
    .filter(({ skipped, method }) => skipped === undefined && method !== 'GET');
}

export function moneyVerdict({ operation, provider }: Evidence): Verdict['money'] {
  const calls = effectCalls(operation);
  const moving = contractOf(operation.action).movesMoney;
  const effect = moving ? 'moved' : 'no_money';
  const { resolution } = operation;
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
      because: 'No provider call is recorded, and a call is recorded before it is sent.',
    };
  const [object] = provider.objects;
  const open = calls.filter(({ outcome }) => outcome !== 'succeeded' && outcome !== 'failed');
  const done = calls.filter(({ outcome }) => outcome === 'succeeded');
  if (open.length === 0 && done.length === 0)
    return {
      answer: 'did_not_move',
      because: `Every call was refused before it had an effect (${[...new Set(calls.map(refusalOf))].join('; ')}).`,
    };
  if (open.length === 0) {
    const last = done.at(-1)!;
    return {
      answer: effect,
      because: `The provider confirmed ${last.step}${last.objectId === undefined ? '' : ` (${last.objectId})`}.${moving ? '' : ' The action moves no money by itself.'}`,
    };
  }
  if (object)
    return {
      answer: effect,
      because: `An answer was lost, but the provider lists ${object.kind} ${object.id} under this operation's id.${moving ? '' : ' The action moves no money by itself.'}`,
    };
  if (provider.source === 'unavailable')
    return { answer: 'not_known', because: 'An answer was lost, and the provider could not be read now.' };
  return {
    answer: 'not_known',
    because: `The answer to ${open.at(-1)!.step} was lost, and the provider lists nothing under this operation's id. It may still appear.`,
  };
}

function refusalOf({ step, httpStatus, phase }: ProviderCallView): string {
  return `${step}: ${httpStatus === undefined ? (phase ?? 'no answer') : `HTTP ${httpStatus}`}`;
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
    because: `Attempt ${last.number} wrote down its end, but the provider may still execute ${lost.step}: its answer was lost.`,
  };
}
