import { createKeyedMutex } from './keyed-mutex';

/** Work that ends when its `end` is called. */
function held() {
  let end: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  let begun = false;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const work = () => {
    begun = true;
    return ended;
  };
  return { work, end: () => end(), fail: (error: Error) => fail(error), begun: () => begun };
}

/** All reactions to promises that are settled now have run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('work on one key', () => {
  it('begins when the earlier work on the key has ended, and gives its result', async () => {
    const mutex = createKeyedMutex();
    const [first, second] = [held(), held()];
    const one = mutex.runExclusive('a', first.work);
    const two = mutex.runExclusive('a', second.work).then(() => 'second');
    await settled();
    expect([first.begun(), second.begun()]).toEqual([true, false]);
    first.end();
    await one;
    await settled();
    expect(second.begun()).toBe(true);
    second.end();
    expect(await two).toBe('second');
  });

  it('does not wait for work on another key', async () => {
    const mutex = createKeyedMutex();
    void mutex.runExclusive('a', held().work);
    expect(await mutex.runExclusive('b', async () => 'done')).toBe('done');
  });

  it('begins when the earlier work has failed, and its caller alone hears of the failure', async () => {
    const mutex = createKeyedMutex();
    const first = held();
    const one = mutex.runExclusive('a', first.work);
    const two = mutex.runExclusive('a', async () => 'done');
    first.fail(new Error('no'));
    await expect(one).rejects.toThrow('no');
    expect(await two).toBe('done');
  });

  it('waits for work that began after the first had ended', async () => {
    const mutex = createKeyedMutex();
    const [second, third] = [held(), held()];
    const one = mutex.runExclusive('a', async () => undefined);
    void mutex.runExclusive('a', second.work);
    await one;
    await settled();
    void mutex.runExclusive('a', third.work);
    await settled();
    expect([second.begun(), third.begun()]).toEqual([true, false]);
  });

  it('leaves nothing of its key behind', async () => {
    const forgotten = jest.spyOn(Map.prototype, 'delete');
    await createKeyedMutex().runExclusive('of-this-test', async () => undefined);
    await settled();
    expect(forgotten).toHaveBeenCalledWith('of-this-test');
    forgotten.mockRestore();
  });
});
