/** How a delivery learns of its outcome: by a notification in this process, or by looks with growing pauses. */
import { settle } from '@platform/testing';
import type { WebhookEvent } from '../domain/webhook-event';
import { createEventNotifier, timedBudget } from './await-outcome';

const event = (_id: string) => ({ _id, result: 'success' }) as WebhookEvent;

describe('a notification about an event', () => {
  it('reaches every delivery that listens for that event, and no other', async () => {
    const notifier = createEventNotifier();
    const heard: string[] = [];
    const listen = (name: string, eventId: string) => {
      const listening = notifier.listen(eventId);
      void listening.heard.then(({ _id }) => heard.push(`${name} ${_id}`));
      return listening;
    };
    const stopped = listen('stopped', 'evt_1');
    for (const name of ['one', 'other']) listen(name, 'evt_1');
    listen('elsewhere', 'evt_2');
    stopped.stop();
    notifier.notify(event('evt_1'));
    await settle();
    expect(heard).toEqual(['one evt_1', 'other evt_1']);
  });
});

describe('the time that a delivery waits', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('has looks with pauses that double up to a second, until it is over', async () => {
    const budget = timedBudget(5_000);
    const begun = jest.now();
    const pauses: number[] = [];
    for (let look = 0; look < 6; look += 1) {
      const before = jest.now();
      const looked = budget.look();
      jest.advanceTimersToNextTimer();
      expect(await looked).toBe('look');
      pauses.push(jest.now() - before);
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    jest.advanceTimersToNextTimer();
    expect(await budget.over).toBe('over');
    expect(jest.now() - begun).toBe(5_000);
  });

  it('leaves no timer behind when it is cancelled', () => {
    const budget = timedBudget(5_000);
    void budget.look();
    budget.cancel();
    expect(jest.getTimerCount()).toBe(0);
  });
});
