import { silentLog, type Log } from './log';
import { withPatience, type Patience } from './patience';

class AwayError extends Error {}

function patient(said: string[], forMs = 600_000): Patience {
  const warn: Log['warn'] = (_fields, message) => void said.push(String(message));
  return {
    dependency: 'the store',
    forMs,
    mayPass: (error) => error instanceof AwayError,
    log: { ...silentLog, warn },
    pauseMs: 1,
  };
}

/** Fails with each error in turn, then answers. */
function failing(...errors: Error[]) {
  return jest.fn(async () => {
    const next = errors.shift();
    if (next) throw next;
    return 'answer';
  });
}

describe('patience at the start', () => {
  it('asks again until there is an answer, and says so each time', async () => {
    const said: string[] = [];
    const step = failing(new AwayError(), new AwayError());
    expect(await withPatience(patient(said), step)).toBe('answer');
    expect(step).toHaveBeenCalledTimes(3);
    expect(said).toEqual(Array<string>(2).fill('the store does not answer yet; it is asked again'));
  });

  it('ends at once at an error that is an answer', async () => {
    const said: string[] = [];
    const step = failing(new AwayError(), new Error('refused'), new AwayError());
    await expect(withPatience(patient(said), step)).rejects.toThrow('refused');
    expect([step.mock.calls.length, said.length]).toEqual([2, 1]);
  });

  it('tries once where no time is given', async () => {
    const step = failing(new AwayError('away'));
    await expect(withPatience(patient([], 0), step)).rejects.toThrow('away');
    expect(step).toHaveBeenCalledTimes(1);
  });
});
