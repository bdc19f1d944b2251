/** A clean history that contains everything that the checker reads, and changes that break it. */
import type { Evidence, OperationEvidence } from './history/evidence';

export const call = (
  key: string,
  sentAt: number,
  outcome: 'succeeded' | 'failed' | 'unknown' | undefined,
  path: string,
) => ({
  step: key.split(':')[1]!,
  idempotencyKey: key,
  path,
  sentAt,
  outcome,
});

export const credit: OperationEvidence = {
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
export const lost: OperationEvidence = {
  _id: 'lost',
  tenantId: 'globex',
  action: 'credit_customer',
  status: 'reconciliation_required',
  fingerprint: 'f-lost',
  values: { amountCents: 700 },
  createdAt: 40,
  attempts: [{ number: 1, providerCalls: [call('lost:balance', 41, 'unknown', '/credit')] }],
};

export const effect = (operationId: string, step: string, path: string, at: number, amount?: number) => ({
  operationId,
  step,
  idempotencyKey: `${operationId}:${step}`,
  path,
  objectId: `obj_${operationId}`,
  at,
  ...(amount !== undefined && { amount }),
});
export const send = (operationId: string, step: string, outcome: 'succeeded' | 'failed' | 'unknown', at: number) => ({
  operationId,
  step,
  idempotencyKey: `${operationId}:${step}`,
  outcome,
  at,
});
export const received = (operationId: string, acceptedAt: number) => ({
  operationId,
  consumer: 'storage',
  status: 'succeeded',
  receipt: { receiptId: `r-${operationId}`, acceptedAt },
});
const due = (operationId: string) => ({
  operationId,
  consumer: 'storage',
  status: 'pending',
  nextAttemptAt: 99,
});
export const write = (
  revision: string,
  expectedRevision: string | null,
  outcome: 'applied' | 'not_applied',
  at: number,
) => ({
  collection: 'operations',
  id: 'credit',
  revision,
  expectedRevision,
  outcome,
  at,
});

export const clean: Required<Evidence> = {
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
  overwrites: [],
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
  deletionLog: [],
  deletions: [],
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
  atRest: true,
  unpaused: true,
  guardedReads: [{ tenantId: 'acme', guard: 'storage-1', at: 12, boundMs: 5 }],
  accessCopies: [
    { tenantId: 'acme', bucket: 'a', revision: 1 },
    { tenantId: 'acme', bucket: 'a', revision: 2 },
    { tenantId: 'acme', bucket: 'b', revision: 1 },
  ],
};
