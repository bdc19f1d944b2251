import { setTimeout as delay } from 'node:timers/promises';
import { createReadTurns } from './read-turns';

/** A reader who stays; each call makes its own signal, like each request. */
const stays = () => new AbortController().signal;

describe('the turns of reads', () => {
  it('never gives more than may run at a time, in the order of asking', async () => {
    const turns = createReadTurns(2, 60_000, 60_000);
    const order: number[] = [];
    let running = 0;
    const read = async (at: number): Promise<void> => {
      const end = await turns.take(stays());
      order.push(at);
      expect((running += 1)).toBeLessThanOrEqual(2);
      await delay(1);
      running -= 1;
      end?.();
      end?.();
    };
    await Promise.all(Array.from({ length: 20 }, (_each, at) => read(at)));
    expect(order).toEqual(Array.from({ length: 20 }, (_each, at) => at));
    expect(turns.waiting).toBe(0);
  });

  it('gives the turn of a read that does not end to the next one, once', async () => {
    const turns = createReadTurns(1, 20, 60_000);
    const slow = await turns.take(stays());
    const second = await turns.take(stays());
    slow?.();
    let third = false;
    const taken = turns.take(stays()).then((end) => ((third = true), end));
    await Promise.resolve();
    expect(third).toBe(false);
    second?.();
    (await taken)?.();
  });

  it('keeps no place for a reader who has left', async () => {
    const turns = createReadTurns(1, 60_000, 60_000);
    const end = await turns.take(stays());
    const leaving = new AbortController();
    const left = Array.from({ length: 8 }, () => turns.take(leaving.signal));
    const last = turns.take(stays());
    expect(turns.waiting).toBe(9);
    leaving.abort();
    expect(turns.waiting).toBe(1);
    expect(new Set(await Promise.all(left))).toEqual(new Set([null]));
    expect(await turns.take(leaving.signal)).toBeNull();
    end?.();
    (await last)?.();
    expect((await turns.take(stays())) === null).toBe(false);
  });

  it('keeps none waiting for longer than one may wait, and gives the others their turn', async () => {
    const turns = createReadTurns(1, 60_000, 20);
    const end = await turns.take(stays());
    expect(await Promise.all([turns.take(stays()), turns.take(stays(), true)])).toEqual([null, null]);
    expect(turns.waiting).toBe(0);
    end?.();
    expect(await turns.take(stays())).not.toBeNull();
  });

  it('gives every other turn to those who come first, and all of them where no other caller waits', async () => {
    const turns = createReadTurns(1, 60_000, 60_000);
    const order: string[] = [];
    const read = async (name: string, first: boolean): Promise<void> => {
      const end = await turns.take(stays(), first);
      order.push(name);
      end?.();
    };
    const end = await turns.take(stays());
    const all = ['a', 'b', 'c', 'd'].map((name) => read(name, false));
    const few = ['A', 'B'].map((name) => read(name, true));
    end?.();
    await Promise.all([...all, ...few]);
    expect(order).toEqual(['A', 'a', 'B', 'b', 'c', 'd']);
  });
});
