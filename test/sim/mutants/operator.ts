/** The operator's law-breaking builds: the order of intent, effect and outcome, admission, transitions, migrations. */
import type { Mutant } from './mutant';

const operator = (path: string) => `services/operator/src/${path}`;

export const operatorMutants: readonly Mutant[] = [
  {
    id: 'forgets-the-deletion',
    breaks: ['I16'],
    what: 'clearing a transition takes the deletion marker away',
    file: operator('mirror/domain/subscription.ts'),
    find: 'const { transition: _cleared, ...rest } = subscription;',
    replace: 'const { transition: _cleared, deletion: _gone, ...rest } = subscription as Subscription;',
  },
  {
    id: 'acts-on-the-deleted',
    breaks: ['I16'],
    what: 'an action does not ask whether the workspace is being deleted',
    file: operator('mirror/domain/subscription.ts'),
    find: "if (subscription.deletion && kind !== 'deletion') return { code: 'deletion_started' };",
    replace: "if (subscription.deletion && kind === null) return { code: 'deletion_started' };",
  },
  {
    id: 'deletes-without-listeners',
    breaks: ['I16'],
    what: 'a deletion succeeds when the first of its two parts is durable',
    file: operator('operations/workflows/settle-deletion.ts'),
    find: 'if (deletionIsComplete(noted)) return complete(ports, operation, noted);',
    replace: 'if (noted.deletion && deletionIsComplete) return complete(ports, operation, noted);',
  },
  {
    id: 'sends-before-it-writes',
    breaks: ['L1', 'I1'],
    what: 'an executor calls the provider before the call is written down',
    file: 'libs/durable/src/effects/runner.ts',
    find: 'const written = await writeHeld(ports, held, next);',
    replace: "const written = { kind: 'written', record: { ...stored, ...next } } as unknown as Written<T>;",
  },
  {
    id: 'journals-unknown-as-failed',
    breaks: ['L2', 'L3', 'I4'],
    what: 'an unknown outcome is journalled as a failure',
    file: operator('operations/workflows/perform-effects.ts'),
    find: 'return journalStop(ports, called.hold, called.error);',
    replace: "return journalFailure(ports, called.hold, { ...called.error, code: 'provider_unavailable' });",
  },
  {
    id: 'replays-what-is-unknown',
    breaks: ['L3', 'I3'],
    what: 'an operation that needs reconciliation may be asked for again',
    file: operator('operations/domain/admission.ts'),
    find: "return { kind: 'refuse', operation: stored, refusal: { code: 'reconciliation_required', detail: stored.error.message } };",
    replace: "return { kind: 'resume', operation: { ...stored, status: 'failed' } as unknown as FailedOperation };",
  },
  {
    id: 'stops-in-silence',
    breaks: ['L3', 'I3'],
    what: 'a record that stops raises no alert',
    file: 'libs/durable/src/effects/runner.ts',
    find: 'return writeHeld(ports, hold, journal.stopped(working, error, at), [alert]);',
    replace: 'return writeHeld(ports, hold, journal.stopped(working, error, at), []).finally(() => void alert);',
  },
  {
    id: 'takes-over-after-a-while',
    breaks: ['L4', 'I2', 'I4'],
    what: 'a running operation is taken over when it is old enough',
    file: operator('operations/domain/admission.ts'),
    find: "return { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } };",
    replace:
      "return now.getTime() - stored.updatedAt.getTime() < 1_000 ? { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } } : { kind: 'resume', operation: { ...stored, status: 'failed' } as unknown as FailedOperation };",
  },
  {
    id: 'executes-on-redelivery',
    breaks: ['L4', 'I10'],
    what: 'a redelivered provider event is handled again while its executor works',
    file: operator('provider-events/workflows/handle-provider-event.ts'),
    find: "return standing ? publishOutcomeAgain(patient, event, standing) : 'again';",
    replace:
      "return standing?.status === 'pending' ? execute(patient, event, standing) : standing ? publishOutcomeAgain(patient, event, standing) : 'again';",
  },
  {
    id: 'forgets-what-it-admitted',
    breaks: ['I18'],
    what: 'the admission of a provider event whose insert has no answer is given back, and no process handles it',
    file: operator('provider-events/workflows/handle-provider-event.ts'),
    find: 'const insertion = await insertFenced(ports.admissions, draft, retryPolicy);',
    replace:
      'const insertion = await insertFenced(ports.admissions, draft, { ...retryPolicy, tries: 1, outlast: undefined });',
    suite: operator('provider-events/workflows/unfinished-event.unit.spec.ts'),
  },
  {
    id: 'takes-a-rival-for-itself',
    breaks: ['L1', 'L5'],
    what: 'the second of two equal requests of one process takes what the first has inserted for its own',
    file: operator('operations/workflows/begin-operation.ts'),
    find: 'const standing = rivalled ? await ports.operations.findById(request.operationId) : null;',
    replace: 'const standing = rivalled ? null : null;',
    suite: operator('operations/workflows/races.unit.spec.ts'),
  },
  {
    id: 'asks-for-what-is-done',
    breaks: ['I4'],
    what: 'a retry asks again for a step that an earlier attempt has done, and may write down that it failed',
    file: operator('operations/workflows/perform-effects.ts'),
    find: "const former = recorded || 'skipped' in effect ? undefined : doneBefore(started, effect.step);",
    replace:
      "const former = recorded || 'skipped' in effect || doneBefore ? undefined : doneBefore(started, effect.step);",
    suite: operator('operations/workflows/partial-effects.unit.spec.ts'),
  },
  {
    id: 'clears-before-the-journal',
    breaks: ['L6', 'I6'],
    what: 'the transition is cleared before the outcome is in the journal',
    file: operator('operations/workflows/journal-outcome.ts'),
    find: 'const next = succeed(hold.working, result, effectiveAt, ports.clock.now());',
    replace:
      'const next = succeed(hold.working, result, effectiveAt, ports.clock.now()); await clearAfterJournal(ports, { ...hold.stored, ...next } as unknown as SucceededOperation);',
  },
  {
    id: 'clears-what-runs',
    breaks: ['L6', 'I6'],
    what: 'the start-up sweep clears transitions of operations that are still undecided',
    file: operator('operations/workflows/finish-clearing.ts'),
    find: "if (operation?.status !== 'succeeded' && operation?.status !== 'failed') return;\n      if (await clearAfterJournal(ports, operation)) cleared += 1;",
    replace: 'if (operation && (await clearAfterJournal(ports, operation as never))) cleared += 1;',
  },
  {
    id: 'clears-for-another',
    breaks: ['L4', 'L6', 'I5'],
    what: 'an attempt that ended late clears the transition that the next attempt has taken',
    file: operator('mirror/domain/subscription.ts'),
    find: 'return transition?.operationId === _id && (transition.attempt ?? 0) <= attempts.length;',
    replace: 'return transition?.operationId === _id && attempts.length > 0;',
    suite: operator('operations/workflows/late-clearing.unit.spec.ts'),
  },
  {
    id: 'trusts-the-broker',
    breaks: ['L7'],
    what: "a lifecycle message leaves the outbox on the broker's acknowledgement",
    file: operator('operations/domain/announcements.ts'),
    find: "requestedAt: createdAt.toISOString() }, closesOn: 'receiver_record',",
    replace: "requestedAt: createdAt.toISOString() }, closesOn: 'publish_ack',",
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
    file: operator('operations/domain/actions/suspend.ts'),
    find: "onAdmitted: (_subscription, operation, now) => ({ access: { state: 'closed', since: now, operationId: operation._id } }),",
    replace:
      "onCleared: (_subscription: unknown, operation, now) => ({ status: 'suspended', access: { state: 'closed', since: now, operationId: operation._id } }),",
    chaos: ['I5'],
    scenes: ['planted'],
  },
  {
    id: 'opens-access-early',
    breaks: ['I5'],
    what: 'a reactivation opens access when it is admitted, before any receipt',
    file: operator('operations/domain/actions/reactivate.ts'),
    find: '  effects: () => [],',
    replace:
      "  effects: () => [],\n  onAdmitted: (_subscription, operation, now) => ({ access: { state: 'open', since: now, operationId: operation._id } }),",
    chaos: ['I5'],
  },
  {
    id: 'completes-with-unknowns',
    breaks: ['I9', 'L3'],
    what: 'a migration is completed although the outcome of a workspace is not known',
    file: operator('migrations/domain/migration.ts'),
    find: 'if (missing === 0 && unknown === 0)',
    replace: 'if (missing === 0)',
  },
  {
    id: 'takes-latecomers',
    breaks: ['I9'],
    what: 'the list is captured once more after it was declared whole',
    file: operator('migrations/workflows/run-migration.ts'),
    find: 'const halt = await overItems(ports, job).finally(() => pulse.close());',
    replace:
      'await captureList(ports, { ...job.current(), captured: undefined } as never, target); const halt = await overItems(ports, job).finally(() => pulse.close());',
    suite: operator('migrations/workflows/run-migration.unit.spec.ts'),
  },
  {
    id: 'forgets-the-values',
    breaks: ['I13'],
    what: 'a request is known by its id alone, whatever its values',
    file: operator('operations/domain/admission.ts'),
    find: 'if (stored.fingerprint !== fingerprintOf(request)) {',
    replace: 'if (stored.tenantId !== request.tenantId) {',
    chaos: ['I13'],
  },
  {
    id: 'waits-for-a-changed-price',
    breaks: ['L3'],
    what: 'a paid upgrade whose price was changed once more goes on waiting',
    file: operator('operations/workflows/await-payment.ts'),
    find: 'if (found === null) return null;',
    replace: 'if (found !== undefined) return null;',
    suite: operator('operations/workflows/await-payment.unit.spec.ts'),
  },
  {
    id: 'takes-held-for-made',
    breaks: ['I4'],
    what: 'an upgrade that the provider only holds succeeds before its invoice is paid',
    file: operator('operations/workflows/await-payment.ts'),
    find: "const paid = invoice.value.status === 'paid';",
    replace:
      "const paid = invoice.value.status === 'paid'; if (!paid) return completeOperation(ports, hold, (await ports.subscriptions.findById(operation.tenantId))!);",
    suite: operator('operations/workflows/await-payment.rounds.unit.spec.ts'),
  },
  {
    id: 'promises-too-early',
    breaks: ['I14'],
    what: 'an intent whose write has no answer is accepted',
    file: operator('operations/workflows/begin-operation.ts'),
    find: "if (insertion.outcome === 'unknown') return { kind: 'store_unavailable', detail: 'The intent could not be recorded; nothing has happened. Repeat with the same operation id.', };",
    replace:
      "if (insertion.outcome === 'unknown') return { kind: 'unfinished', operation: { ...intent, revision: '', createdAt: ports.clock.now(), updatedAt: ports.clock.now() } as unknown as Operation };",
  },
];
