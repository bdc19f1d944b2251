/** Many records at once: each is handled once, and a bounded number at a time. */
import { inParallel } from './paging';

describe('records that are handled in parallel', () => {
  it.each([0, 5, 100])('are handled once each, at most 32 at a time (%i records)', async (count) => {
    const all = Array.from({ length: count }, (_, index) => index);
    const handled: number[] = [];
    let [running, most] = [0, 0];
    await inParallel(all, async (one) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      handled.push(one);
      running -= 1;
    });
    expect(handled.toSorted((a, b) => a - b)).toEqual(all);
    expect(most).toBe(Math.min(count, 32));
  });
});
