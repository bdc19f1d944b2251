import { StoreUnavailableError } from '@platform/mongo';
import { readPatiently } from './read-patiently';
import type { RetryPolicy, Unwritten } from './write-fenced';

/** A read that the store answers after some tries. */
function answering(failures: number, error: () => Error = () => new StoreUnavailableError('no answer')) {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries <= failures) throw error();
    return { tries };
  };
}

function policyOf(tries: number) {
  const pauses: number[] = [];
  const given: Unwritten[] = [];
  const policy: RetryPolicy = {
    tries,
    pause: async (attempt) => void pauses.push(attempt),
    outlast: async (unwritten) => {
      given.push(unwritten);
      return false;
    },
  };
  return { policy, pauses, given };
}

describe('a patient read', () => {
  it('is repeated after pauses until the store answers', async () => {
    const { policy, pauses } = policyOf(5);
    expect(await readPatiently(policy, answering(2))).toEqual({ tries: 3 });
    expect(pauses).toEqual([1, 2]);
  });

  it('ends with the refusal of the store when the policy does not continue', async () => {
    const { policy, pauses, given } = policyOf(3);
    await expect(readPatiently(policy, answering(9))).rejects.toThrow(StoreUnavailableError);
    expect(pauses).toEqual([1, 2]);
    const reason = new StoreUnavailableError('no answer').message;
    expect(given).toEqual([{ collection: 'a read', id: '', next: {}, reason, tries: 3 }]);
  });

  it('does not repeat a defect', async () => {
    const { policy, pauses } = policyOf(3);
    await expect(
      readPatiently(
        policy,
        answering(1, () => new TypeError('defect')),
      ),
    ).rejects.toThrow('defect');
    expect(pauses).toEqual([]);
  });
});
