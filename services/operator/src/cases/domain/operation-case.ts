/**
 * The case of an operation, derived from its case file: all evidence in one place, and the runbook's next step
 * (docs/runbook.md).
 */
import { opsLine } from '@platform/kernel';
import {
  contractOf,
  operatorLimits,
  type CaseCall,
  type CaseEvent,
  type CaseView,
  type Evidence,
  type Money,
  type OperationView,
} from '@platform/contracts-operator';
import {
  callEvents,
  createdAtProvider,
  id,
  inOrder,
  instant,
  known,
  readCommands,
  receiptEvents,
  resolveCommands,
  resolvedEvent,
  text,
  toneOf,
} from './case-parts';
import { lastShown, moneyVerdict, runningVerdict } from './operation-verdict';

const open: ReadonlySet<OperationView['status']> = new Set([
  'pending',
  'running',
  'awaiting_receipts',
  'awaiting_payment',
  'reconciliation_required',
]);

export function caseOfOperation(evidence: Evidence, money: Money | null): CaseView {
  const { operation, provider, lifecycle } = evidence;
  const verdict = { money: moneyVerdict(evidence), running: runningVerdict(evidence) };
  const sent = callsOf(operation);
  const next = nextStep(evidence, verdict);
  const unresolved =
    (next.advice === 'investigate' && open.has(operation.status)) ||
    operation.status === 'awaiting_payment' ||
    (operation.status === 'awaiting_receipts' && operation.lifecycle === undefined);
  return {
    kind: 'operation',
    id: operation.operationId,
    tenantId: operation.tenantId,
    title: operation.action,
    status: operation.status,
    open: open.has(operation.status) || verdict.money.answer === 'contradicted',
    since: operation.createdAt,
    collectedAt: evidence.collectedAt,
    money,
    verdict,
    intent: intentOf(evidence),
    sent,
    provider,
    executors: operation.attempts.map(({ number, executor, startedAt, finishedAt, outcome, ...known }) => ({
      attempt: number,
      ...executor,
      state: known.executorState ?? (finishedAt === undefined ? 'unknown' : 'finished'),
      ...(known.executorKnowledge?.lastHeardOf !== undefined && { lastHeardOf: known.executorKnowledge.lastHeardOf }),
      startedAt,
      ...(finishedAt !== undefined && { finishedAt }),
      ...(outcome !== undefined && { outcome }),
    })),
    deliveries: lifecycle.deliveries ?? [],
    timeline: timelineOf(evidence, sent),
    notProven: [
      ...evidence.notProven,
      ...(lifecycle.source === 'unavailable'
        ? ['Anything about deliveries: lifecycle-delivery could not be read.']
        : []),
    ],
    next,
    commands: [
      ...readCommands('operation', operation.operationId),
      {
        purpose: 'Read the case file with what the provider shows now',
        line: `npm run ops -- evidence operation ${operation.operationId}`,
      },
      ...(unresolved
        ? resolveCommands('operation', operation.operationId, { takes: true, found: lastShown(provider)?.id })
        : []),
      ...(verdict.money.answer === 'contradicted' && !operation.resolution?.override
        ? [contradictionCommand(operation.operationId)]
        : []),
    ],
  };
}

function callsOf({ attempts }: OperationView): CaseCall[] {
  return attempts.flatMap(({ number, providerCalls }) => providerCalls.map((call) => ({ attempt: number, ...call })));
}

/** A value as its form names it. Screens show the amount in its currency by the name of the record. */
function valueName(action: OperationView['action'], name: string): string {
  const values: Readonly<Record<string, { readonly label: string } | undefined>> = contractOf(action).values;
  return name === 'amountCents' ? name : (values[name]?.label.toLowerCase() ?? name);
}

function intentOf({ operation, workspace }: Evidence): CaseView['intent'] {
  const values = Object.entries(operation.values).map(([name, value]) =>
    text(valueName(operation.action, name), String(value)),
  );
  return [
    text('action', operation.action),
    ...values,
    text('asked by', operation.actor.email ?? operation.actor.id),
    ...(operation.values['reason'] === undefined ? known(text, 'reason', operation.reason) : []),
    ...(operation.approval
      ? [text('approved by', operation.approval.approvedBy.email ?? operation.approval.approvedBy.id)]
      : []),
    instant('asked at', operation.createdAt),
    text('status', operation.status),
    ...known(text, 'workspace status', workspace?.status),
    ...known(text, 'access', workspace?.access.state),
    ...known(text, 'plan now', workspace?.planId),
    ...known(
      text,
      'pending transition',
      workspace?.transition && `${workspace.transition.kind} by ${workspace.transition.operationId}`,
    ),
    ...known(text, 'error', operation.attempts.at(-1)?.error?.message),
    id('fingerprint', operation.fingerprint),
    id('revision', operation.revision),
  ];
}

function nextStep({ operation, lifecycle }: Evidence, { running, money }: CaseView['verdict']): CaseView['next'] {
  const isContradicted = money.answer === 'contradicted';
  const expiresAt = Date.parse(operation.createdAt) + operatorLimits.retryWindowHours * 3_600_000;
  const until = new Date(expiresAt).toISOString();
  switch (operation.status) {
    case 'succeeded':
      return isContradicted ? contradicted() : { advice: 'nothing', text: 'Done. Do not issue it again.' };
    case 'failed':
      if (isContradicted) return contradicted();
      return operation.resolution
        ? { advice: 'nothing', text: 'Closed by an investigation. The same action takes a new id.' }
        : {
            advice: 'repeat',
            text: operation.error?.changed
              ? `Done in part: ${operation.error.changed.join(', ')}. The same id and the same values continue from there until ${until}.`
              : `Nothing happened. It may be repeated with the same id and the same values until ${until}.`,
          };
    case 'pending':
      return {
        advice: 'repeat',
        text: `The intent had no effect. It may be asked for again with the same id and the same values until ${until}.`,
      };
    case 'running':
      return running.answer === 'yes'
        ? { advice: 'wait', text: 'It is being executed. Wait, and read again.' }
        : investigate();
    case 'awaiting_receipts':
      return { advice: 'wait', text: waitingFor(lifecycle) };
    case 'awaiting_payment':
      return {
        advice: 'wait',
        text: `The holder of the card has to confirm the payment at ${operation.confirmUrl ?? 'the page of its invoice'}. The provider drops the change at ${operation.payment?.expiresAt ?? 'the end of its time'}; then the plan is as it was.`,
      };
    case 'reconciliation_required':
      return investigate();
  }
}

/** Closes the watch's alert and its row in the queue; refused while the watch has not seen the contradiction. */
export function contradictionCommand(itemId: string): CaseView['commands'][number] {
  return {
    purpose: 'Record how the difference was settled at the provider',
    line: opsLine(`contradictions close ${itemId} --reason "<how it was settled>" --token-file <file with your token>`),
  };
}

function contradicted(): CaseView['next'] {
  return {
    advice: 'investigate',
    text: 'Do not issue it again. What was recorded and what the provider shows differ: settle the difference at the provider. The record keeps what was resolved.',
  };
}

function investigate(): CaseView['next'] {
  return {
    advice: 'investigate',
    text: 'Stop retrying. Establish both proofs: the executor is stopped or quiescent, and the external outcome is known. Then record the resolution off-line.',
  };
}

function waitingFor(lifecycle: Evidence['lifecycle']): string {
  const waiting = (lifecycle.deliveries ?? []).filter(({ status }) => status === 'pending' || status === 'failed');
  if (waiting.length === 0) return 'It waits; nothing is to be done here.';
  const gone = waiting
    .filter(({ waitingFor: reason }) => reason === 'consumer_unregistered')
    .map(({ consumer }) => consumer);
  const names = waiting.map(({ consumer }) => consumer).join(', ');
  return gone.length > 0
    ? `It waits for ${names}. ${gone.join(', ')} is not registered any more: ask its team to start it, or waive its receipt off-line (its delivery's case has the line).`
    : `It waits for the receipt of ${names}. Ask its team when it does not come.`;
}

function settlementWords({ waived = [] }: { readonly waived?: readonly { readonly consumer: string }[] | undefined }) {
  return waived.length === 0
    ? 'Every required receipt is in'
    : `Every required receipt is in or waived (${waived.map(({ consumer }) => consumer).join(', ')})`;
}

function timelineOf({ operation, lifecycle, provider }: Evidence, sent: readonly CaseCall[]): CaseEvent[] {
  const events: CaseEvent[] = [
    {
      at: operation.createdAt,
      what: 'Intent written',
      detail: `${operation.action} by ${operation.actor.email ?? operation.actor.id}`,
      tone: 'neutral',
    },
  ];
  for (const { number, actor, reason, executor, startedAt, finishedAt, outcome, error } of operation.attempts) {
    events.push({
      at: startedAt,
      what: `Attempt ${number} admitted`,
      detail: [
        ...(actor ? [`asked by ${actor.email ?? actor.id}${reason === undefined ? '' : ` (${reason})`}`] : []),
        `${executor.instance}, incarnation ${executor.incarnation}`,
      ].join(', '),
      tone: 'neutral',
    });
    if (finishedAt !== undefined)
      events.push({
        at: finishedAt,
        what: `Attempt ${number} ended: ${outcome ?? 'no outcome'}`,
        ...(error && { detail: error.message }),
        tone: toneOf(outcome ?? 'none'),
      });
  }
  events.push(...callEvents(sent));
  events.push(...createdAtProvider(provider, sent));
  if (operation.lifecycle)
    events.push({
      at: operation.lifecycle.announcedAt,
      what: `Message ${operation.lifecycle.transition} written to the outbox`,
      tone: 'neutral',
    });
  if (lifecycle.message)
    events.push({
      at: lifecycle.message.acceptedAt,
      what: 'Message accepted by lifecycle-delivery',
      detail: `required: ${lifecycle.message.required.join(', ') || 'none'}`,
      tone: 'neutral',
    });
  events.push(...receiptEvents(lifecycle.deliveries ?? []));
  if (operation.lifecycle?.settledAt !== undefined)
    events.push({ at: operation.lifecycle.settledAt, what: settlementWords(operation.lifecycle), tone: 'good' });
  if (operation.effectiveAt !== undefined) events.push({ at: operation.effectiveAt, what: 'Succeeded', tone: 'good' });
  if (operation.resolution)
    events.push({
      at: operation.resolution.at,
      ...resolvedEvent(operation.resolution),
      tone: 'neutral',
    });
  return inOrder(events);
}
