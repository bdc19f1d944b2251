/** What the broker learns about the message of an event. */
import type { InboundMessage } from '@platform/messaging';
import { providerEvent } from '../testing/event-world';
import type { EventHandling } from '../workflows/handle-provider-event';
import { onProviderEvent } from './on-provider-event';

const event = providerEvent('evt_1', 'invoice.paid', { id: 'in_1' });
const message = (body: object): InboundMessage => ({
  subject: 'provider.event.operator.invoice.paid',
  stream: 'PROVIDER_EVENTS',
  sequence: 1,
  id: 'provider-event:evt_1',
  type: 'provider.event.v1',
  body,
  headers: {},
  deliveryCount: 1,
  publishedAt: new Date(0),
});

const given = async (body: object, handling: EventHandling = 'done') => {
  const events: unknown[] = [];
  const disposition = await onProviderEvent(async (each) => {
    events.push(each);
    return handling;
  })(message(body));
  return { events, disposition };
};

describe('the message of a provider event', () => {
  it('is acknowledged when its event has been handled or is left to its executor', async () => {
    expect(await given(event)).toEqual({ events: [event], disposition: { kind: 'ack' } });
  });

  it('comes again when the handling could not begin, or its outcome not be published', async () => {
    expect((await given(event, 'again')).disposition).toEqual({
      kind: 'nak',
      reason: expect.stringContaining('could not be admitted') as string,
    });
  });

  it('is set aside with the place of its fault when it is no event', async () => {
    expect(await given({ ...event, object: { id: '' } })).toEqual({
      events: [],
      disposition: { kind: 'dead_letter', reason: expect.stringContaining('object.id') as string },
    });
  });

  it('comes again when the store is unreachable', async () => {
    const away = onProviderEvent(() => Promise.reject(new Error('the store is unreachable')));
    await expect(away(message(event))).rejects.toThrow('the store is unreachable');
  });
});
