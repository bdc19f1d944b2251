import { createRateGovernor, type RateGovernor } from './rate-governor';

/** A clock that moves only when the test advances it, and fires the timers that are due. */
function createTime() {
  let at = 0;
  let timers: { readonly due: number; readonly wake: () => void }[] = [];
  return {
    now: () => at,
    pending: () => timers.length,
    after: (milliseconds: number, wake: () => void) => {
      const timer = { due: at + milliseconds, wake };
      timers.push(timer);
      return () => void (timers = timers.filter((each) => each !== timer));
    },
    async pass(milliseconds: number): Promise<void> {
      const end = at + milliseconds;
      for (;;) {
        const next = timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
        if (!next) break;
        at = Math.max(at, next.due);
        timers = timers.filter((each) => each !== next);
        next.wake();
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      }
      at = end;
    },
  };
}

function measure(options: { writesPerSecond?: number; providerWritesPerSecond?: number } = {}) {
  const time = createTime();
  const governor = createRateGovernor({
    writesPerSecond: 20,
    providerWritesPerSecond: 100,
    ...options,
    now: time.now,
    after: time.after,
  });
  let permits = 0;
  const keepAcquiring = async (lanes = 4) =>
    void (await Promise.all(Array.from({ length: lanes }, () => lane(governor))));
  let stopped = false;
  async function lane(limiter: RateGovernor): Promise<void> {
    while (!stopped) {
      await limiter.acquire();
      if (!stopped) permits += 1;
    }
  }
  const stop = () => {
    stopped = true;
    governor.close();
  };
  return { time, governor, keepAcquiring, permits: () => permits, stop };
}

describe('the rate governor', () => {
  it('gives the first permit at once and spaces the others evenly, however many wait', async () => {
    const { time, keepAcquiring, permits, stop } = measure();
    void keepAcquiring(16);
    await time.pass(0);
    expect(permits()).toBe(1);
    await time.pass(10_000);
    expect(permits()).toBe(201);
    stop();
  });

  it('leaves live traffic its share: half of the rate is used, half of the permits are left', async () => {
    const { time, governor, keepAcquiring, permits, stop } = measure();
    void keepAcquiring();
    for (let at = 0; at < 500; at += 1) {
      governor.liveCall();
      await time.pass(20);
    }
    expect(permits()).toBeGreaterThanOrEqual(98);
    expect(permits()).toBeLessThanOrEqual(103);
    stop();
  });

  it('keeps one permit a second when live traffic takes everything', async () => {
    const { time, governor, keepAcquiring, permits, stop } = measure();
    void keepAcquiring();
    for (let at = 0; at < 2_000; at += 1) {
      governor.liveCall();
      governor.liveCall();
      await time.pass(5);
    }
    expect(permits()).toBeGreaterThanOrEqual(9);
    expect(permits()).toBeLessThanOrEqual(12);
    stop();
  });

  it('pauses longer with each refusal before execution, and goes on at its rate after the first success', async () => {
    const { time, governor, stop } = measure();
    const waits: number[] = [];
    for (let refusals = 0; refusals < 9; refusals += 1) {
      const since = time.now();
      let turned = false;
      void governor.acquire().then(() => (turned = true));
      while (!turned) await time.pass(50);
      waits.push(time.now() - since);
      governor.answered(false);
    }
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits.at(-1)).toBeLessThanOrEqual(30_100);
    expect(waits[2]).toBeGreaterThanOrEqual(1_000);
    await time.pass(31_000);
    governor.answered(true);
    void governor.acquire();
    void governor.acquire();
    await time.pass(100);
    expect(time.pending()).toBe(0);
    stop();
  });

  it('does not make up for permits that nothing took', async () => {
    const { time, keepAcquiring, permits, stop } = measure();
    await time.pass(60_000);
    void keepAcquiring();
    await time.pass(1_000);
    expect(permits()).toBeLessThanOrEqual(22);
    stop();
  });

  it('has one timer while many wait, none while no call does, and lets every call go when it closes', async () => {
    const { time, governor } = measure({ writesPerSecond: 1 });
    const permits = Array.from({ length: 50 }, () => governor.acquire());
    expect(time.pending()).toBe(1);
    governor.close();
    await Promise.all(permits);
    expect(time.pending()).toBe(0);
    await governor.acquire();
  });
});
