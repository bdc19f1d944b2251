import { createManualClock } from '@platform/kernel';
import { createDatabaseClock } from './database-clock';

describe("the database's clock", () => {
  it('is the local one until it was measured', () => {
    const local = createManualClock();
    expect(createDatabaseClock(local).now()).toEqual(local.now());
  });

  it('keeps the offset while the local clock runs on, and half of the round trip at most is its error', async () => {
    const local = createManualClock();
    const clock = createDatabaseClock(local);
    await clock.measure(async () => {
      local.advance(10);
      const answer = new Date(local.now().getTime() + 90_000);
      local.advance(10);
      return answer;
    });
    expect(clock.offsetMs()).toBe(90_000);
    local.advance(5_000);
    expect(clock.now().getTime() - local.now().getTime()).toBe(90_000);
  });

  it('keeps its offset when a later measurement fails', async () => {
    const clock = createDatabaseClock(createManualClock());
    await clock.measure(async () => new Date('2026-01-01T00:00:05.000Z'));
    await expect(clock.measure(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(clock.offsetMs()).toBe(5_000);
  });
});
