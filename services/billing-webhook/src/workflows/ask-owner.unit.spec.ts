/** Which questions reach the owner of an event. */
import { refused } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { WebhookEvent } from '../domain/webhook-event';
import { askOwnerOver, recordedEnd } from './ask-owner';

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

  it('is unavailable while the broker finds no owner', async () => {
    const request: Messaging['request'] = async () => refused({ code: 'no_responders', message: 'no owner' });
    expect(await askOwnerOver({ request })(event('evt_1'))).toBe('unavailable');
  });
});

describe('the end that an owner has recorded', () => {
  const admitted = { ...event('evt_1'), admittedRevision: 'adm' };

  it('is reported with the admission that it answers, and with its reason when it has one', () => {
    const end = { eventId: 'evt_1', admittedRevision: 'adm' };
    expect(recordedEnd(admitted, { status: 'success' })).toStrictEqual({ ...end, outcome: 'success' });
    expect(recordedEnd(admitted, { status: 'failed', error: 'it broke' })).toStrictEqual({
      ...end,
      outcome: 'failed',
      error: 'it broke',
    });
  });

  it.each(['unavailable', { status: 'not_admitted' }, { status: 'pending' }] as const)(
    'does not exist while the answer is %j',
    (answer) => expect(recordedEnd(admitted, answer)).toBeUndefined(),
  );
});
