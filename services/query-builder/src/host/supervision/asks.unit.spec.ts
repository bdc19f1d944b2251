/** Both sides of a worker's requests to the supervising process, connected by a channel of plain data. */
import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import { answerAsks, type Operations } from './answer-asks';
import { connectSupervisor } from './connect-supervisor';
import type { FromWorker } from './messages';

const plain = <T>(message: T): T => JSON.parse(JSON.stringify(message)) as T;

describe('what a worker asks of its supervisor', () => {
  const { send } = process;
  const before = process.listeners('message');
  afterEach(() => {
    if (send) process.send = send;
    else delete process.send;
    process.listeners('message').forEach((each) => !before.includes(each) && process.off('message', each));
  });
  const joined = (operations: Operations) => {
    const asks = answerAsks(operations, (message) => void process.emit('message', plain(message), undefined));
    process.send = (message: FromWorker) => {
      const heard = plain(message);
      if (heard.kind === 'ask') void asks.answer(heard);
      if (heard.kind === 'left') asks.leave(heard.id);
      return true;
    };
    return connectSupervisor();
  };
  const untilGone = (signal: AbortSignal) =>
    new Promise<never>((_fulfil, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));

  it('ends when its client leaves, and no other question with it', async () => {
    const worker = joined({
      slow: (_query: string, signal: AbortSignal) => untilGone(signal),
      quick: async (given: string) => `${given}!`,
    } as never);
    const [one, two] = [new AbortController(), new AbortController()];
    const first = worker.callUntil(one.signal, 'slow', 'a');
    const second = worker.callUntil(two.signal, 'slow', 'b').then(
      () => 'answered',
      () => 'ended',
    );
    one.abort();
    await expect(first).rejects.toThrow('ended');
    expect(await worker.call('quick', 'yes')).toBe('yes!');
    expect(await Promise.race([second, Promise.resolve('still asked')])).toBe('still asked');
    two.abort();
    expect(await second).toBe('ended');
  });

  it('ends at once for a client that has left before', async () => {
    const worker = joined({ slow: (signal: AbortSignal) => untilGone(signal) } as never);
    await expect(worker.callUntil(AbortSignal.abort(), 'slow')).rejects.toThrow('ended');
  });

  it('fails as the store failed, so that requests answer it in their own words', async () => {
    const worker = joined({
      slow: () => Promise.reject(new QueryTooSlowError(10_000)),
      away: () => Promise.reject(new StoreUnavailableError('connect: gone')),
      odd: () => Promise.reject(new TypeError('odd')),
    });
    await expect(worker.call('slow')).rejects.toEqual(new QueryTooSlowError(10_000));
    await expect(worker.call('away')).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(worker.call('odd')).rejects.toEqual(new Error('odd'));
    await expect(worker.call('constructor')).rejects.toThrow('no operation constructor');
  });
});
