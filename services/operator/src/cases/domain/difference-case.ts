/** The case of a difference between the payment provider and the records: both sides, and its owner's next step. */
import type { CaseView, Money } from '@platform/contracts-operator';
import { opsLine } from '@platform/kernel';
import { byReconciliation, differenceWords, type Difference } from '../../reconciliation/domain/difference';
import { id, inOrder, instant, known, text } from './case-parts';

export function caseOfDifference(
  difference: Difference,
  { collectedAt, money }: { readonly collectedAt: string; readonly money: Money | null },
): CaseView {
  const { _id, kind, status, tenantId, objectId, operationId, period, atProvider, inPlatform, createdAt } = difference;
  const { title, next } = differenceWords[kind];
  const open = status === 'open';
  return {
    kind: 'difference',
    id: _id,
    tenantId,
    title,
    status,
    open,
    since: createdAt.toISOString(),
    collectedAt,
    money,
    verdict: {
      money: moneyVerdict(difference),
      running: { answer: 'no', because: 'A comparison changes nothing and starts nothing.' },
    },
    intent: [
      text('at the provider', atProvider),
      text('in the records', inPlatform),
      ...known(id, 'object', objectId),
      ...known(id, 'operation', operationId),
      text('first seen by the reconciliation of', period),
      instant('first seen at', createdAt.toISOString()),
    ],
    sent: [],
    provider: { source: 'not_applicable', objects: [] },
    executors: [],
    deliveries: [],
    timeline: timelineOf(difference),
    notProven: open ? ['Which of the two sides is right.'] : [],
    next: open
      ? { advice: 'investigate', text: next }
      : {
          advice: 'nothing',
          text: 'It is settled. A reconciliation that sees something else opens a case of its own.',
        },
    commands: commandsOf(difference),
  };
}

function timelineOf(difference: Difference): CaseView['timeline'] {
  const { createdAt, kind } = difference;
  return inOrder([
    { at: createdAt.toISOString(), what: 'Seen by a reconciliation', detail: differenceWords[kind].title, tone: 'bad' },
    ...(difference.status === 'open'
      ? []
      : [
          {
            at: difference.end.at.toISOString(),
            what: difference.end.by === byReconciliation ? 'Not found any more' : `Closed by ${difference.end.by}`,
            detail: difference.end.reason,
            tone: 'neutral' as const,
          },
        ]),
  ]);
}

function commandsOf({ _id, operationId, status }: Difference): CaseView['commands'] {
  const end = `differences close ${_id} --reason "<how it was settled>" --token-file <file with your token>`;
  return [
    { purpose: 'Read both sides', line: opsLine(`differences show ${_id}`) },
    ...(operationId === undefined
      ? []
      : [{ purpose: 'Read the operation', line: opsLine(`show operation ${operationId}`) }]),
    ...(status === 'open' ? [{ purpose: 'Close it once it is settled', line: opsLine(end) }] : []),
  ];
}

function moneyVerdict({ kind, atProvider, inPlatform }: Difference): CaseView['verdict']['money'] {
  switch (kind) {
    case 'effect_without_entry':
    case 'effect_twice':
    case 'effect_of_failed':
    case 'amount_differs':
    case 'made_outside':
    case 'renewal_unexpected':
      return { answer: 'moved', because: atProvider };
    case 'entry_without_effect':
      return { answer: 'contradicted', because: `${inPlatform} ${atProvider}` };
    case 'mirror_differs':
    case 'schedule_unknown':
    case 'collection_differs':
      return { answer: 'no_money', because: 'What will be charged follows the provider, not the mirror.' };
    case 'subscription_unknown':
    case 'object_missing':
    case 'customer_unknown':
    case 'not_read':
      return { answer: 'not_known', because: 'Only the invoices of the provider say what was charged.' };
  }
}
