import { createManualClock, createSequentialIds } from '@platform/kernel';
import { keepTrail, verifyTrail } from '@platform/durable/trail';
import { createFakeStore, type FakeCollection } from '@platform/mongo/testing';
import { admission, stopped, type PendingEvent, type WebhookEvent } from '../domain/webhook-event';
import { auditBlocksCollection, eventTrail } from '../store/audit-blocks';
import { webhookDigestsCollection } from '../store/webhook-digests';
import { webhookEventsCollection } from '../store/webhook-events';
import { received } from '../testing/webhook-world';
import type { AskOwner } from './ask-owner';
import { eventInvestigation } from './resolve-event';

const executor = { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: 'one' };
const minute = 60_000;

async function trailOf(...eventIds: string[]) {
  const clock = createManualClock(new Date('2026-01-01T00:00:00Z'));
  const store = createFakeStore({ clock, ids: createSequentialIds(7) });
  const events: FakeCollection<WebhookEvent> = store.collection(webhookEventsCollection);
  const trail = eventTrail(store);
  const keep = () => keepTrail(trail, clock, () => false);
  async function resolve(eventId: string): Promise<void> {
    const inserted = await events.insert(
      admission(received({ eventId, created: clock.now() }), 'operator', executor, `rev-${eventId}`, clock.now()),
    );
    if (inserted.outcome !== 'applied') throw new Error('not inserted');
    await events.mutate(inserted.record, stopped(inserted.record as PendingEvent, 'owner', 'it broke', clock.now()));
    const planned = await eventInvestigation.plan(
      { events, clock, askOwner },
      {
        id: eventId,
        outcome: 'applied',
        executorStopped: 'the pod is gone, its disk was read',
        by: 'eve@platform.example',
      },
    );
    if (!planned.ok) throw new Error(planned.error);
    clock.advance(10 * minute);
    expect(await eventInvestigation.record({ events, clock, askOwner }, planned.value)).toMatchObject({ ok: true });
  }
  for (const each of eventIds) await resolve(each);
  clock.advance(2 * minute);
  await keep();
  return { clock, store, events, trail, keep, resolve, blocks: store.collection(auditBlocksCollection) };
}

/** The owner recorded no outcome, and no process of the owner answers. */
const askOwner: AskOwner = async () => ({ status: 'pending' });

describe('the audit chain of events', () => {
  it('says who resolved what, goes on where it ended, and is whole', async () => {
    const { trail, blocks, keep, resolve, clock } = await trailOf('evt_1', 'evt_2');
    expect(blocks.all()).toMatchObject([
      {
        _id: '000000000001',
        rows: [{ recordId: 'evt_1', outcome: 'applied', by: 'eve@platform.example' }, { recordId: 'evt_2' }],
      },
    ]);
    expect(await keep()).toBe(0);
    await resolve('evt_3');
    expect(await keep()).toBe(0);
    clock.advance(2 * minute);
    expect(await keep()).toBe(1);
    expect(await verifyTrail(trail)).toMatchObject({ blocks: 2, rows: 3, faults: [] });
  });

  it('takes in a resolution that waited long for its confirmation while another was recorded', async () => {
    const { events, clock, trail, keep, resolve } = await trailOf();
    const inserted = await events.insert(
      admission(received({ eventId: 'evt_slow', created: clock.now() }), 'operator', executor, 'rev', clock.now()),
    );
    if (inserted.outcome !== 'applied') throw new Error('not inserted');
    const planned = await eventInvestigation.plan(
      { events, clock, askOwner },
      {
        id: 'evt_slow',
        outcome: 'not_applied',
        executorStopped: 'the pod is gone, its disk was read',
        by: 'eve@platform.example',
      },
    );
    await resolve('evt_quick');
    clock.advance(2 * minute);
    await keep();
    if (!planned.ok) throw new Error(planned.error);
    await eventInvestigation.record({ events, clock, askOwner }, planned.value);
    clock.advance(2 * minute);
    expect(await keep()).toBe(1);
    expect((await verifyTrail(trail)).faults).toEqual([]);
  });

  it.each<[string, (record: WebhookEvent) => WebhookEvent]>([
    [
      'another name',
      (record) => ({ ...record, resolution: { ...record.resolution!, by: 'mallory@platform.example' } }),
    ],
    [
      'other words',
      (record) => ({ ...record, resolution: { ...record.resolution!, executorStopped: 'not looked at' } }),
    ],
    ['another result', (record) => ({ ...record, result: 'skipped' }) as WebhookEvent],
    ['no resolution', ({ resolution: _gone, ...record }) => record as WebhookEvent],
  ])('shows a record that was tampered with: %s', async (_name, change) => {
    const { trail, events } = await trailOf('evt_1', 'evt_2');
    events.put({ ...change(events.all()[0]!) });
    expect((await verifyTrail(trail)).faults).toEqual([
      'evt_1: what was resolved by eve@platform.example is not what the record says now',
    ]);
  });

  it('shows a tampered row, a resolution that was slipped in, and a chain that was cut short', async () => {
    const { trail, blocks, events } = await trailOf('evt_1', 'evt_2');
    const { head } = await verifyTrail(trail, undefined);
    const block = blocks.all()[0]!;
    blocks.put({ ...block, rows: block.rows.map((row) => ({ ...row, by: 'mallory' })) });
    expect((await verifyTrail(trail)).faults).toContain('block 000000000001: its content is not what was written');
    blocks.put({ ...block });
    events.put({ ...events.all()[0]!, _id: 'evt_0' });
    expect((await verifyTrail(trail)).faults).toEqual(['evt_0: its resolution is not in the chain']);
    expect(
      (await verifyTrail({ ...trail, blocks: { ...trail.blocks, find: async () => [] } }, head ?? '')).faults,
    ).toEqual([expect.stringMatching(/cut short/)]);
  });

  it('knows an event that its retention removed from one that a person removed', async () => {
    const { trail, store, clock } = await trailOf('evt_1');
    const without = { ...trail, records: { ...trail.records, find: async () => [], findById: async () => null } };
    expect((await verifyTrail(without)).faults).toEqual([
      expect.stringMatching(/evt_1: resolved by eve.* there is no such record any more/),
    ]);
    await store.collection(webhookDigestsCollection).insert({
      _id: 'evt_1',
      result: 'success',
      type: 'invoice.paid',
      receivedAt: clock.now(),
      removedAt: clock.now(),
    } as never);
    expect((await verifyTrail(without)).faults).toEqual([]);
  });
});
