import { silentLog } from '@platform/kernel';
import { createReleases } from './releases';

describe('releases', () => {
  it('run last in first out, all of them, and the first error is kept', async () => {
    const closed: string[] = [];
    const releases = createReleases(silentLog);
    const failing = (name: string) => () => {
      closed.push(name);
      throw new Error(name);
    };
    await releases.open('a', 1, () => closed.push('a'));
    await releases.open('b', 2, failing('b'));
    await releases.open('c', 3, failing('c'));
    await releases.open('d', Promise.resolve(4), async (value) => closed.push(`d${value}`));
    await expect(releases.close()).rejects.toThrow('c');
    expect(closed).toEqual(['d4', 'c', 'b', 'a']);
  });

  it('run once, however often the end is asked for', async () => {
    let closed = 0;
    const releases = createReleases(silentLog);
    await releases.open('a', 1, () => (closed += 1));
    await Promise.all([releases.close(), releases.close()]);
    expect(closed).toBe(1);
  });

  it('remember nothing that did not open', async () => {
    const releases = createReleases(silentLog);
    await expect(
      releases.open('a', Promise.reject(new Error('refused')), () => expect(true).toBe(false)),
    ).rejects.toThrow('refused');
    await releases.close();
  });

  it('are reported when slow, and still waited for', async () => {
    let told: () => void = () => undefined;
    const warned = new Promise<void>((resolve) => (told = resolve));
    let finish: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const releases = createReleases({ ...silentLog, warn: (fields) => fields['resource'] === 'slow' && told() }, 1);
    let settled = false;
    await releases.open('slow', 1, () => slow);
    const closing = releases.close().then(() => (settled = true));
    await warned;
    expect(settled).toBe(false);
    finish();
    await closing;
    expect(settled).toBe(true);
  });
});
