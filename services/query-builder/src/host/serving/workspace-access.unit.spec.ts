import type { Caller } from '@platform/http-server';
import { accessBoundMs, type AccessDecision, type DatedDecision } from '@platform/workspace-platform/access';
import { accessBySupervisor, closedToCaller } from './workspace-access';

const open: AccessDecision = { state: 'open' };
const suspended: AccessDecision = { state: 'closed', reason: 'suspended' };

describe('the way to the supervising process', () => {
  const reading = (answer: DatedDecision | Error | null, takesMs = 0) => {
    let now = 0;
    return accessBySupervisor({
      now: () => now,
      call: async () => {
        if (answer === null) return new Promise(() => undefined);
        now += takesMs;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      wait: (milliseconds) => (answer === null ? Promise.resolve((now += milliseconds)) : new Promise(() => undefined)),
    })('acme');
  };

  it('adds its own time to the age of the answer', async () => {
    expect(await reading({ decision: open, ageMs: accessBoundMs - 10 }, 10)).toEqual(open);
    expect(await reading({ decision: open, ageMs: accessBoundMs - 10 }, 11)).toEqual({ state: 'unknown' });
    expect(await reading({ decision: suspended, ageMs: 0 })).toEqual(suspended);
  });

  it('asks a process again that is busy with a reload, and goes by the answer to its own question', async () => {
    let now = 0;
    let asked = 0;
    const read = accessBySupervisor({
      now: () => now,
      // What was asked while the process was busy is answered too late to be used.
      call: async () => ((asked += 1) < 3 ? new Promise(() => undefined) : { decision: suspended, ageMs: 0 }),
      wait: async (milliseconds) => (asked < 2 ? (now += milliseconds) : new Promise(() => undefined)),
    });
    expect([await read('acme'), asked]).toEqual([suspended, 3]);
  });

  it('knows nothing when that process fails to answer, or does not', async () => {
    expect(await reading(new Error('no such operation'))).toEqual({ state: 'unknown' });
    expect(await reading(null)).toEqual({ state: 'unknown' });
  });
});

describe('a decision that a worker has', () => {
  /** A supervisor with this answer, whose age is `ageMs` when it arrives, and a worker whose clock is set by hand. */
  function worker(answer: { decision: AccessDecision; ageMs: number }) {
    const asked: string[] = [];
    const stage = { now: 1_000, answer };
    const read = accessBySupervisor({
      now: () => stage.now,
      call: async (_operation, tenantId) => (asked.push(tenantId), stage.answer),
      wait: () => new Promise(() => undefined),
    });
    return { stage, read, asked };
  }

  it('is used again until its answer is too old, counted from the question to the owner', async () => {
    const { stage, read, asked } = worker({ decision: open, ageMs: 200 });
    expect(await read('acme')).toEqual(open);
    stage.answer = { decision: suspended, ageMs: 0 };
    stage.now += accessBoundMs - 200;
    expect([await read('acme'), asked]).toEqual([open, ['acme']]);
    stage.now += 1;
    expect([await read('acme'), asked]).toEqual([suspended, ['acme', 'acme']]);
    stage.now += accessBoundMs;
    expect([await read('acme'), asked]).toEqual([suspended, ['acme', 'acme']]);
  });

  it('is that of one workspace', async () => {
    const { read, asked } = worker({ decision: open, ageMs: 0 });
    for (const tenantId of ['acme', 'globex', 'acme', 'globex']) await read(tenantId);
    expect(asked).toEqual(['acme', 'globex']);
  });

  it('is not kept where nothing is known, and takes no older one with it', async () => {
    const { stage, read, asked } = worker({ decision: open, ageMs: 0 });
    await read('acme');
    stage.now += accessBoundMs + 1;
    stage.answer = { decision: { state: 'unknown' }, ageMs: 0 };
    expect([await read('acme'), await read('acme')]).toEqual([{ state: 'unknown' }, { state: 'unknown' }]);
    stage.answer = { decision: open, ageMs: 0 };
    expect(await read('acme')).toEqual(open);
    expect(asked).toHaveLength(4);
  });

  it('is dropped first when it is the oldest of ten thousand', async () => {
    const { read, asked } = worker({ decision: open, ageMs: 0 });
    for (let n = 0; n <= 10_000; n += 1) await read(`w-${n}`);
    asked.length = 0;
    await read('w-1');
    await read('w-0');
    expect(asked).toEqual(['w-0']);
  });
});

describe('a caller', () => {
  const states: Readonly<Record<string, AccessDecision>> = { acme: open, globex: suspended };
  const read = async (tenantId: string): Promise<AccessDecision> => states[tenantId] ?? { state: 'unknown' };
  const closed = (workspaces: readonly string[], named?: string) =>
    closedToCaller(
      { workspaces: Object.fromEntries(workspaces.map((id) => [id, 'member'])) } as unknown as Caller,
      named,
      read,
    );

  it('of an open workspace reads, and so does one of none', async () => {
    expect(await closed(['acme'])).toBeUndefined();
    expect(await closed([])).toBeUndefined();
  });

  it('of a closed one is refused with the reason, also when the access is not known', async () => {
    expect(await closed(['globex'])).toMatchObject({ code: 'workspace_closed', extras: { access: 'suspended' } });
    expect(await closed(['hooli'])).toMatchObject({ code: 'access_unknown', retryAfterSeconds: 1 });
  });

  it('of several is judged by the one that is named, and without a name needs one that is open', async () => {
    expect(await closed(['acme', 'globex'], 'globex')).toMatchObject({ code: 'workspace_closed' });
    expect(await closed(['acme', 'globex'], 'acme')).toBeUndefined();
    expect(await closed(['acme', 'globex'])).toBeUndefined();
    expect(await closed(['globex', 'hooli'])).toMatchObject({ code: 'workspace_closed' });
  });

  it('learns nothing of a workspace that is not his', async () => {
    expect(await closed(['acme'], 'globex')).toBeUndefined();
  });
});
