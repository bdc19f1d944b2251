import { keptEvents, recordEvent } from './events';
import { newEndpoint } from './resources/webhook-endpoints';
import { createState, type State } from './state';
import { createTwin } from './twin';

const endpoint = { url: 'http://receiver.example', secret: 'whsec_events', enabledEvents: ['*'], metadata: {} };

function record(state: State, from: number, to: number): void {
  const cause = { requestId: null, idempotencyKey: null };
  state.transact(() => {
    for (let at = from; at < to; at += 1)
      recordEvent(state, { id: `evt_${at}`, at: 0, type: 'customer.created', object: { id: `cus_${at}` }, cause });
  });
}

const ids = (state: State): string[] => [...state.rows('event')].map(({ id }) => id);

describe('the events that a twin keeps', () => {
  it('are the newest, when their number has reached its bound', () => {
    const state = createState();
    record(state, 0, keptEvents);
    record(state, keptEvents, keptEvents + 3);
    expect(state.count('event')).toBe(keptEvents);
    expect(ids(state)[0]).toBe('evt_3');
    expect(ids(state).at(-1)).toBe(`evt_${keptEvents + 2}`);
  });

  it('are more than that while the oldest is owed to a receiver', () => {
    const state = createState();
    const twin = createTwin(state);
    twin.transact({ requestId: null, idempotencyKey: null }, () => newEndpoint(twin, endpoint));
    record(state, 0, 1);
    twin.transact({ requestId: null, idempotencyKey: null }, () => {
      for (const { id } of [...state.rows('webhook_endpoint')]) state.remove('webhook_endpoint', id);
    });
    record(state, 1, keptEvents + 3);
    expect([ids(state)[0], state.count('event')]).toEqual(['evt_0', keptEvents + 3]);
    const [delivery] = state.where('delivery', 'event', 'evt_0');
    state.transact(() => void (state.edit('delivery', String(delivery?.id)).status = 'delivered'));
    record(state, keptEvents + 3, keptEvents + 4);
    expect(ids(state)[0]).toBe('evt_1');
  });
});
