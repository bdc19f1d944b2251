import { createManualClock, createSequentialIds } from '@platform/kernel';
import { createExecutor } from './executor';
import {
  registerIncarnation,
  supersession,
  type IncarnationDraft,
  type IncarnationRecord,
  type IncarnationRecords,
} from './incarnations';

/** The port over a map, with revisions; `before` runs before each mutation, to cause a lost race. */
function createRecords(before: (current: IncarnationRecord) => void = () => undefined) {
  const rows = new Map<string, IncarnationRecord>();
  const ids = createSequentialIds(9);
  const stamp = (draft: IncarnationDraft): IncarnationRecord => {
    const record = { ...draft, revision: ids.next(), createdAt: new Date(0), updatedAt: new Date(0) };
    rows.set(record._id, record);
    return record;
  };
  const records: IncarnationRecords = {
    findById: async (id) => rows.get(id) ?? null,
    find: async (filter, { limit }) =>
      [...rows.values()]
        .filter((row) =>
          Object.entries(filter).every(([path, condition]) => {
            const value = (row as unknown as Record<string, unknown>)[path];
            return typeof condition === 'string' ? value === condition : (value !== undefined) === condition.$exists;
          }),
        )
        .sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime())
        .slice(0, limit),
    insert: async (draft) =>
      rows.has(draft._id) ? { outcome: 'not_applied' } : { outcome: 'applied', record: stamp(draft) },
    mutate: async (current, next) => {
      before(current);
      if (rows.get(current._id)?.revision !== current.revision) return { outcome: 'not_applied' };
      return { outcome: 'applied', record: stamp(next) };
    },
  };
  return { rows, records, stamp };
}

const clock = createManualClock();
const ids = createSequentialIds();
const boot = (instance = 'operator-1', service = 'operator') => createExecutor({ service, instance }, ids);

describe('executor incarnations', () => {
  it('marks the earlier boots of its own instance, by whom and when, and no others', async () => {
    const { rows, records } = createRecords();
    const [first, second, replica, other] = [boot(), boot(), boot('operator-2'), boot('operator-1', 'provisioning')];
    for (const executor of [first, replica, other]) await registerIncarnation({ records, executor, clock });
    clock.advance(1_000);
    const registered = await registerIncarnation({ records, executor: second, clock });
    expect(registered.superseded).toEqual([first.incarnation]);
    expect(rows.get(first.incarnation)?.supersededBy).toEqual({ incarnation: second.incarnation, at: clock.now() });
    for (const executor of [second, replica, other]) {
      expect(supersession(rows.get(executor.incarnation) ?? null)).toBe('open');
    }
  });

  it('keeps the first successor of a boot', async () => {
    const { rows, records } = createRecords();
    const boots = [boot(), boot(), boot()] as const;
    for (const executor of boots) {
      clock.advance(1);
      await registerIncarnation({ records, executor, clock });
    }
    expect(boots.map(({ incarnation }) => rows.get(incarnation)?.supersededBy?.incarnation)).toEqual([
      boots[1].incarnation,
      boots[2].incarnation,
      undefined,
    ]);
  });

  it('writes an orderly end once, which later boots leave alone', async () => {
    const { rows, records } = createRecords();
    const executor = boot();
    const registered = await registerIncarnation({ records, executor, clock });
    await registered.stop();
    const stoppedAt = clock.now();
    clock.advance(5_000);
    await registered.stop();
    const next = await registerIncarnation({ records, executor: boot(), clock });
    expect(next.superseded).toEqual([]);
    expect(rows.get(executor.incarnation)).toMatchObject({ stoppedAt });
    expect(rows.get(executor.incarnation)?.supersededBy).toBeUndefined();
  });

  it('marks more boots than one page holds', async () => {
    const { records, stamp } = createRecords();
    for (let count = 0; count < 230; count += 1) {
      stamp({ _id: `old-${count}`, service: 'operator', instance: 'operator-1', startedAt: new Date(count) });
    }
    const { superseded } = await registerIncarnation({ records, executor: boot(), clock });
    expect(superseded).toHaveLength(230);
    expect(superseded[0]).toBe('old-0');
  });

  it('reads again after a lost race', async () => {
    let races = 2;
    const { rows, records, stamp } = createRecords((current) => {
      races -= 1;
      if (races >= 0) stamp(rows.get(current._id)!);
    });
    const first = boot();
    await registerIncarnation({ records, executor: first, clock });
    await registerIncarnation({ records, executor: boot(), clock });
    expect(supersession(rows.get(first.incarnation)!)).toBe('superseded');
  });

  it('refuses to start on an unknown answer to its own record', async () => {
    const { records } = createRecords();
    const unanswered: IncarnationRecords = {
      ...records,
      insert: async () => ({ outcome: 'unknown', reason: 'write concern time-out' }),
    };
    await expect(registerIncarnation({ records: unanswered, executor: boot(), clock })).rejects.toThrow(
      'write concern time-out',
    );
  });

  it('knows what a record says', () => {
    const record: IncarnationRecord = {
      _id: 'i',
      revision: 'r',
      createdAt: clock.now(),
      updatedAt: clock.now(),
      service: 's',
      instance: 's-1',
      startedAt: clock.now(),
    };
    const supersededBy = { incarnation: 'j', at: clock.now() };
    expect(supersession(null)).toBe('unknown');
    expect(supersession(record)).toBe('open');
    expect(supersession({ ...record, supersededBy })).toBe('superseded');
    expect(supersession({ ...record, supersededBy, stoppedAt: clock.now() })).toBe('stopped');
  });
});
