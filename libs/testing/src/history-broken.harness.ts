/** One history for each way in which an invariant can be broken: the clean one with a change. */
import type { Evidence, InvariantId } from './history/evidence';
import { brokenDeletions } from './history/deletion-invariants.harness';
import { call, clean, credit, effect, lost, received, send, write } from './history.harness';
import { brokenByResolutions } from './history/resolution-histories';

export const without = <T>(items: readonly T[], index: number): T[] =>
  items.filter((_, position) => position !== index);
export const replaced = <T>(items: readonly T[], index: number, change: Partial<T>): T[] =>
  items.map((item, position) => (position === index ? { ...item, ...change } : item));

export const broken: readonly (readonly [InvariantId, string, Partial<Evidence>])[] = [
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
  ['I3', 'a stop without an alert', { alerts: [] }],
  [
    'I3',
    'an attempt after an unknown',
    { operations: replaced(clean.operations, 3, { attempts: [...lost.attempts, { number: 2, providerCalls: [] }] }) },
  ],
  [
    'I1',
    'a request that no call is recorded for',
    { sends: [...clean.sends, send('suspend', 'pause', 'succeeded', 14)] },
  ],
  [
    'I2',
    'a request under a key that the provider has forgotten',
    { sends: [...without(clean.sends, 1), send('credit', 'balance', 'succeeded', 3 + 24 * 3_600_000)] },
  ],
  [
    'I3',
    'an attempt that follows one without an end',
    {
      operations: replaced(clean.operations, 1, {
        attempts: [
          { number: 1, providerCalls: [call('suspend:pause', 12, undefined, '/pause')] },
          { number: 2, providerCalls: [] },
        ],
      }),
    },
  ],
  [
    'I13',
    'two payloads under one key',
    {
      sends: [
        { ...send('credit', 'balance', 'failed', 3), payloadDigest: 'a' },
        { ...send('credit', 'balance', 'succeeded', 5), payloadDigest: 'b' },
      ],
    },
  ],
  [
    'I18',
    'an ended operation whose transition remains',
    { subscriptions: [{ _id: 'acme', access: { state: 'open' }, transition: { operationId: 'suspend' } }] },
  ],
  [
    'I18',
    'an operation that is left running in silence',
    { operations: replaced(clean.operations, 0, { status: 'running' }) },
  ],
  [
    'I18',
    'an event that is left pending',
    { webhooks: replaced(clean.webhooks, 0, { result: 'pending', answers: [] }) },
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
    'a provider event that stops without an alert',
    { webhooks: replaced(clean.webhooks, 0, { result: 'reconciliation_required' }) },
  ],
  [
    'I3',
    'a creation that stops without an alert',
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
  ['I7', 'a write over what was decided', { overwrites: [{ collection: 'operations', id: 'lost', at: 70 }] }],
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
  ['I8', 'a receipt that no consumer gave', { consumerRuns: without(clean.consumerRuns, 0) }],
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
  ...brokenByResolutions,
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
  ['I15', 'a read of a closed workspace', { guardedReads: replaced(clean.guardedReads, 0, { at: 18 }) }],
  ['I15', 'an older copy over a newer one', { accessCopies: replaced(clean.accessCopies, 1, { revision: 0 }) }],
  ...brokenDeletions,
];
