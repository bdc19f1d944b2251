import { failedWith, handled, notKnown, skipped } from './event-outcome';

describe('the outcome of a provider event', () => {
  it('says what became of the event, and why', () => {
    expect([handled, skipped('a'), failedWith('b'), notKnown('c')]).toEqual([
      { outcome: 'success' },
      { outcome: 'skipped', error: 'a' },
      { outcome: 'failed', error: 'b' },
      { outcome: 'unknown', error: 'c' },
    ]);
  });
});
