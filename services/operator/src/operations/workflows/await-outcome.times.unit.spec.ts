/** The times of a wait, in simulated time: when the record is read, and when a caller gets what is known. */
import { inStatus, running } from '../testing/action-fixtures';
import type { Operation } from '../domain/operation';
import { awaitOutcome, createOutcomeNotifier } from './await-outcome';
import type { OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';

const unfinished = running('suspend');
const failed = inStatus(unfinished, 'failed', { error: { code: 'refused', message: 'no' } });
const never = new Promise<OperationAnswer>(() => undefined);
const hour = 3_600_000;

/** Ports with this record, which note the time of each read in milliseconds since the wait began. */
function watched(recordAt: (ms: number) => Operation | null | Error) {
  const begun = jest.now();
  const reads: number[] = [];
  const findById = async () => {
    const ms = jest.now() - begun;
    reads.push(ms);
    const record = recordAt(ms);
    if (record instanceof Error) throw record;
    return record;
  };
  const ports = { notifier: createOutcomeNotifier(), operations: { findById }, work: { find: () => undefined } };
  const ended: { ms?: number; answer?: OperationAnswer } = {};
  const wait = (waitMs: number | null, run: (accepted: () => void) => Promise<OperationAnswer>) =>
    void awaitOutcome(ports as unknown as OperatorPorts, unfinished._id, waitMs, run).then((answer) =>
      Object.assign(ended, { ms: jest.now() - begun, answer }),
    );
  return { wait, reads, ended };
}

const beginsOnly = async (): Promise<OperationAnswer> => ({ kind: 'unfinished', operation: unfinished });

describe('the time of a wait', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  it('has a read of the record at pauses that double from a quarter of a second up to two seconds', async () => {
    const { wait, reads, ended } = watched(() => unfinished);
    wait(8_000, beginsOnly);
    await jest.advanceTimersByTimeAsync(7_999);
    expect([reads, ended]).toEqual([[250, 750, 1_750, 3_750, 5_750, 7_750], {}]);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toEqual({ ms: 8_000, answer: { kind: 'unfinished', operation: unfinished } });
    expect(reads.at(-1)).toBe(8_000);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('goes on over a record that is not there yet and a store that does not answer', async () => {
    const { wait, ended } = watched((ms) => (ms < 500 ? null : ms < 1_000 ? new Error('no answer') : failed));
    wait(hour, beginsOnly);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(ended).toEqual({ ms: 1_750, answer: { kind: 'failed', operation: failed } });
  });

  it('is as long as the run takes for a caller that chooses none', async () => {
    const { wait, ended } = watched(() => unfinished);
    wait(null, async (accepted) => {
      accepted();
      await new Promise((resolve) => setTimeout(resolve, 10_000));
      return { kind: 'no_such_workspace' };
    });
    await jest.advanceTimersByTimeAsync(9_999);
    expect(ended).toEqual({});
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toEqual({ ms: 10_000, answer: { kind: 'no_such_workspace' } });
  });

  it.each([hour, null])('is never longer than a request, also when the caller chooses %s', async (waitMs) => {
    const { wait, reads, ended } = watched(() => unfinished);
    wait(waitMs, () => never);
    await jest.advanceTimersByTimeAsync(44_999);
    expect([reads, ended]).toEqual([[], {}]);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toEqual({ ms: 45_000, answer: { kind: 'unfinished', operation: unfinished } });
  });
});
