import { createManualClock, silentLog } from '@platform/kernel';
import { createDatabaseClock, keepMeasuring } from './database-clock';

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

  /** A machine whose wall clock can be set while its counter advances. */
  function machine() {
    const counter = createManualClock();
    let setBy = 0;
    return {
      pass: (ms: number) => counter.advance(ms),
      setWall: (ms: number) => void (setBy += ms),
      local: {
        now: () => new Date(counter.now().getTime() + setBy),
        elapsedMs: () => counter.now().getTime(),
      },
      database: () => new Date(counter.now().getTime() + 90_000),
    };
  }

  it.each([7_200_000, -7_200_000, 400 * 86_400_000, -30 * 86_400_000])(
    'stamps nothing otherwise when the wall clock jumps by %d ms',
    async (jump) => {
      const { local, database, pass, setWall } = machine();
      const clock = createDatabaseClock(local);
      await clock.measure(async () => database());
      pass(10_000);
      setWall(jump);
      expect(clock.now()).toEqual(database());
      expect(clock.jumpMs()).toBe(jump);
      pass(40_000);
      expect(clock.now()).toEqual(database());
      await clock.measure(async () => database());
      expect(clock.now()).toEqual(database());
      expect([clock.jumpMs(), clock.offsetMs()]).toEqual([0, 90_000 - jump]);
    },
  );

  it.each([
    ['set forward by two days', 2 * 86_400_000, 60_000, false],
    ['set back by two days', -2 * 86_400_000, 24 * 3_600_000, true],
  ])(
    'closes a retry window of 23 hours by the time that has passed, with a wall clock %s',
    async (_name, jump, passed, closed) => {
      const windowClosed = async (create: typeof createDatabaseClock): Promise<boolean> => {
        const { local, database, pass, setWall } = machine();
        const clock = create(local);
        await clock.measure(async () => database());
        const createdAt = clock.now().getTime();
        setWall(jump);
        pass(passed);
        return clock.now().getTime() - createdAt >= 23 * 3_600_000;
      };
      expect(await windowClosed(createDatabaseClock)).toBe(closed);
      // A build that breaks the law: it follows the wall clock between two measurements.
      expect(await windowClosed(({ now }) => createDatabaseClock({ now }))).toBe(!closed);
    },
  );

  it('is measured at once after a jump, and the jump is reported once', async () => {
    jest.useFakeTimers();
    try {
      const { local, database, setWall } = machine();
      const clock = createDatabaseClock(local);
      await clock.measure(async () => database());
      const warned: string[] = [];
      const log = { ...silentLog, warn: (_fields: unknown, message: string) => void warned.push(message) };
      let away = true;
      let reads = 0;
      const read = async () => {
        reads += 1;
        if (away) throw new Error('away');
        return database();
      };
      const measuring = keepMeasuring(clock, read, log, { intervalMs: 60_000, lookMs: 1_000 });
      await jest.advanceTimersByTimeAsync(5_000);
      expect([reads, warned]).toEqual([0, []]);
      setWall(3_600_000);
      await jest.advanceTimersByTimeAsync(5_000);
      expect([reads, warned]).toEqual([
        1,
        [expect.stringContaining('has jumped'), expect.stringContaining('could not be read')],
      ]);
      away = false;
      await jest.advanceTimersByTimeAsync(60_000);
      expect([reads, clock.jumpMs()]).toEqual([2, 0]);
      measuring.close();
      await jest.advanceTimersByTimeAsync(600_000);
      expect(reads).toBe(2);
    } finally {
      jest.useRealTimers();
    }
  });
});
