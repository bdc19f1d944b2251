/** What a service tells of its outboxes, and what is known of those of a service that does not answer. */
import { createManualClock } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import type { Endpoint } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { askBacklogs, backlogEndpoint, type Outboxes } from './backlogs';

const oldest = new Date('2026-01-01T10:00:00.000Z');
const outboxes: Outboxes = new Map([
  ['operations', { backlog: async () => ({ count: 3, oldest }) }],
  ['notices', { backlog: async () => ({ count: 0, oldest: null }) }],
]);
const unreachable: Outboxes = new Map([
  ['operations', { backlog: () => Promise.reject(new StoreUnavailableError('operations: the store did not answer')) }],
]);

async function askedOf(...endpoints: Endpoint[]) {
  const broker = createFakeBroker({ clock: createManualClock() });
  await broker.connect('operator').serve({ name: 'operator', version: '1', description: 'outboxes' }, endpoints);
  return askBacklogs(broker.connect('gateway'), 'operator');
}

describe('the outboxes of a service', () => {
  it('are reported each with the rows that wait, and since when', async () => {
    expect(await askedOf(backlogEndpoint('operator', outboxes))).toEqual({
      ok: true,
      value: [
        { collection: 'operations', waiting: 3, oldestAt: oldest.toISOString() },
        { collection: 'notices', waiting: 0 },
      ],
    });
  });

  it('are served at an address that is named for the tools of the broker', () => {
    expect(backlogEndpoint('operator', outboxes)).toEqual({
      name: 'outboxes',
      subject: 'outbox.backlog.operator',
      answer: expect.any(Function),
    });
  });

  it('are not known, with the reason, of a service that does not answer or cannot', async () => {
    expect(await askedOf()).toEqual({ ok: false, error: 'no_responders' });
    expect(await askedOf(backlogEndpoint('operator', unreachable))).toEqual({ ok: false, error: 'internal_error' });
  });

  it.each([[{}], [{ outboxes: [{}] }], [{ outboxes: [{ collection: 'operations', waiting: 'many' }] }]])(
    'are not read from %j',
    async (value) => {
      const other = { ...backlogEndpoint('operator', outboxes), answer: async () => ({ ok: true as const, value }) };
      expect(await askedOf(other)).toEqual({ ok: false, error: expect.stringContaining('not readable') });
    },
  );
});
