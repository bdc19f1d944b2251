/** The operator's law-breaking builds: the order of intent, effect and outcome, admission, transitions, migrations. */
import type { Mutant } from './mutant';

const operator = (path: string) => `services/operator/src/${path}`;

export const operatorMutants: readonly Mutant[] = [
  {
    id: 'sends-before-it-writes',
    breaks: ['L1', 'I1'],
    what: 'the operator calls the provider before the call is written down',
    file: operator('workflows/perform-effects.ts'),
    find: 'const written: Written<Operation> = await writeFenced(ports.operations, current, recordCall(operation, recorded.record), [], ports.retryPolicy);',
    replace:
      "const written = { kind: 'written', record: { ...current, ...recordCall(operation, recorded.record) } } as Written<Operation>;",
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
    find: "stop(operation, error, at), [alert], ports.retryPolicy);\n  if (written.kind === 'written') ports.publishNow(operation._id, [alert]);",
    replace: 'stop(operation, error, at), [], ports.retryPolicy); void alert;',
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
    find: 'return publishOutcomeAgain(ports, event, standing);',
    replace:
      "return standing.status === 'pending' ? execute(ports, event, standing) : publishOutcomeAgain(ports, event, standing);",
  },
  {
    id: 'clears-before-the-journal',
    breaks: ['L6', 'I6'],
    what: 'the transition is cleared before the outcome is in the journal',
    file: operator('workflows/journal-outcome.ts'),
    find: 'const written = await writeFenced(ports.operations, current, succeed(operation, result, effectiveAt, ports.clock.now()), announce, ports.retryPolicy);',
    replace:
      'const early = succeed(operation, result, effectiveAt, ports.clock.now()); await clearAfterJournal(ports, { ...current, ...early } as SucceededOperation); const written = await writeFenced(ports.operations, current, early, announce, ports.retryPolicy);',
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
    id: 'sends-again-otherwise',
    breaks: ['L3', 'I2', 'I3'],
    what: 'a call whose outcome is unknown is sent again under another key',
    file: 'libs/payment-provider/src/request.ts',
    find: 'return transmit(request);',
    replace: `return transmit(request).then((answer) => {
        const { description } = request;
        const again = { ...request, description: { ...description, idempotencyKey: description.idempotencyKey + ':again' } };
        return answer.outcome === 'unknown' ? transmit(again) : answer;
      });`,
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
