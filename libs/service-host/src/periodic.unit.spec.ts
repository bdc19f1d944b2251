import { silentLog, type Log } from '@platform/kernel';
import { startPeriodic } from './periodic';

describe('a repeated piece of work', () => {
  it('goes on after a failure, which is logged by name, and never runs twice at a time', async () => {
    const warned: unknown[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void warned.push(fields) };
    let [turns, under, most] = [0, 0, 0];
    let third = (): void => undefined;
    const reached = new Promise<void>((resolve) => (third = resolve));
    const periodic = startPeriodic({
      name: 'sweep',
      everyMs: 0,
      log,
      work: async () => {
        most = Math.max(most, (under += 1));
        await new Promise(setImmediate);
        under -= 1;
        if ((turns += 1) === 1) throw new Error('away');
        if (turns === 3) third();
      },
    });
    await reached;
    await periodic.close();
    expect(warned).toEqual([{ work: 'sweep', error: 'Error: away' }]);
    expect(most).toBe(1);
  });

  it('tells a round under way to end, waits for it, and starts no other', async () => {
    let turns = 0;
    const ends: string[] = [];
    const periodic = startPeriodic({
      name: 'sweep',
      everyMs: 0,
      log: silentLog,
      work: async (stopping) => {
        turns += 1;
        while (!stopping()) await new Promise(setImmediate);
        ends.push('turn');
      },
    });
    await periodic.close().then(() => ends.push('close'));
    expect([turns, ends]).toEqual([1, ['turn', 'close']]);
  });

  it('does not wait out the pause when it is closed', async () => {
    let done = (): void => undefined;
    const first = new Promise<void>((resolve) => (done = resolve));
    const periodic = startPeriodic({ name: 'sweep', everyMs: 86_400_000, log: silentLog, work: async () => done() });
    await first;
    await periodic.close();
  });
});
