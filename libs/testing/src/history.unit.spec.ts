import { checkableInvariants, checkHistory, formatViolations, invariants } from './history';
import { emptyEvidence, type Evidence, type InvariantId, type OperationEvidence } from './history/evidence';

const call = (key: string, sentAt: number, outcome: 'succeeded' | 'failed' | 'unknown' | undefined, path: string) => ({
  step: key.split(':')[1]!,
  idempotencyKey: key,
  path,
  sentAt,
  outcome,
});

const credit: OperationEvidence = {
  _id: 'credit',
  tenantId: 'acme',
  action: 'credit_customer',
  status: 'succeeded',
  fingerprint: 'f-credit',
  values: { amountCents: 500 },
  createdAt: 1,
  attempts: [
    { number: 1, providerCalls: [call('credit:balance', 2, 'failed', '/credit')] },
    { number: 2, providerCalls: [call('credit:balance', 4, 'succeeded', '/credit')] },
  ],
};
const suspend: OperationEvidence = {
  _id: 'suspend',
  tenantId: 'acme',
  action: 'suspend',
  status: 'succeeded',
  fingerprint: 'f-suspend',
  values: {},
  createdAt: 10,
  attempts: [
    {
      number: 1,
      providerCalls: [call('suspend:pause', 12, 'succeeded', '/pause'), { step: 'nothing', skipped: 'no schedule' }],
    },
  ],
};
const reactivate: OperationEvidence = {
  _id: 'reactivate',
  tenantId: 'acme',
  action: 'reactivate',
  status: 'succeeded',
  fingerprint: 'f-reactivate',
  values: {},
  createdAt: 20,
  attempts: [{ number: 1, providerCalls: [call('reactivate:resume', 26, 'succeeded', '/resume')] }],
};
const lost: OperationEvidence = {
  _id: 'lost',
  tenantId: 'globex',
  action: 'credit_customer',
  status: 'reconciliation_required',
  fingerprint: 'f-lost',
  values: { amountCents: 700 },
  createdAt: 40,
  attempts: [{ number: 1, providerCalls: [call('lost:balance', 41, 'unknown', '/credit')] }],
};

const effect = (operationId: string, step: string, path: string, at: number, amount?: number) => ({
  operationId,
  step,
  idempotencyKey: `${operationId}:${step}`,
  path,
  objectId: `obj_${operationId}`,
  at,
  ...(amount !== undefined && { amount }),
});
const send = (operationId: string, step: string, outcome: 'succeeded' | 'failed' | 'unknown', at: number) => ({
  operationId,
  step,
  idempotencyKey: `${operationId}:${step}`,
  outcome,
  at,
});
const received = (operationId: string, acceptedAt: number) => ({
  operationId,
  consumer: 'storage',
  status: 'succeeded',
  receipt: { receiptId: `r-${operationId}`, acceptedAt },
});
const due = (operationId: string) => ({ operationId, consumer: 'storage', status: 'pending', nextAttemptAt: 99 });
const write = (revision: string, expectedRevision: string | null, outcome: 'applied' | 'not_applied', at: number) => ({
  collection: 'operations',
  id: 'credit',
  revision,
  expectedRevision,
  outcome,
  at,
});

const clean: Required<Evidence> = {
  operations: [credit, suspend, reactivate, lost],
  subscriptions: [{ _id: 'acme', access: { state: 'open' } }],
  ledger: [
    effect('credit', 'balance', '/credit', 5, -500),
    effect('suspend', 'pause', '/pause', 13),
    effect('reactivate', 'resume', '/resume', 27),
    effect('lost', 'balance', '/credit', 42, -700),
    effect('move', 'acme', '/price', 50),
  ],
  sends: [
    send('credit', 'balance', 'failed', 3),
    send('credit', 'balance', 'succeeded', 5),
    send('suspend', 'pause', 'succeeded', 13),
    send('reactivate', 'resume', 'succeeded', 27),
    send('lost', 'balance', 'unknown', 42),
  ],
  alerts: [{ kind: 'operation', id: 'lost' }],
  lifecycleMessages: [
    { operationId: 'suspend', tenantId: 'acme', transition: 'suspended', at: 14, required: ['storage'], settledAt: 17 },
    {
      operationId: 'reactivate',
      tenantId: 'acme',
      transition: 'reactivation_requested',
      at: 21,
      required: ['storage'],
      settledAt: 25,
    },
    { operationId: 'workspace-created:new', tenantId: 'new', transition: 'created', at: 61, required: [] },
  ],
  deliveries: [received('suspend', 16), received('reactivate', 24)],
  deliveryLog: [
    { ...due('suspend'), at: 15 },
    { ...received('suspend', 16), at: 16 },
    { ...due('reactivate'), at: 22 },
    { ...received('reactivate', 24), at: 24 },
  ],
  consumerRuns: [
    { operationId: 'suspend', consumer: 'storage', outcome: 'receipt' },
    { operationId: 'reactivate', consumer: 'storage', outcome: 'failed' },
    { operationId: 'reactivate', consumer: 'storage', outcome: 'receipt' },
  ],
  accessLog: [
    { tenantId: 'acme', state: 'open', operationId: null, at: 0 },
    { tenantId: 'acme', state: 'closed', operationId: 'suspend', at: 11 },
    { tenantId: 'acme', state: 'open', operationId: 'reactivate', at: 28 },
  ],
  transitionLog: [
    { tenantId: 'acme', operationId: 'suspend', change: 'admitted', at: 11 },
    { tenantId: 'acme', operationId: 'suspend', change: 'cleared', at: 19 },
    { tenantId: 'acme', operationId: 'reactivate', change: 'admitted', at: 21 },
  ],
  statusLog: [
    { operationId: 'suspend', status: 'running', at: 11 },
    { operationId: 'suspend', status: 'succeeded', at: 18 },
  ],
  writes: [
    write('r1', null, 'applied', 1),
    write('r2', 'r1', 'applied', 2),
    write('r9', 'r1', 'not_applied', 3),
    write('r3', 'r2', 'applied', 4),
  ],
  answers: [
    { operationId: 'credit', fingerprint: 'f-credit', status: 503, code: 'provider_unavailable', at: 3 },
    { operationId: 'credit', fingerprint: 'f-credit', status: 200, at: 6 },
    { operationId: 'credit', fingerprint: 'f-other', status: 409, code: 'operation_id_reused', at: 7 },
    { operationId: 'suspend', fingerprint: 'f-suspend', status: 202, at: 14 },
    { operationId: 'lost', fingerprint: 'f-lost', status: 502, code: 'outcome_unknown', at: 43 },
  ],
  migrations: [
    {
      migrationId: 'move',
      status: 'completed',
      captured: ['acme', 'globex'],
      items: [
        { tenantId: 'acme', status: 'succeeded', providerCalls: [call('move:acme', 49, 'succeeded', '/price')] },
        { tenantId: 'globex', status: 'skipped', providerCalls: [] },
      ],
    },
  ],
  webhooks: [
    {
      eventId: 'evt_1',
      result: 'success',
      handlerRuns: 1,
      answers: [
        { status: 500, resultThen: 'pending' },
        { status: 200, resultThen: 'success' },
      ],
    },
  ],
  reservations: {
    taken: [
      { key: 'card', tenantId: 'new' },
      { key: 'card', tenantId: 'gone' },
    ],
    standing: [{ key: 'card', tenantId: 'new' }],
    released: [{ key: 'card', tenantId: 'gone', reason: 'cancelled' }],
  },
  creations: [
    { tenantId: 'new', status: 'committed', committedAt: 60, charges: 1 },
    { tenantId: 'gone', status: 'cancelled', charges: 0 },
  ],
};

const without = <T>(items: readonly T[], index: number): T[] => items.filter((_, position) => position !== index);
const replaced = <T>(items: readonly T[], index: number, change: Partial<T>): T[] =>
  items.map((item, position) => (position === index ? { ...item, ...change } : item));

const broken: readonly (readonly [InvariantId, string, Partial<Evidence>])[] = [
  ['I1', 'an effect that no intent names', { ledger: [...clean.ledger, effect('stranger', 'balance', '/credit', 30)] }],
  ['I1', 'an effect before its intent', { operations: replaced(clean.operations, 1, { createdAt: 14 }) }],
  [
    'I1',
    'an effect before its call was recorded',
    {
      operations: replaced(clean.operations, 1, {
        attempts: [{ number: 1, providerCalls: [call('suspend:pause', 14, 'succeeded', '/pause')] }],
      }),
    },
  ],
  ['I1', 'an effect on another path than the intent names', { ledger: replaced(clean.ledger, 1, { path: '/delete' }) }],
  ['I2', 'an effect that happened twice', { ledger: [...clean.ledger, effect('suspend', 'pause', '/pause', 31)] }],
  [
    'I2',
    'an effect that happened twice under two keys',
    {
      ledger: [
        ...clean.ledger,
        { ...effect('credit', 'balance', '/credit', 31, -500), idempotencyKey: 'credit:again' },
      ],
      operations: replaced(clean.operations, 0, {
        attempts: [
          ...credit.attempts,
          { number: 3, providerCalls: [call('credit:again', 30, 'succeeded', '/credit')] },
        ],
      }),
    },
  ],
  [
    'I3',
    'an unknown that does not stop',
    { operations: replaced(clean.operations, 3, { status: 'running' }), answers: without(clean.answers, 4) },
  ],
  ['I3', 'a stop that alerts nobody', { alerts: [] }],
  [
    'I3',
    'an attempt after an unknown',
    { operations: replaced(clean.operations, 3, { attempts: [...lost.attempts, { number: 2, providerCalls: [] }] }) },
  ],
  ['I3', 'a request sent again after an unknown', { sends: [...clean.sends, send('lost', 'balance', 'unknown', 44)] }],
  [
    'I3',
    'a migration item of unknown end that does not stop',
    {
      migrations: replaced(clean.migrations, 0, {
        items: replaced(clean.migrations[0]!.items, 0, { providerCalls: [call('move:acme', 49, 'unknown', '/price')] }),
      }),
    },
  ],
  [
    'I3',
    'a provider event that stops and alerts nobody',
    { webhooks: replaced(clean.webhooks, 0, { result: 'reconciliation_required' }) },
  ],
  [
    'I3',
    'a creation that stops and alerts nobody',
    { creations: replaced(clean.creations, 1, { status: 'reconciliation_required' }) },
  ],
  [
    'I4',
    'a failure that took effect',
    {
      operations: replaced(clean.operations, 3, {
        status: 'failed',
        attempts: [{ number: 1, providerCalls: [call('lost:balance', 41, 'failed', '/credit')] }],
      }),
      sends: without(clean.sends, 4),
      answers: without(clean.answers, 4),
    },
  ],
  ['I4', 'a failure that took effect before a later success', { ledger: replaced(clean.ledger, 0, { at: 3 }) }],
  ['I4', 'a success that the provider does not know', { ledger: without(clean.ledger, 1) }],
  ['I4', 'an unknown answer recorded as success', { sends: replaced(clean.sends, 2, { outcome: 'unknown' }) }],
  [
    'I4',
    'an operation that failed with a call of unknown end',
    {
      operations: replaced(clean.operations, 1, {
        status: 'failed',
        attempts: [{ number: 1, providerCalls: [call('suspend:pause', 12, undefined, '/pause')] }],
      }),
    },
  ],
  ['I5', 'a suspension announced while access is open', { accessLog: replaced(clean.accessLog, 1, { at: 15 }) }],
  ['I5', 'access opened before a receipt', { accessLog: replaced(clean.accessLog, 2, { at: 23 }) }],
  ['I5', 'access opened without a message', { lifecycleMessages: without(clean.lifecycleMessages, 1) }],
  ['I6', 'a transition cleared before the journal', { statusLog: replaced(clean.statusLog, 1, { at: 20 }) }],
  [
    'I6',
    'a transition cleared without an outcome',
    { statusLog: replaced(clean.statusLog, 1, { status: 'reconciliation_required' }) },
  ],
  ['I7', 'a stale write that was applied', { writes: replaced(clean.writes, 2, { outcome: 'applied' }) }],
  ['I7', 'a second insert that was applied', { writes: [...clean.writes, write('r4', null, 'applied', 5)] }],
  [
    'I8',
    'a delivery that is neither due nor received',
    { deliveryLog: replaced(clean.deliveryLog, 0, { nextAttemptAt: undefined }) },
  ],
  ['I8', 'a receipt that is still due', { deliveryLog: replaced(clean.deliveryLog, 1, { nextAttemptAt: 30 }) }],
  ['I8', 'a failure without its error', { deliveryLog: replaced(clean.deliveryLog, 0, { status: 'failed' }) }],
  [
    'I8',
    'a skipped delivery that is still due',
    { deliveryLog: replaced(clean.deliveryLog, 0, { status: 'skipped_deleted' }) },
  ],
  ['I8', 'a status that does not exist', { deliveryLog: replaced(clean.deliveryLog, 0, { status: 'done' }) }],
  [
    'I8',
    'a receipt that is replaced',
    {
      deliveryLog: [
        ...clean.deliveryLog,
        { ...received('suspend', 16), receipt: { receiptId: 'other', acceptedAt: 16 }, at: 17 },
      ],
    },
  ],
  ['I8', 'a receipt that nobody gave', { consumerRuns: without(clean.consumerRuns, 0) }],
  ['I8', 'a required consumer without a delivery', { deliveries: without(clean.deliveries, 0) }],
  [
    'I8',
    'a settlement before the receipt',
    { lifecycleMessages: replaced(clean.lifecycleMessages, 0, { settledAt: 15 }) },
  ],
  [
    'I9',
    'a workspace that joined after the capture',
    { migrations: replaced(clean.migrations, 0, { captured: ['acme'] }) },
  ],
  [
    'I9',
    'a workspace that vanished',
    { migrations: replaced(clean.migrations, 0, { captured: ['acme', 'globex', 'hooli'] }) },
  ],
  [
    'I9',
    'a workspace listed twice',
    {
      migrations: replaced(clean.migrations, 0, {
        items: [...clean.migrations[0]!.items, clean.migrations[0]!.items[1]!],
      }),
    },
  ],
  ['I9', 'an effect outside the list', { ledger: [...clean.ledger, effect('move', 'hooli', '/price', 51)] }],
  [
    'I9',
    'an item without an end',
    {
      migrations: replaced(clean.migrations, 0, {
        items: replaced(clean.migrations[0]!.items, 1, { status: 'running' }),
      }),
    },
  ],
  [
    'I9',
    'a completion over an item that needs reconciliation',
    {
      migrations: replaced(clean.migrations, 0, {
        items: replaced(clean.migrations[0]!.items, 1, { status: 'reconciliation_required' }),
      }),
    },
  ],
  ['I10', 'an event handled twice', { webhooks: replaced(clean.webhooks, 0, { handlerRuns: 2 }) }],
  [
    'I10',
    'an unresolved event that answers 200',
    { webhooks: replaced(clean.webhooks, 0, { answers: [{ status: 200, resultThen: 'reconciliation_required' }] }) },
  ],
  ['I11', 'a reservation that vanished', { reservations: { ...clean.reservations, released: [] } }],
  [
    'I11',
    'a release without a cancellation',
    { creations: replaced(clean.creations, 1, { status: 'awaiting_payment' }) },
  ],
  ['I12', 'a creation announced before its commit', { creations: replaced(clean.creations, 0, { committedAt: 62 }) }],
  [
    'I12',
    'a creation announced and never committed',
    { creations: replaced(clean.creations, 0, { status: 'preparing' }) },
  ],
  ['I12', 'a second charge', { creations: replaced(clean.creations, 0, { charges: 2 }) }],
  ['I13', 'other values answered as success', { answers: replaced(clean.answers, 2, { status: 200 }) }],
  ['I13', 'an effect with another amount', { ledger: replaced(clean.ledger, 0, { amount: -900 }) }],
  [
    'I14',
    'an acknowledged operation that is gone',
    { answers: [...clean.answers, { operationId: 'gone', fingerprint: 'f', status: 202, at: 70 }] },
  ],
  [
    'I14',
    'a success that is not in the record',
    { answers: [...clean.answers, { operationId: 'lost', fingerprint: 'f-lost', status: 200, at: 70 }] },
  ],
  [
    'I14',
    'an unknown that the record does not hold',
    {
      answers: [
        ...clean.answers,
        { operationId: 'credit', fingerprint: 'f-credit', status: 502, code: 'outcome_unknown', at: 70 },
      ],
    },
  ],
];

describe('the history checker', () => {
  it('finds nothing in a clean history', () => {
    expect(checkHistory(clean)).toEqual([]);
    expect(checkHistory(emptyEvidence)).toEqual([]);
  });

  it('knows fourteen invariants, each with a history that violates it', () => {
    expect(invariants.map(({ id }) => id)).toEqual(Array.from({ length: 14 }, (_, index) => `I${index + 1}`));
    expect(new Set(broken.map(([id]) => id)).size).toBe(14);
  });

  it.each(broken)('%s shows %s', (id, _what, change) => {
    const violations = checkHistory({ ...clean, ...change });
    expect(violations.map((violation) => violation.invariant)).toContain(id);
  });

  it('reports an invariant only as checked when its evidence is given', () => {
    expect(checkableInvariants(clean)).toHaveLength(14);
    expect(checkableInvariants(emptyEvidence)).toEqual(['I1', 'I2', 'I3', 'I4', 'I5', 'I8', 'I13', 'I14']);
  });

  it('lets a recorded resolution end what had stopped', () => {
    expect(
      checkHistory({
        ...clean,
        operations: replaced(clean.operations, 3, { status: 'succeeded', resolution: { outcome: 'applied' } }),
      }),
    ).toEqual([]);
  });

  it('says in one line what is broken and where', () => {
    expect(formatViolations(checkHistory({ ...clean, alerts: [] }))).toEqual([
      'I3 lost: it stopped, and nobody was alerted',
    ]);
  });
});
