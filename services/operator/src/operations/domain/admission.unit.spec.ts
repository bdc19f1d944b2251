import { operationStatuses } from '@platform/contracts-operator';
import { decideAdmission } from './admission';
import { newIntent } from './beginning';
import { fingerprintOf, type Operation, type OperationRequest } from './operation';

const created = new Date('2026-03-01T00:00:00.000Z');
const request: OperationRequest = {
  operationId: 'op-00000001',
  tenantId: 'acme',
  action: 'credit_customer',
  values: { amountCents: 500, reason: 'outage' },
  actor: { id: 'u1' },
};

function stored(status: Operation['status'], change: Partial<Operation> = {}): Operation {
  const base = {
    _id: request.operationId,
    revision: 'r',
    createdAt: created,
    updatedAt: created,
    tenantId: 'acme',
    action: request.action,
    actor: request.actor,
    values: request.values,
    fingerprint: fingerprintOf(request),
    attempts: [],
  };
  const error = { code: 'outcome_unknown', message: 'The outcome of balance credit is not known: the answer was lost' };
  return {
    ...base,
    status,
    error,
    result: {},
    effectiveAt: created,
    lifecycle: { transition: 'suspended', announcedAt: created },
    ...change,
  } as Operation;
}

/** Around each limit of the platform and of the provider, and far beyond all of them. */
const limitsMinutes = [15, 20, 60, 22 * 60, 23 * 60, 24 * 60, 72 * 60, 30 * 24 * 60];
const ages = limitsMinutes.flatMap((minutes) => [-1, 0, 1].map((ms) => minutes * 60_000 + ms));

/** Two facts that time must never change: who holds an operation, and that an outcome is unknown. */
const ageless = [
  ['succeeded', 'stored_success', undefined],
  ['awaiting_receipts', 'unfinished', undefined],
  ['awaiting_payment', 'unfinished', undefined],
  ['running', 'refuse', 'operation_running'],
  ['reconciliation_required', 'refuse', 'reconciliation_required'],
] as const;

const hoursLater = (hours: number, ms = 0) => new Date(created.getTime() + hours * 3_600_000 + ms);

describe('admission of a request', () => {
  it.each([
    ['succeeded', 'stored_success', undefined],
    ['awaiting_receipts', 'unfinished', undefined],
    ['pending', 'resume', undefined],
    ['failed', 'resume', undefined],
    ['running', 'refuse', 'operation_running'],
    ['reconciliation_required', 'refuse', 'reconciliation_required'],
  ] as const)('answers a repeat of a %s operation with %s', (status, kind, code) => {
    const admission = decideAdmission(stored(status), request, created);
    expect(admission.kind).toBe(kind);
    expect(admission.kind === 'refuse' ? admission.refusal.code : undefined).toBe(code);
  });

  it.each(operationStatuses)(
    'refuses a %s operation under other values, whatever its age, and names the difference',
    (status) => {
      const admission = decideAdmission(
        stored(status),
        { ...request, values: { ...request.values, amountCents: 700 } },
        hoursLater(100),
      );
      expect(admission).toMatchObject({
        kind: 'refuse',
        refusal: {
          code: 'operation_id_reused',
          errors: [{ pointer: '/amountCents', message: 'the stored intent has 500, this request 700' }],
        },
      });
    },
  );

  it('names another workspace and another action as differences', () => {
    const admission = decideAdmission(
      stored('succeeded'),
      { ...request, tenantId: 'globex', action: 'suspend', values: {} },
      created,
    );
    expect(admission).toMatchObject({ refusal: { errors: [{ pointer: '/path/tenantId' }, { pointer: '/action' }] } });
  });

  it.each([
    ['another workspace', { tenantId: 'globex', action: 'cancel_subscription' }, { tenantId: 'acme' }],
    ['another person’s kind of action', { tenantId: 'acme', action: 'credit_customer' }, { tenantId: 'acme' }],
  ] as const)('tells the owner of a workspace nothing of a record of %s', (_whose, held, asked) => {
    const admission = decideAdmission(
      { ...stored('succeeded'), ...held, fingerprint: 'of another request' } as Operation,
      { ...request, ...asked, action: 'change_plan_later', values: { planId: 'pro' } },
      created,
    );
    expect(admission).toMatchObject({ kind: 'refuse', refusal: { code: 'operation_id_reused' } });
    expect('refusal' in admission && admission.refusal).toEqual({ code: 'operation_id_reused' });
  });

  it('ignores who repeats it', () => {
    expect(decideAdmission(stored('succeeded'), { ...request, actor: { id: 'another' } }, created).kind).toBe(
      'stored_success',
    );
  });

  it.each(ageless)('answers a repeat of a %s operation alike at every age: %s', (status, kind, code) => {
    for (const ageMs of ages)
      for (const writtenMs of [0, ageMs]) {
        const record = stored(status, { updatedAt: new Date(created.getTime() + writtenMs) });
        const admission = decideAdmission(record, request, new Date(created.getTime() + ageMs));
        expect([ageMs, admission.kind, 'refusal' in admission ? admission.refusal.code : undefined]).toEqual([
          ageMs,
          kind,
          code,
        ]);
      }
  });

  it.each(['failed', 'pending'] as const)(
    'counts the window of a %s operation from its intent, whenever it was written last',
    (status) => {
      for (const ageMs of ages)
        for (const writtenMs of [0, ageMs / 2, ageMs]) {
          const record = stored(status, { updatedAt: new Date(created.getTime() + writtenMs) });
          const { kind } = decideAdmission(record, request, new Date(created.getTime() + ageMs));
          expect([ageMs, kind]).toEqual([ageMs, ageMs < 23 * 3_600_000 ? 'resume' : 'refuse']);
        }
    },
  );

  it('resumes a failed operation until just before 23 hours, and refuses it at exactly 23 hours', () => {
    expect(decideAdmission(stored('failed'), request, hoursLater(23, -1)).kind).toBe('resume');
    expect(decideAdmission(stored('failed'), request, hoursLater(23))).toMatchObject({
      kind: 'refuse',
      refusal: { code: 'retry_window_expired' },
    });
    expect(decideAdmission(stored('succeeded'), request, hoursLater(1_000)).kind).toBe('stored_success');
  });

  it('says of a stopped operation what is not known about it', () => {
    expect(decideAdmission(stored('reconciliation_required'), request, created)).toMatchObject({
      kind: 'refuse',
      refusal: {
        code: 'reconciliation_required',
        detail: 'The outcome of balance credit is not known: the answer was lost',
      },
    });
  });

  it.each(['payment_failed', 'trial_refused'])('does not sell again what ended with %s', (code) => {
    const record = stored('failed', { error: { code, message: 'The bank refused.' } } as Partial<Operation>);
    expect(decideAdmission(record, request, created)).toEqual({
      kind: 'refuse',
      operation: record,
      refusal: { code, detail: 'The bank refused.' },
    });
  });

  it('resumes an intent without an attempt, which has no error', () => {
    const intent = { ...newIntent(request), revision: 'r', createdAt: created, updatedAt: created };
    expect(decideAdmission(intent, request, created)).toEqual({ kind: 'resume', operation: intent });
  });

  it('does not open again what an investigation closed, and names that before all else', () => {
    const resolution = {
      outcome: 'not_applied',
      executorStopped: 'its host was shut down',
      providerObject: null,
      by: 'ops@example.com',
      at: created,
    } as const;
    const record = stored('failed', {
      resolution,
      error: { code: 'payment_failed', message: 'The bank refused.' },
    } as Partial<Operation>);
    for (const moment of [created, hoursLater(100)])
      expect(decideAdmission(record, request, moment)).toEqual({
        kind: 'refuse',
        operation: record,
        refusal: { code: 'resolved_not_applied' },
      });
  });

  it('does not repeat a change that waited for its payment, at whatever age, and says what became of it', () => {
    const error = { code: 'confirmation_expired', message: 'The payment was given up.' };
    const payment = {
      invoiceId: 'in_1',
      subscriptionId: 'sub_acme',
      confirmUrl: 'https://pay.test/in_1',
      expiresAt: hoursLater(23),
    };
    const record = stored('failed', { payment, error } as Partial<Operation>);
    for (const moment of [created, hoursLater(100)])
      expect(decideAdmission(record, request, moment)).toEqual({
        kind: 'refuse',
        operation: record,
        refusal: { code: 'confirmation_expired', detail: 'The payment was given up.' },
      });
  });
});
