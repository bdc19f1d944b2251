/** The governor to the millisecond, and on the timers of the process. */
import { createRateGovernor } from './rate-governor';

/** A governor on a clock that the test sets; a wake that is due is called by `at`. */
function governed(writesPerSecond = 20) {
  let time = 0;
  let armed: { readonly due: number; readonly wake: () => void } | undefined;
  let arms = 0;
  const governor = createRateGovernor({
    writesPerSecond,
    providerWritesPerSecond: 100,
    now: () => time,
    after: (milliseconds, wake) => {
      const timer = { due: time + milliseconds, wake };
      armed = timer;
      arms += 1;
      return () => {
        if (armed === timer) armed = undefined;
      };
    },
  });
  /** The time at which the next permit is given, when nothing else happens. */
  const nextPermit = async () => {
    let given = false;
    void governor.acquire().then(() => (given = true));
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    while (!given && armed) {
      const { due, wake } = armed;
      armed = undefined;
      time = due;
      wake();
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
    if (!given) throw new Error('no permit is on its way');
    return time;
  };
  return { governor, nextPermit, arms: () => arms, set: (at: number) => void (time = at), fire: () => armed?.wake() };
}

const timesOf = async (count: number, next: () => Promise<number>) => {
  const times: number[] = [];
  for (let permit = 0; permit < count; permit += 1) times.push(await next());
  return times;
};

describe('the times of permits', () => {
  it('are spaced evenly', async () => {
    const { nextPermit } = governed();
    expect(await timesOf(4, nextPermit)).toEqual([0, 50, 100, 150]);
  });

  it('keep their spacing when a timer is late by less than that, and begin again after a longer pause', async () => {
    const { nextPermit, set } = governed();
    expect(await nextPermit()).toBe(0);
    set(80);
    expect(await timesOf(2, nextPermit)).toEqual([80, 100]);
    set(200);
    expect(await timesOf(2, nextPermit)).toEqual([200, 200]);
    set(1_000);
    expect(await timesOf(2, nextPermit)).toEqual([1_000, 1_050]);
  });

  it('are delayed by each live call, by its share of the rate of the provider', async () => {
    const { governor, nextPermit, set } = governed();
    expect(await nextPermit()).toBe(0);
    governor.liveCall();
    governor.liveCall();
    expect(await nextPermit()).toBe(70);
    set(500);
    governor.liveCall();
    expect(await nextPermit()).toBe(510);
  });

  it('are a second apart at most, however many live calls there are', async () => {
    const { governor, nextPermit, set } = governed();
    expect(await nextPermit()).toBe(0);
    for (let call = 0; call < 500; call += 1) governor.liveCall();
    expect(await nextPermit()).toBe(1_000);
    set(5_000);
    for (let call = 0; call < 500; call += 1) governor.liveCall();
    expect(await nextPermit()).toBe(6_000);
  });

  it('are a second after the wait began at most, also the first one', async () => {
    const { governor, set, fire } = governed();
    const flood = () => {
      for (let call = 0; call < 500; call += 1) governor.liveCall();
    };
    flood();
    let given = false;
    void governor.acquire().then(() => (given = true));
    set(500);
    flood();
    set(1_000);
    fire();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    expect(given).toBe(true);
  });

  it('pause after each refusal before execution, twice as long each time up to half a minute', async () => {
    const { governor, nextPermit } = governed();
    const pauses: number[] = [];
    let before = await nextPermit();
    for (let refusal = 0; refusal < 8; refusal += 1) {
      governor.answered(false);
      const next = await nextPermit();
      pauses.push(next - before);
      before = next;
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    governor.answered(true);
    expect((await nextPermit()) - before).toBe(50);
    governor.answered(false);
    expect((await nextPermit()) - before).toBe(550);
  });

  it('follow from one timer, which is armed once for all that wait', async () => {
    const { governor, arms } = governed();
    for (let permit = 0; permit < 5; permit += 1) void governor.acquire();
    expect(arms()).toBe(1);
  });
});

describe('a governor on the timers of the process', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('waits with one timer for the next permit, and with none once it is closed', async () => {
    const governor = createRateGovernor({ writesPerSecond: 10, providerWritesPerSecond: 100 });
    let permits = 0;
    const acquire = () => void governor.acquire().then(() => (permits += 1));
    for (let each = 0; each < 3; each += 1) acquire();
    await jest.advanceTimersByTimeAsync(0);
    expect([permits, jest.getTimerCount()]).toEqual([1, 1]);
    await jest.advanceTimersByTimeAsync(99);
    expect(permits).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(permits).toBe(2);
    governor.close();
    expect(jest.getTimerCount()).toBe(0);
    await jest.advanceTimersByTimeAsync(0);
    expect(permits).toBe(3);
  });
});
