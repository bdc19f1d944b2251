/** Messages that cause a read: what is read, when it is read again, and when reading stops. */
import type { WorkKind } from '@platform/contracts-operator';
import type { InboundMessage } from '@platform/messaging';
import type { Refreshed } from '../workflows/refresh-item';
import { onEndedCreation, onSettledWork } from './on-settled-work';
import { onAlert, onProviderOutcome } from './on-unresolved-work';
import { onWorkChanged } from './on-work-changed';

function message(body: unknown, deliveryCount = 1): InboundMessage {
  return {
    subject: 's',
    stream: 'S',
    sequence: 1,
    id: 'm',
    type: 't.v1',
    body,
    headers: {},
    deliveryCount,
    publishedAt: new Date(0),
  };
}

function looking(answer: Refreshed) {
  const looked: string[] = [];
  return { looked, refresh: async (kind: WorkKind, itemId: string) => (looked.push(`${kind} ${itemId}`), answer) };
}

const alert = {
  service: 'operator',
  kind: 'operation',
  id: 'op-1',
  tenantId: 'acme',
  reason: 'lost',
  at: '2026-03-01T00:00:00.000Z',
};
const outcome = { eventId: 'evt_1', admittedRevision: 'r', outcome: 'success' };

describe('an alert', () => {
  it.each<[Refreshed, number, string]>([
    ['changed', 1, 'ack'],
    ['removed', 1, 'ack'],
    ['unchanged', 1, 'nak'],
    [{ unavailable: 'away' }, 2, 'nak'],
    ['unchanged', 3, 'ack'],
  ])('whose record is %j at look %i ends as %s', async (refreshed, look, kind) => {
    const { looked, refresh } = looking(refreshed);
    expect(await onAlert(refresh)(message(alert, look))).toMatchObject({ kind });
    expect(looked).toEqual(['operation op-1']);
  });

  it.each([
    ['operations/op-1', ['operation op-1']],
    ['plan_migration_items/mig-1:acme', ['migration_item mig-1:acme']],
    ['subscriptions/acme', []],
  ])('of the row %s that was set aside is a look at the work that it is', async (id, looks) => {
    const { looked, refresh } = looking('changed');
    expect(await onAlert(refresh)(message({ ...alert, kind: 'quarantined_record', id }))).toEqual({ kind: 'ack' });
    expect(looked).toEqual(looks);
  });

  it('of a kind that this build does not know is passed over, and one that is none is put aside', async () => {
    const { looked, refresh } = looking('changed');
    expect(await onAlert(refresh)(message({ ...alert, kind: 'comet' }))).toEqual({ kind: 'ack' });
    expect(await onAlert(refresh)(message({}))).toMatchObject({ kind: 'dead_letter' });
    expect(looked).toEqual([]);
  });
});

describe('an outcome of a provider event', () => {
  it('is looked at until the event is gone from the queue; a stop comes as an alert', async () => {
    const pending = looking('changed');
    expect(await onProviderOutcome(pending.refresh)(message(outcome))).toMatchObject({ kind: 'nak' });
    expect(await onProviderOutcome(looking('absent').refresh)(message(outcome))).toEqual({ kind: 'ack' });
    const stopped = looking('changed');
    expect(await onProviderOutcome(stopped.refresh)(message({ ...outcome, outcome: 'unknown' }))).toEqual({
      kind: 'ack',
    });
    expect([pending.looked, stopped.looked]).toEqual([['webhook_event evt_1'], []]);
  });
});

describe('a settlement', () => {
  it('is a look at its operation and at every delivery; a creation has no operation here', async () => {
    const settled = {
      tenantId: 'acme',
      operationId: 'op-1',
      transition: 'suspended',
      receipts: [{ consumer: 'storage', receiptId: 'r', effectiveAt: '2026-03-01T00:00:00.000Z' }],
      settledAt: '2026-03-01T00:00:00.000Z',
    };
    const { looked, refresh } = looking('removed');
    expect(await onSettledWork(refresh)(message(settled))).toEqual({ kind: 'ack' });
    expect(
      await onSettledWork(refresh)(
        message({ ...settled, transition: 'created', operationId: 'workspace-created:acme' }),
      ),
    ).toEqual({ kind: 'ack' });
    expect(looked).toEqual(['delivery op-1/storage', 'operation op-1', 'delivery workspace-created:acme/storage']);
    expect(
      await onEndedCreation(looking('unchanged').refresh)(
        message({ tenantId: 'acme', code: 'card_declined', cancelledAt: '2026-03-01T00:00:00.000Z' }),
      ),
    ).toMatchObject({ kind: 'nak' });
  });
});

describe('a change told by a replica', () => {
  it('is passed on; what cannot be read means: read again', async () => {
    const notified: unknown[] = [];
    const handleChange = onWorkChanged({ notify: (notice) => void notified.push(notice) });
    const change = { kind: 'operation', id: 'op-1', tenantId: 'acme', state: null, at: '2026-03-01T00:00:00.000Z' };
    await handleChange(message(change));
    await handleChange(message({}));
    expect(notified).toEqual([change, null]);
  });
});
