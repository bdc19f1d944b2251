/**
 * Observations become evidence: instants of commits, requests in their order, and no statement of a record about
 * itself.
 */
import { checkHistory, formatViolations, type Evidence } from '@platform/testing';
import type { StoredChange } from './change-tail';
import type { Exchange } from './recording-proxy';
import { outsideEvidence, type Observed } from './outside-evidence';
import type { LedgerRow, RequestRow } from './seen';

let place = 0;
beforeEach(() => (place = 0));

function stored(
  where: string,
  at: number,
  record: Readonly<Record<string, unknown>> & { readonly _id: string },
  asked?: Readonly<Record<string, unknown>>,
): StoredChange {
  const [database = '', collection = ''] = where.split('/');
  place += 1;
  const kind = asked ? 'replaced' : 'inserted';
  return { place, database, collection, kind, id: record._id, at, record: record as never, ...(asked && { asked }) };
}

const exchange = (path: string, at: number, body: string, answer: Exchange['answer'], key?: string): Exchange => ({
  ...{ method: 'POST', path, at, body, answer },
  headers: key === undefined ? {} : { 'idempotency-key': key },
});

function evidenceOf(seen: Partial<Observed>): Evidence {
  const nothing = { changes: [], gateway: [], provider: [], receiver: [], alerts: [], messages: [], ledger: [] };
  return outsideEvidence({
    ...nothing,
    requests: [],
    consumerRuns: [],
    atRest: true,
    platformTime: (at) => at,
    ...seen,
  });
}
const judge = (seen: Partial<Observed>): string[] => formatViolations(checkHistory(evidenceOf(seen)));

const key = 'chaos-1:balance_credit';
const path = '/v1/customers/cus_acme/balance_transactions';
const values = { amountCents: 100, reason: 'chaos' };
const call = { step: 'balance_credit', idempotencyKey: key, path };
const operation = (revision: string, status: string, providerCalls: readonly object[]) => ({
  ...{ _id: 'chaos-1', revision, tenantId: 'acme', action: 'credit_customer', status, values, fingerprint: 'theirs' },
  attempts: [{ number: 1, providerCalls }],
});
const changes = (intentAt: number): StoredChange[] => [
  stored('operator/operations', 1, operation('r1', 'pending', [])),
  stored('operator/operations', intentAt, operation('r2', 'running', [call]), { _id: 'chaos-1', revision: 'r1' }),
  stored(
    'operator/operations',
    20,
    operation('r3', 'succeeded', [{ ...call, sentAt: new Date(0), outcome: 'succeeded' }]),
    { _id: 'chaos-1', revision: 'r2' },
  ),
];
const sent = exchange(path, 10, 'amount=-100', { status: 200, body: '{}', at: 12 }, key);
const request: RequestRow = { id: 'req_1', method: 'POST', path, idempotencyKey: key };
const effect: LedgerRow = {
  ...{ requestId: 'req_1', status: 200, method: 'POST', path, idempotencyKey: key, amount: -100, objectId: 'cbtxn_1' },
  metadata: { operationId: 'chaos-1' },
};
const asked = (body: object, status: number): Exchange =>
  exchange('/api/saas/workspaces/acme/balance-credit', 5, JSON.stringify(body), { status, body: '{}', at: 25 });

describe('the evidence of observers', () => {
  const whole = { provider: [sent], requests: [request], ledger: [effect] };

  it('finds nothing in an operation that was written down, sent, answered and journalled', () => {
    const gateway = [asked({ operationId: 'chaos-1', ...values }, 200)];
    expect(judge({ ...whole, changes: changes(5), gateway })).toEqual([]);
  });

  it('counts a call as written down when it was committed, whatever time the record names', () => {
    expect(judge({ ...whole, changes: changes(15) })).toEqual([
      `I1 ${key}: ${path} took effect before the intent that names it was written`,
    ]);
  });

  it('knows other values by what was asked, not by the fingerprint of the product', () => {
    const gateway = [asked({ operationId: 'chaos-1', ...values, amountCents: 101 }, 200)];
    expect(judge({ ...whole, changes: changes(5), gateway })).toEqual([
      'I13 chaos-1: a request with other values was answered 200',
    ]);
  });

  it('counts the requests that left, also those of an executor that recorded nothing', () => {
    const again = { ...sent, at: 11 };
    expect(judge({ ...whole, provider: [sent, again], changes: changes(5) })).toEqual([
      `I1 ${key}: 2 requests were sent, and 1 calls are recorded`,
    ]);
  });

  it('sees a write that names no revision, or one that is no longer there', () => {
    const [first, second, third] = changes(5);
    for (const filter of [{ _id: 'chaos-1' }, { _id: 'chaos-1', revision: 'r1' }])
      expect(judge({ ...whole, changes: [first!, second!, { ...third!, asked: filter }] })).toEqual([
        expect.stringMatching(/^I7 operator\/operations\/chaos-1/),
      ]);
  });
});

describe('access, messages and deliveries as they were committed', () => {
  const subscription = (revision: string, state: string, transition?: object) => ({
    ...{ _id: 'acme', revision, access: { state, operationId: 'op' } },
    ...(transition && { transition }),
  });
  const suspension = (revision: string, status: string) => ({
    ...{ _id: 'op', revision, tenantId: 'acme', action: 'suspend', status, values: {}, attempts: [] },
    outbox: [
      {
        subject: 'lifecycle.message.suspended',
        body: { operationId: 'op', tenantId: 'acme', transition: 'suspended' },
      },
    ],
  });
  const fence = (id: string, revision: string) => ({ _id: id, revision });
  const delivery = (consumer: string, more: object) => ({
    ...{ _id: `op/${consumer}`, revision: `d-${consumer}`, operationId: 'op', consumer, ...more },
  });
  const receipted = ['search-index', 'storage'].map((consumer) =>
    stored(
      'lifecycle_delivery/lifecycle_deliveries',
      6,
      delivery(consumer, { status: 'succeeded', receipt: { receiptId: 'r', acceptedAt: new Date(0) } }),
    ),
  );
  const consumerRuns = ['search-index', 'storage'].map((consumer) => ({
    operationId: 'op',
    consumer,
    outcome: 'receipt' as const,
  }));

  it('shows a message whose intent was committed while access was open', () => {
    const seen = (closedAt: number): StoredChange[] => [
      stored('operator/subscriptions', 1, subscription('s1', 'open')),
      stored('operator/operations', 4, suspension('o1', 'awaiting_receipts')),
      stored('operator/subscriptions', closedAt, subscription('s2', 'closed'), fence('acme', 's1')),
      ...receipted,
    ];
    expect(judge({ changes: seen(3), consumerRuns })).toEqual([]);
    expect(judge({ changes: seen(5), consumerRuns })).toEqual([
      'I5 op: suspended was announced while access of acme was open',
    ]);
  });

  it('asks for every consumer that is registered, whomever the record names', () => {
    const [first] = receipted;
    const base = [
      stored('operator/subscriptions', 1, subscription('s1', 'closed')),
      stored('operator/operations', 4, suspension('o1', 'awaiting_receipts')),
    ];
    expect(judge({ changes: [...base, first!], consumerRuns })).toEqual([
      'I8 op/storage: 0 deliveries for a required consumer',
    ]);
    expect(judge({ changes: [...base, ...receipted], consumerRuns: [] })).toEqual([
      'I8 op/search-index: it holds a receipt, and its consumer never ran to the end',
      'I8 op/storage: it holds a receipt, and its consumer never ran to the end',
    ]);
  });

  it('shows a transition that was cleared before its outcome was committed', () => {
    const held = { operationId: 'op' };
    const history = (endedAt: number): StoredChange[] => [
      stored('operator/operations', 1, suspension('o1', 'running')),
      stored('operator/subscriptions', 2, subscription('s1', 'closed', held)),
      stored('operator/subscriptions', 8, subscription('s2', 'closed'), fence('acme', 's1')),
      stored('operator/operations', endedAt, suspension('o2', 'succeeded'), fence('op', 'o1')),
      ...receipted,
    ];
    expect(judge({ changes: history(7), consumerRuns })).toEqual([]);
    expect(judge({ changes: history(9), consumerRuns })).toEqual([expect.stringMatching(/^I6 op/)]);
  });
});

describe('provider events as the receiver answered them', () => {
  const event = (revision: string, result: string) => ({ _id: 'evt_1', revision, result });
  const where = 'billing_webhook/payment_provider_webhook_events';
  const history = (): StoredChange[] => [
    stored(where, 1, event('e1', 'pending')),
    stored(where, 9, event('e2', 'success'), { _id: 'evt_1', revision: 'e1' }),
  ];
  const delivered = (answeredAt: number): Exchange =>
    exchange('/api/saas/webhooks/payment-provider', 2, '{"id":"evt_1"}', { status: 200, body: '', at: answeredAt });

  it('may be accepted once they have their outcome, and not before', () => {
    expect(judge({ changes: history(), receiver: [delivered(10)] })).toEqual([]);
    expect(judge({ changes: history(), receiver: [delivered(5)] })).toEqual([
      'I10 evt_1: answered 200 while it was pending',
    ]);
  });

  it('are handled by one owner, once', () => {
    const admitted = ['operator', 'provisioning'].map((owner) =>
      stored(`${owner}/provider_event_admissions`, 3, { _id: 'evt_1', revision: `a-${owner}` }),
    );
    expect(judge({ changes: [...history(), ...admitted] })).toEqual(['I10 evt_1: handled 2 times']);
    expect(judge({ changes: [...history(), admitted[0]!], handlerRuns: new Map([['evt_1', 2]]) })).toEqual([
      'I10 evt_1: handled 2 times',
    ]);
  });

  it('are on record when they were accepted, however early their sender then forgets them', () => {
    const refused = { ...delivered(5), answer: { status: 503, body: '', at: 5 } };
    expect(judge({ changes: [], receiver: [delivered(5)] })).toEqual(['I10 evt_1: answered 200 while it was absent']);
    expect(judge({ changes: [], receiver: [refused] })).toEqual([]);
  });

  it('may not be left pending', () => {
    expect(judge({ changes: history().slice(0, 1) })).toEqual(['I18 evt_1: the event is left pending']);
  });
});
