import { oneAtATime } from './one-at-a-time';

describe('work that runs one at a time', () => {
  it('runs once more for all calls that came meanwhile, and they see what happened before them', async () => {
    let state = 0;
    let running = 0;
    const opened: (() => void)[] = [];
    const run = oneAtATime(async () => {
      expect((running += 1)).toBe(1);
      const seen = state;
      await new Promise<void>((resolve) => opened.push(resolve));
      running -= 1;
      return seen;
    });
    const first = run();
    state = 1;
    const later = [run(), run(), run()];
    opened.shift()!();
    expect(await first).toBe(0);
    while (opened.length === 0) await Promise.resolve();
    opened.shift()!();
    expect(await Promise.all(later)).toEqual([1, 1, 1]);
    expect(opened).toHaveLength(0);
  });

  it('runs again after a failure', async () => {
    let fails = true;
    const run = oneAtATime(async () => {
      if (fails) throw new Error('once');
      return 'done';
    });
    await expect(run()).rejects.toThrow('once');
    fails = false;
    expect(await run()).toBe('done');
  });
});
