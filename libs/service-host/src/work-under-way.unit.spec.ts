import { createWorkUnderWay } from './work-under-way';

describe('work under way', () => {
  it('is counted until it ends, also when it fails, and is waited for with what begins meanwhile', async () => {
    const under = createWorkUnderWay();
    const ends: string[] = [];
    let [endFirst, endSecond] = [(): void => undefined, (): void => undefined];
    const first = under.track(new Promise<void>((_resolve, reject) => (endFirst = () => reject(new Error('broken')))));
    first.catch(() => ends.push('first'));
    expect(under.count()).toBe(1);
    const drained = under.drained().then(() => ends.push('drained'));
    const second = under.track(new Promise<void>((resolve) => (endSecond = resolve)));
    void second.then(() => ends.push('second'));
    endFirst();
    await first.catch(() => undefined);
    expect(under.count()).toBe(1);
    endSecond();
    await drained;
    expect(ends).toEqual(['first', 'second', 'drained']);
    expect(under.count()).toBe(0);
  });
});
