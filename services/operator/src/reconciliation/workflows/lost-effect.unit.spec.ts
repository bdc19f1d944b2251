/** Effects without a record are looked for at each first request, at the price of one read every two seconds. */
import type { Difference } from '../domain/difference';
import { lostEffectIn } from './lost-effect';

const start = Date.UTC(2026, 2, 1);

function stage() {
  let at = start;
  const stored: string[] = [];
  const asked: (string | undefined)[] = [];
  let unreachable = false;
  const find = (filter: object): Promise<Difference[]> => {
    const { operationId } = filter as { readonly operationId?: string };
    asked.push(operationId);
    if (unreachable) return Promise.reject(new Error('unreachable'));
    const matching = stored.filter((id) => operationId === undefined || id === operationId);
    return Promise.resolve(matching.map((id) => ({ operationId: id }) as unknown as Difference));
  };
  const lost = lostEffectIn({ find } as never, { now: () => new Date(at) });
  return {
    ...{ lost, stored, asked },
    pass: (ms: number) => (at += ms),
    cut: (is: boolean) => (unreachable = is),
  };
}

describe('a first request', () => {
  it('shares the answer that there is none with those of the same two seconds', async () => {
    const { lost, asked, pass } = stage();
    expect(await Promise.all([lost('a'), lost('b')])).toEqual([false, false]);
    pass(1_999);
    expect(await lost('c')).toBe(false);
    expect(asked).toEqual([undefined]);
    pass(1);
    expect(await lost('d')).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('knows an effect that was recorded meanwhile two seconds later, and is then asked for by its id', async () => {
    const { lost, stored, asked, pass } = stage();
    expect(await lost('a')).toBe(false);
    stored.push('lost');
    pass(2_000);
    expect([await lost('lost'), await lost('a')]).toEqual([true, false]);
    expect(asked).toEqual([undefined, undefined, 'lost', 'a']);
  });

  it('is no longer without one because the clock was set back', async () => {
    const { lost, stored, pass } = stage();
    expect(await lost('a')).toBe(false);
    stored.push('lost');
    pass(-3_600_000);
    expect(await lost('lost')).toBe(true);
  });

  it('is not judged while the records cannot be read, and is as soon as they can', async () => {
    const { lost, stored, cut } = stage();
    stored.push('lost');
    cut(true);
    await expect(lost('lost')).rejects.toThrow('unreachable');
    cut(false);
    expect(await lost('lost')).toBe(true);
  });
});
