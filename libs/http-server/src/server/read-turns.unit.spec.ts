import { setTimeout as delay } from 'node:timers/promises';
import { createReadTurns } from './read-turns';

describe('the turns of reads', () => {
  it('never gives more than may run at a time, in the order of asking', async () => {
    const turns = createReadTurns(2, 60_000);
    const order: number[] = [];
    let running = 0;
    const read = async (at: number): Promise<void> => {
      const leave = await turns.take();
      order.push(at);
      expect((running += 1)).toBeLessThanOrEqual(2);
      await delay(1);
      running -= 1;
      leave();
      leave();
    };
    await Promise.all(Array.from({ length: 20 }, (_each, at) => read(at)));
    expect(order).toEqual(Array.from({ length: 20 }, (_each, at) => at));
    expect(turns.waiting).toBe(0);
  });

  it('gives the turn of a read that does not end to the next one, once', async () => {
    const turns = createReadTurns(1, 20);
    const slow = await turns.take();
    const second = await turns.take();
    slow();
    let third = false;
    const taken = turns.take().then((leave) => ((third = true), leave));
    await Promise.resolve();
    expect(third).toBe(false);
    second();
    (await taken)();
  });
});
