/** The keeper of the topology where no broker answers. */
import { platformTopology } from './topology';
import { keepTopology } from './topology-keep';

describe('the keeper of the topology', () => {
  it('gives up when it reaches no broker for long, so that its process starts again and reads the secrets of then', async () => {
    const warned: unknown[] = [];
    const log = { error: () => undefined, warn: (fields: object) => void warned.push(fields) };
    const there = { url: 'nats://127.0.0.1:1', topology: platformTopology() };
    const keeping = keepTopology({
      ...there,
      log,
      signal: new AbortController().signal,
      everyMs: 5,
      givesUpAfterMs: 50,
    });
    await expect(keeping).rejects.toThrow('could not be looked at for');
    expect(warned).toHaveLength(1);
  });
});
