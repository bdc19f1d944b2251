/**
 * Builds that break a law on purpose: in each, one piece of one source file is replaced while it is bundled; nothing of
 * it ever stands in the product. A simulation that does not notice one of them is not worth its green line.
 */

export interface Mutant {
  readonly id: string;
  /** The law (L1 to L7, docs/laws.md) or invariant (I1 to I14, docs/invariants.md) that this build breaks. */
  readonly breaks: readonly string[];
  readonly what: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

const operator = (path: string) => `services/operator/src/${path}`;
const provisioning = (path: string) => `services/provisioning/src/${path}`;
const delivery = (path: string) => `services/lifecycle-delivery/src/${path}`;
const webhook = (path: string) => `services/billing-webhook/src/${path}`;

export const mutants: readonly Mutant[] = [
  {
    id: 'sends-before-it-writes',
    breaks: ['L1', 'I1'],
    what: 'the operator calls the provider before the call is written down',
    file: operator('workflows/perform-effects.ts'),
    find: 'const written: Written<Operation> = await writeFenced(ports.operations, current, recordCall(operation, recorded.record), [], ports.patience);',
    replace:
      "const written = { kind: 'written', record: { ...current, ...recordCall(operation, recorded.record) } } as Written<Operation>;",
  },
  {
    id: 'creates-before-it-writes',
    breaks: ['L1', 'I1'],
    what: 'provisioning calls the provider before the call is written down',
    file: provisioning('workflows/run.ts'),
    find: 'const end = await save(run, recordCall(run.attempt, { ...description, sentAt: ports.clock.now() }));',
    replace:
      'run.attempt = recordCall(run.attempt, { ...description, sentAt: ports.clock.now() }); const end = undefined as CreationAnswer | undefined;',
  },
  {
    id: 'takes-500-for-a-refusal',
    breaks: ['L2', 'I4'],
    what: "the provider's 5xx counts as failed",
    file: 'libs/payment-provider/src/outcome-taxonomy.ts',
    find: "what: '5xx, fresh or replayed under the key',\n    outcome: 'unknown',",
    replace: "what: '5xx, fresh or replayed under the key',\n    outcome: 'failed',\n    code: 'provider_unavailable',",
  },
  {
    id: 'takes-silence-for-a-refusal',
    breaks: ['L2', 'I4'],
    what: 'a lost answer counts as failed',
    file: 'libs/payment-provider/src/outcome-taxonomy.ts',
    find: "what: 'connection lost or time-out after the first byte was written',\n    outcome: 'unknown',",
    replace:
      "what: 'connection lost or time-out after the first byte was written',\n    outcome: 'failed',\n    code: 'provider_unavailable',",
  },
  {
    id: 'journals-unknown-as-failed',
    breaks: ['L2', 'L3', 'I4'],
    what: 'an unknown outcome is journalled as a failure',
    file: operator('workflows/perform-effects.ts'),
    find: "return journalStop(ports, current, operation, { code: 'outcome_unknown', message: `Step ${step}: ${answer.reason}` });",
    replace:
      "return journalFailure(ports, current, operation, { code: 'provider_unavailable', message: answer.reason });",
  },
  {
    id: 'replays-what-is-unknown',
    breaks: ['L3', 'I3'],
    what: 'an operation that needs reconciliation may be asked for again',
    file: operator('domain/admission.ts'),
    find: "return { kind: 'refuse', operation: stored, refusal: { code: 'reconciliation_required', detail: stored.error.message } };",
    replace: "return { kind: 'resume', operation: { ...stored, status: 'failed' } as unknown as FailedOperation };",
  },
  {
    id: 'stops-in-silence',
    breaks: ['L3', 'I3'],
    what: 'an operation that stops alerts nobody',
    file: operator('workflows/journal-outcome.ts'),
    find: "stop(operation, error, at), [alert], ports.patience);\n  if (written.kind === 'written') ports.nudge(operation._id, [alert]);",
    replace: 'stop(operation, error, at), [], ports.patience); void alert;',
  },
  {
    id: 'takes-over-after-a-while',
    breaks: ['L4', 'I2', 'I4'],
    what: 'a running operation is taken over when it is old enough',
    file: operator('domain/admission.ts'),
    find: "return { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } };",
    replace:
      "return now.getTime() - stored.updatedAt.getTime() < 1_000 ? { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } } : { kind: 'resume', operation: { ...stored, status: 'failed' } as unknown as FailedOperation };",
  },
  {
    id: 'executes-on-redelivery',
    breaks: ['L4', 'I10'],
    what: 'a redelivered provider event is handled again while its executor works',
    file: operator('workflows/handle-provider-event.ts'),
    find: 'return tellAgain(ports, event, standing);',
    replace:
      "return standing.status === 'pending' ? execute(ports, event, standing) : tellAgain(ports, event, standing);",
  },
  {
    id: 'writes-over-others',
    breaks: ['L5', 'I7'],
    what: 'a write does not compare the revision that it read',
    file: 'libs/mongo/src/fake/fake-collection.ts',
    find: "if (!row || row['revision'] !== current.revision) return { outcome: 'not_applied' };",
    replace: "if (!row) return { outcome: 'not_applied' };",
  },
  {
    id: 'repeats-lost-races',
    breaks: ['L5', 'I2', 'I4', 'I14'],
    what: 'an executor that lost the race writes again over what stands',
    file: 'libs/mongo/src/write-fenced.ts',
    find: "return { kind: 'lost', record: standing };",
    replace: "if (!standing) return { kind: 'lost', record: standing }; current = standing; continue;",
  },
  {
    id: 'clears-before-the-journal',
    breaks: ['L6', 'I6'],
    what: 'the transition is cleared before the outcome is in the journal',
    file: operator('workflows/journal-outcome.ts'),
    find: 'const written = await writeFenced(ports.operations, current, succeed(operation, result, effectiveAt, ports.clock.now()), announce, ports.patience);',
    replace:
      'const early = succeed(operation, result, effectiveAt, ports.clock.now()); await clearAfterJournal(ports, { ...current, ...early } as SucceededOperation); const written = await writeFenced(ports.operations, current, early, announce, ports.patience);',
  },
  {
    id: 'clears-what-runs',
    breaks: ['L6', 'I6'],
    what: 'the start-up sweep clears transitions of operations that are still undecided',
    file: operator('workflows/finish-clearing.ts'),
    find: "if (operation?.status !== 'succeeded' && operation?.status !== 'failed') continue;\n      if (await clearAfterJournal(ports, operation)) cleared += 1;",
    replace: 'if (operation && (await clearAfterJournal(ports, operation as never))) cleared += 1;',
  },
  {
    id: 'clears-for-another',
    breaks: ['L4', 'L6', 'I5'],
    what: 'an attempt that ended late clears the transition that the next attempt has taken',
    file: operator('domain/subscription.ts'),
    find: 'return transition?.operationId === _id && (transition.attempt ?? 0) <= attempts.length;',
    replace: 'return transition?.operationId === _id && attempts.length > 0;',
  },
  {
    id: 'trusts-the-broker',
    breaks: ['L7'],
    what: "a lifecycle message leaves the outbox on the broker's acknowledgement",
    file: operator('workflows/run-operation.ts'),
    find: "closesOn: 'receiver_record',",
    replace: "closesOn: 'publish_ack',",
  },
  {
    id: 'does-not-sweep',
    breaks: ['L7', 'I8'],
    what: 'deliveries without a receipt do not leave again after a restart or in a round',
    file: delivery('workflows/retry-deliveries.ts'),
    find: 'if (isFresh(delivery, now)) return;',
    replace: 'if (delivery) return;',
  },
  {
    id: 'sends-again-otherwise',
    breaks: ['L3', 'I2', 'I3'],
    what: 'a call whose outcome is unknown is sent again under another key',
    file: operator('workflows/prepare-effect.ts'),
    find: 'effect: SendableEffect): PreparedEffect {\n  const intent: CallIntent = { operationId, step: effect.step };',
    replace: `effect: SendableEffect, key?: string): PreparedEffect {
  if (key === undefined) {
    const first = prepareEffect(provider, operationId, effect, operationId + ':' + effect.step);
    const send = async () => {
      const answer = await first.call.send();
      return answer.outcome === 'unknown' ? prepareEffect(provider, operationId, effect, operationId + ':' + effect.step + ':again').call.send() : answer;
    };
    return { ...first, call: { description: first.call.description, send } };
  }
  const intent: CallIntent = { operationId, step: effect.step, idempotencyKey: key };`,
  },
  {
    id: 'leaves-access-open',
    breaks: ['I5'],
    what: 'a suspension tells consumers while access is still open',
    file: operator('domain/actions/suspend.ts'),
    find: "onAdmitted: (_subscription, operation, now) => ({ access: { state: 'closed', since: now, operationId: operation._id } }),",
    replace:
      "onCleared: (_subscription: unknown, operation, now) => ({ status: 'suspended', access: { state: 'closed', since: now, operationId: operation._id } }),",
  },
  {
    id: 'opens-access-early',
    breaks: ['I5'],
    what: 'a reactivation opens access when it is admitted, before any receipt',
    file: operator('domain/actions/reactivate.ts'),
    find: '  effects: () => [],',
    replace:
      "  effects: () => [],\n  onAdmitted: (_subscription, operation, now) => ({ access: { state: 'open', since: now, operationId: operation._id } }),",
  },
  {
    id: 'settles-without-receipts',
    breaks: ['I8', 'I5'],
    what: 'a message settles when one consumer has answered',
    file: delivery('domain/lifecycle-message.ts'),
    find: "if (missing.length > 0) return { decision: 'wait', missing };",
    replace: "if (missing.length === record.required.length) return { decision: 'wait', missing };",
  },
  {
    id: 'forgets-receipts',
    breaks: ['I8'],
    what: 'a late failure overwrites a receipt',
    file: delivery('domain/delivery.ts'),
    find: "  if (!isOpen(delivery)) return { decision: 'already_recorded' };\n  if (delivery.status === 'failed' && delivery.lastReportId === report.reportId) return { decision: 'already_recorded' };\n  assertStep(deliverySteps, delivery.status, 'failed', `delivery ${delivery._id}`);",
    replace: '',
  },
  {
    id: 'completes-with-unknowns',
    breaks: ['I9', 'L3'],
    what: 'a migration is completed although the outcome of a workspace is not known',
    file: operator('domain/migration.ts'),
    find: 'if (tally.reconciliation_required === 0) return moved(',
    replace: 'if (tally) return moved(',
  },
  {
    id: 'takes-latecomers',
    breaks: ['I9'],
    what: 'the list is captured once more after it was declared whole',
    file: operator('workflows/migrations/run-migration.ts'),
    find: 'const halt = await overItems(ports, job).finally(() => pulse.close());',
    replace:
      'await captureList(ports, { ...job.current(), captured: undefined } as never, target); const halt = await overItems(ports, job).finally(() => pulse.close());',
  },
  {
    id: 'handles-twice',
    breaks: ['I10'],
    what: 'provisioning handles an event again when its message comes again',
    file: provisioning('workflows/handle-provider-event.ts'),
    find: "if (admission.status === 'pending' || !admission.outcome) return 'handled';",
    replace:
      "if (admission.status === 'pending' || !admission.outcome) return complete(ports, admission, await judge(ports, event));",
  },
  {
    id: 'answers-200-unresolved',
    breaks: ['I10'],
    what: 'a delivery whose event has no outcome yet is answered with 200',
    file: webhook('workflows/receive-event.ts'),
    find: "return event ? answerOf(event, false) : { kind: 'unresolved', result: 'pending' };",
    replace:
      "return { kind: 'accepted', result: event?.result === 'skipped' ? 'skipped' : 'success', duplicate: false };",
  },
  {
    id: 'drops-reservations',
    breaks: ['I11'],
    what: 'a reservation of a creation that stopped is handed to somebody else',
    file: provisioning('domain/reservation.ts'),
    find: "if (allocations.length >= limit) return { kind: 'refused' };",
    replace:
      "if (allocations.length >= limit) return { kind: 'write', next: { _id: id, allocations: [{ tenantId, state: 'reserved' }], timeline: told(timeline, { at: now, tenantId, what: 'reserved' }) } };",
  },
  {
    id: 'releases-for-the-living',
    breaks: ['I11'],
    what: 'a committed creation gives its reservations back',
    file: provisioning('workflows/reserve.ts'),
    find: "const change = attempt.status === 'committed' ? confirmCapacity : releaseCapacity;",
    replace: 'const change = releaseCapacity;',
  },
  {
    id: 'announces-unpaid',
    breaks: ['I12'],
    what: '`created` is announced when the payment is awaited',
    file: provisioning('workflows/creation-steps.ts'),
    find: 'const written = await writeFenced(ports.markers, marker, next, [], ports.patience);',
    replace:
      "const written = await writeFenced(ports.markers, marker, next, [{ id: 'lifecycle-message:' + creationOperationId(run.attempt.tenantId), subject: 'lifecycle.message.created', type: 'lifecycle.message.created.v1', body: { tenantId: run.attempt.tenantId, operationId: creationOperationId(run.attempt.tenantId), transition: 'created', requestedAt: ports.clock.now().toISOString() }, closesOn: 'publish_ack', createdAt: ports.clock.now() }], ports.patience);",
  },
  {
    id: 'turns-a-commit-back',
    breaks: ['L4', 'I12'],
    what: 'an executor that slept writes that the payment is awaited over a committed marker',
    file: provisioning('workflows/creation-steps.ts'),
    find: "  if (marker.provisioningState === 'committed') return committedMeanwhile(run, marker);\n  if (marker.provisioningState !== 'preparing') return stopRun(run, { code: 'admission_closed', message: `The creation marker is ${marker.provisioningState} already.` });\n",
    replace: '',
  },
  {
    id: 'trusts-an-old-copy',
    breaks: ['L4'],
    what: 'a reconciliation that slept finishes a committed creation with the attempt that it had read before',
    file: provisioning('workflows/commit-creation.ts'),
    find: 'let current = working.preparedAt ? stored : ((await ports.attempts.findById(stored._id)) ?? stored);',
    replace: 'let current = stored;',
  },
  {
    id: 'charges-in-reconciliation',
    breaks: ['I12', 'I1'],
    what: 'the reconciliation pays an invoice that is open',
    file: provisioning('workflows/reconcile.ts'),
    find: "return invoice.outcome === 'succeeded' ? invoice.value.status === 'paid' : 'unknown';",
    replace:
      "const paying = attemptOf(handles.invoiceId); await provider.payInvoice(paying, handles.invoiceId).send(); return true;\n}\n\nfunction attemptOf(invoiceId: string) {\n  return { operationId: invoiceId, step: 'pay_invoice', idempotencyKey: `again-${Math.random()}` };",
  },
  {
    id: 'forgets-the-values',
    breaks: ['I13'],
    what: 'a request is known by its id alone, whatever its values',
    file: operator('domain/admission.ts'),
    find: 'if (stored.fingerprint !== fingerprintOf(request)) {',
    replace: 'if (stored.tenantId !== request.tenantId) {',
  },
  {
    id: 'promises-too-early',
    breaks: ['I14'],
    what: 'an intent whose write has no answer is accepted',
    file: operator('workflows/run-operation.ts'),
    find: "if (insertion.outcome === 'unknown') return { kind: 'store_unavailable', detail: 'The intent could not be written down; nothing has happened. Repeat with the same operation id.' };",
    replace:
      "if (insertion.outcome === 'unknown') return { kind: 'unfinished', operation: { ...newIntent(request), revision: '', createdAt: ports.clock.now(), updatedAt: ports.clock.now() } as Operation };",
  },
];
