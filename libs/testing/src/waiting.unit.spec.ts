import { eventually } from './eventually';
import { createLatch } from './latch';
import { uniqueName } from './unique-name';

describe('a latch', () => {
  it('holds every caller until it is opened, and says who has arrived', async () => {
    const latch = createLatch();
    const passed: number[] = [];
    const work = [1, 2].map((id) => latch.wait().then(() => passed.push(id)));
    await latch.reached(2);
    expect(latch.waiting).toBe(2);
    expect(passed).toEqual([]);
    latch.open();
    await Promise.all(work);
    expect(passed).toEqual([1, 2]);
    await latch.wait();
    expect(latch.waiting).toBe(0);
  });

  it('tells a watcher that comes before the arrivals', async () => {
    const latch = createLatch();
    const seen = latch.reached();
    const work = latch.wait();
    await seen;
    latch.open();
    await work;
  });
});

describe('eventually', () => {
  it('returns the first value that is there, whatever failed before', async () => {
    let calls = 0;
    const value = await eventually(
      () => {
        calls += 1;
        if (calls === 1) throw new Error('not yet');
        return calls === 3 ? { calls } : undefined;
      },
      { describe: 'three calls' },
    );
    expect(value).toEqual({ calls: 3 });
  });

  it('fails with the last observation', async () => {
    await expect(
      eventually(() => Promise.reject(new Error('still closed')), { deadlineMs: 1, describe: 'the door opens' }),
    ).rejects.toThrow('the door opens: not within 1 ms; last seen: still closed');
    await expect(eventually(() => false, { deadlineMs: 1, describe: 'truth' })).rejects.toThrow('last seen: false');
  });
});

describe('uniqueName', () => {
  it('gives names that servers accept and that never meet', () => {
    const names = Array.from({ length: 100 }, () => uniqueName('Operator: Suspend workspace (slow)'));
    expect(new Set(names).size).toBe(100);
    for (const name of names) expect(name).toMatch(/^operator_suspend_workspa_[0-9a-f]{12}$/);
    expect(uniqueName('…')).toMatch(/^test_[0-9a-f]{12}$/);
  });
});
