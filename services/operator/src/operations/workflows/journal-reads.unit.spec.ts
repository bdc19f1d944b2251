/** Reads of the journal: what is asked of the executors, and which page of a list a cursor leads to. */
import type { ExecutorKnowledge } from '@platform/kernel';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import type { Operation } from '../domain/operation';
import { attempt, executor, inStatus, running } from '../testing/action-fixtures';
import { exampleRequest } from '../testing/example-worlds';
import { askExecutor, executorStates, listOperations, readOperation, type ReadPorts } from './read-operation';
import { readWithRetries } from './read-with-retries';
import { runOperation } from './run-operation';

const other = { ...executor, incarnation: 'incarnation-2' };
const updatedAt = new Date('2026-03-01T00:00:00.000Z');

/** Executors that are in these states, and the questions to them. */
function executors(...states: readonly ExecutorKnowledge['state'][]) {
  const asked: Parameters<ReadPorts['askExecutors']>[0][] = [];
  const askExecutors: ReadPorts['askExecutors'] = async (questions) => {
    const state = states[asked.length] ?? states.at(-1)!;
    asked.push(questions);
    return questions.map(() => ({ state }));
  };
  return { asked, askExecutors };
}

describe('the question to the executors', () => {
  const retried = running('suspend', { attempts: [attempt(), attempt({ number: 2, executor: other })] });

  it('names every attempt, and when the record was written for the latest of them', async () => {
    const { asked, askExecutors } = executors('alive');
    expect(await executorStates({ askExecutors }, [retried])).toEqual({
      'op-00000001@incarnation-1': { state: 'alive' },
      'op-00000001@incarnation-2': { state: 'alive' },
    });
    expect(asked).toEqual([
      [
        { key: 'operations/op-00000001', executor },
        { key: 'operations/op-00000001', executor: other, wroteAt: updatedAt },
      ],
    ]);
  });

  const error = { code: 'outcome_unknown', message: 'The outcome is not known.' };
  it.each<[string, Operation, number]>([
    ['one that stopped', inStatus(retried, 'reconciliation_required', { error }), 2],
    ['one that failed', inStatus(retried, 'failed', { error }), 0],
    ['one that succeeded', inStatus(retried, 'succeeded', { result: {}, effectiveAt: updatedAt }), 0],
    ['one that waits for receipts', inStatus(retried, 'awaiting_receipts', {}), 0],
  ])('is about unfinished operations, so not about %s', async (_what, operation, questions) => {
    const { asked, askExecutors } = executors('alive');
    await executorStates({ askExecutors }, [operation]);
    expect(asked.flat()).toHaveLength(questions);
  });

  it('about a piece of work without an executor is not asked', async () => {
    const { asked, askExecutors } = executors('stopped');
    expect(await askExecutor({ askExecutors }, 'operations/op-1', undefined)).toEqual({ state: 'unknown' });
    expect(asked).toEqual([]);
    expect(await askExecutor({ askExecutors }, 'operations/op-1', executor)).toEqual({ state: 'stopped' });
    expect(asked).toEqual([[{ key: 'operations/op-1', executor }]]);
  });
});

describe('the reading of one operation', () => {
  /** Each reading of the record finds the next of these. */
  async function read(records: readonly (Operation | null)[], ...states: readonly ExecutorKnowledge['state'][]) {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    let reads = 0;
    const operations = { ...ports.operations, findById: async () => records[(reads += 1) - 1] ?? null };
    const { asked, askExecutors } = executors(...states);
    const answer = await readOperation({ operations, askExecutors }, 'acme', 'op-00000001');
    return { answer, reads, asked: asked.length };
  }
  const first = running('suspend');
  const second = { ...first, revision: 'r2' };
  const third = { ...first, revision: 'r3' };
  const ended = inStatus(second, 'succeeded', { result: {}, effectiveAt: updatedAt });

  it.each<[string, readonly (Operation | null)[], ExecutorKnowledge['state'], Operation, number]>([
    ['once while its executor is alive', [first, ended], 'alive', first, 1],
    ['once more where its executor is gone, and finds its end', [first, ended], 'not_under_way', ended, 2],
    ['once more, and finds it unchanged', [first, first, ended], 'stopped', first, 2],
    ['once more, and finds no record', [first, null, ended], 'stopped', first, 2],
    ['three times where it keeps changing', [first, second, third, ended], 'stopped', third, 3],
    ['once when it has ended', [ended, first], 'stopped', ended, 1],
  ])('is made %s', async (_how, records, state, operation, reads) => {
    const made = await read(records, state);
    expect(made.answer?.operation).toEqual(operation);
    expect(made.reads).toBe(reads);
  });

  it('is made once more where no attempt was admitted', async () => {
    const bare = { ...first, attempts: [] };
    expect((await read([bare, ended], 'alive')).answer?.operation).toEqual(ended);
  });

  it('finds nothing in another workspace', async () => {
    expect((await read([{ ...first, tenantId: 'bravo' }], 'alive')).answer).toBeNull();
  });
});

describe('a list of operations', () => {
  async function listed() {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const credit = exampleRequest('credit_customer');
    for (const n of [1, 2, 3]) await runOperation(ports, { ...credit, operationId: `op-listed-000${n}` });
    world.provider.failNext('rate_limited');
    await runOperation(ports, { ...credit, operationId: 'op-listed-0004' });
    const { askExecutors } = executors('alive');
    const list = async (request: Parameters<typeof listOperations>[1]) => {
      const page = await listOperations({ operations: ports.operations, askExecutors }, request);
      return page && { ids: page.operations.map(({ _id }) => _id.slice(-1)).join(''), next: page.nextCursor };
    };
    return list;
  }

  it('is read page by page, oldest first or newest first', async () => {
    const list = await listed();
    for (const [order, pages] of [
      [undefined, ['123', '4']],
      ['oldest', ['123', '4']],
      ['newest', ['432', '1']],
    ] as const) {
      const first = await list({ limit: 3, ...(order && { order }) });
      expect([order, first?.ids]).toEqual([order, pages[0]]);
      expect(await list({ limit: 3, ...(order && { order }), cursor: first!.next! })).toEqual({ ids: pages[1] });
    }
  });

  it('has no cursor after its last page, also when that is full', async () => {
    expect(await (await listed())({ limit: 4 })).toEqual({ ids: '1234' });
  });

  it.each([
    [{ tenantId: tenant }, '1234'],
    [{ tenantId: 'bravo' }, ''],
    [{ status: 'failed' }, '4'],
    [{ status: 'succeeded', tenantId: tenant }, '123'],
  ] as const)('with %j contains those', async (filter, ids) => {
    expect(await (await listed())({ limit: 10, ...filter })).toEqual({ ids });
  });

  it('takes no cursor that it did not give out', async () => {
    expect(await (await listed())({ limit: 3, cursor: 'no cursor' })).toBeNull();
  });
});

describe('a read of the provider with retries', () => {
  const down = { outcome: 'unknown', reason: 'time-out' } as const;
  const found = { outcome: 'succeeded', value: 1 } as const;
  const refused = { outcome: 'failed', code: 'c', message: 'm' } as const;

  it.each([
    ['its first answer', [found], found, []],
    ['a refusal, which is an answer', [refused, found], refused, []],
    ['the answer after an outage', [down, down, found], found, [1, 2]],
    ['the outage, after the last try', [down, down, down, found], down, [1, 2]],
  ] as const)('returns %s', async (_what, answers, expected, pauses) => {
    const paused: number[] = [];
    let reads = 0;
    const policy = { tries: 3, pause: async (tries: number) => void paused.push(tries) };
    const outcome = await readWithRetries<number>(policy, async () => answers[(reads += 1) - 1] as typeof found);
    expect(outcome).toEqual(expected);
    expect(paused).toEqual(pauses);
    expect(reads).toBe(pauses.length + 1);
  });
});
