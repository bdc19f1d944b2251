/** Which questions reach the owner of an event. */
import type { Messaging } from '@platform/messaging';
import type { WebhookEvent } from '../domain/webhook-event';
import { askOwnerOver } from './ask-owner';

const event = (eventId: string): WebhookEvent => ({ _id: eventId, owner: 'operator' }) as unknown as WebhookEvent;

function open() {
  const asked: string[] = [];
  const answers: ((value: unknown) => void)[] = [];
  const request: Messaging['request'] = (_subject, body) => {
    asked.push(String(body['eventId']));
    return new Promise((resolve) => answers.push((value) => resolve({ ok: true, value } as never)));
  };
  return { asked, answer: (value: unknown) => answers.shift()!(value), ask: askOwnerOver({ request }) };
}

describe('the owner of an event', () => {
  it('is asked once by deliveries that come together, and again by a later one', async () => {
    const { asked, answer, ask } = open();
    const storm = [ask(event('evt_1')), ask(event('evt_1')), ask(event('evt_2'))];
    expect(asked).toEqual(['evt_1', 'evt_2']);
    answer({ status: 'pending' });
    answer({ status: 'success' });
    expect(await Promise.all(storm)).toEqual([{ status: 'pending' }, { status: 'pending' }, { status: 'success' }]);
    const later = ask(event('evt_1'));
    answer({ status: 'success' });
    expect(await later).toEqual({ status: 'success' });
    expect(asked).toEqual(['evt_1', 'evt_2', 'evt_1']);
  });

  it('is asked again after a question that failed', async () => {
    let times = 0;
    const request: Messaging['request'] = () => {
      times += 1;
      return Promise.reject(new Error('closed'));
    };
    const ask = askOwnerOver({ request });
    await expect(Promise.all([ask(event('evt_1')), ask(event('evt_1'))])).rejects.toThrow('closed');
    await expect(ask(event('evt_1'))).rejects.toThrow('closed');
    expect(times).toBe(2);
  });

  it('does not exist for an event of no service, and an answer in another form is none', async () => {
    const { asked, answer, ask } = open();
    expect(await ask({ ...event('evt_1'), owner: null })).toBe('unavailable');
    expect(asked).toEqual([]);
    const wrong = ask(event('evt_1'));
    answer({ status: 'perhaps' });
    expect(await wrong).toBe('unavailable');
  });
});
