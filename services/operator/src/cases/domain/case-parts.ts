/** Parts that cases of several kinds share: facts, calls in a timeline, command lines. */
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import type { CaseCall, CaseEvent, CaseFact, CaseView, OperationView } from '@platform/contracts-operator';

export const text = (label: string, value: string): CaseFact => ({ label, value, form: 'text' });
export const id = (label: string, value: string): CaseFact => ({ label, value, form: 'id' });
export const instant = (label: string, value: string): CaseFact => ({ label, value, form: 'instant' });

/** A fact, only when there is a value. */
export function known(
  make: (label: string, value: string) => CaseFact,
  label: string,
  value: string | null | undefined,
): CaseFact[] {
  return value === undefined || value === null || value === '' ? [] : [make(label, value)];
}

const phaseWords: Readonly<Record<string, string>> = {
  not_connected: 'no byte was written',
  connected: 'connected, nothing was written',
  bytes_written: 'bytes were written, no answer was read',
  response_read: 'an answer was read',
};

/** How far a call got, in words. */
function reached(call: Pick<CaseCall, 'phase' | 'outcome' | 'httpStatus'>): string {
  const phase = call.phase === undefined ? 'recorded, no answer was' : (phaseWords[call.phase] ?? call.phase);
  const status = call.httpStatus === undefined ? '' : `, HTTP ${call.httpStatus}`;
  return `${phase}${status}`;
}

const tones: Readonly<Record<string, CaseEvent['tone']>> = { succeeded: 'good', failed: 'bad', unknown: 'unknown' };

export function toneOf(outcome: string | undefined): CaseEvent['tone'] {
  return outcome === undefined ? 'unknown' : (tones[outcome] ?? 'neutral');
}

/** `of` says whose calls they are where a case has several records; without it, each call names its attempt. */
export function callEvents(calls: readonly CaseCall[], of?: string): CaseEvent[] {
  return calls.flatMap((call) =>
    call.sentAt === undefined
      ? []
      : [
          {
            at: call.sentAt,
            what: `${of ?? `Attempt ${call.attempt}`}: ${call.method ?? ''} ${call.path ?? call.step}`.replace(
              '  ',
              ' ',
            ),
            detail: `${call.step}: ${reached(call)}`,
            tone: toneOf(call.outcome),
          },
        ],
  );
}

/**
 * Objects that the provider made, never placed before the call that requested them: the provider has another clock, in
 * whole seconds.
 */
export function createdAtProvider(provider: CaseView['provider'], calls: readonly CaseCall[]): CaseEvent[] {
  return provider.objects.flatMap(({ kind, id: objectId, step, summary }) => {
    const { createdAt } = summary;
    if (typeof createdAt !== 'string') return [];
    const sentAt = calls.findLast((call) => call.step === step && call.skipped === undefined)?.sentAt;
    const before = sentAt !== undefined && Date.parse(createdAt) < Date.parse(sentAt);
    return [
      {
        at: before ? sentAt : createdAt,
        what: `The provider created ${kind} ${objectId}`,
        ...(before && { detail: `by its own clock at ${createdAt}` }),
        tone: 'good' as const,
      },
    ];
  });
}

/** A resolution in the timeline, always with the two people who overrode the provider's evidence. */
export function resolvedEvent({
  outcome,
  by,
  executorStopped,
  override,
}: NonNullable<OperationView['resolution']>): Pick<CaseEvent, 'what' | 'detail'> {
  return {
    what: `Resolved as ${outcome} by ${by}${override ? ` and ${override.approvedBy}, against the evidence` : ''}`,
    detail: override ? `${executorStopped} Override: ${override.reason} (${override.contradiction})` : executorStopped,
  };
}

/** Receipts, waivers and later receipts of waived deliveries. */
export function receiptEvents(deliveries: readonly DeliveryView[]): CaseEvent[] {
  return deliveries.flatMap(({ consumer, receipt, waiver }): CaseEvent[] => {
    if (receipt)
      return [{ at: receipt.acceptedAt, what: `Receipt of ${consumer}`, detail: receipt.receiptId, tone: 'good' }];
    if (!waiver) return [];
    const { by, reason, waivedAt, lateReceipt } = waiver;
    const waived: CaseEvent = {
      at: waivedAt,
      what: `Receipt of ${consumer} waived by ${by}`,
      detail: reason,
      tone: 'unknown',
    };
    if (!lateReceipt) return [waived];
    const what = `Late receipt of ${consumer}; it changes nothing`;
    return [waived, { at: lateReceipt.acceptedAt, what, detail: lateReceipt.receiptId, tone: 'neutral' }];
  });
}

/** Stable: events of one instant keep the order in which they were reported. */
export function inOrder(events: readonly CaseEvent[]): CaseEvent[] {
  return [...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Lines for a person with database credentials; placeholders are in angle brackets. */
export function resolveCommands(
  noun: string,
  itemId: string,
  object: { readonly takes: boolean; readonly found?: string | undefined },
): CaseView['commands'] {
  const line = (outcome: string, providerObject: string) =>
    `npm run ops -- resolve ${noun} ${itemId} --executor-stopped "<how you know that it is stopped>" --outcome ${outcome}${object.takes ? ` --provider-object ${providerObject}` : ''} --token-file <file with your token>`;
  return [
    { purpose: 'Record that it was applied, with both proofs', line: line('applied', object.found ?? '<id>') },
    ...(object.found === undefined
      ? [{ purpose: 'Record that it was not applied and will not be', line: line('not_applied', 'none') }]
      : []),
  ];
}

/** The command by which a person waives a delivery's receipt. */
export function waiveCommands(
  { operationId, consumer }: { readonly operationId: string; readonly consumer: string },
  registered: boolean,
): CaseView['commands'] {
  return [
    {
      purpose: `Waive the receipt of ${consumer}, for good`,
      line: `npm run ops -- waive delivery ${operationId} ${consumer} --executor-stopped "<how you know that no receipt comes>" --reason "<why access may open without its effect>"${registered ? ' --still-registered' : ''} --token-file <file with your token>`,
    },
  ];
}

export function readCommands(noun: string, itemId: string): CaseView['commands'] {
  return [{ purpose: 'Read the record', line: `npm run ops -- show ${noun} ${itemId}` }];
}
