import { createQueryDesk, GoneError, OverloadedError, type DeskLimits, type Question } from './query-desk';

/** Questions whose executions end when the test decides. */
function deskWith(limits: Partial<DeskLimits> = {}) {
  let clock = 0;
  const runs: { key: string; signal: AbortSignal; end(rows?: number): void; fail(): void }[] = [];
  const timers = new Map<() => void, number>();
  const desk = createQueryDesk(
    { running: 1, waitMs: 10_000, keptMs: 0, shortWaitMs: 0, ...limits },
    () => clock,
    (ms, call) => {
      timers.set(call, clock + ms);
      return () => void timers.delete(call);
    },
  );
  const pass = (ms: number): void => {
    clock += ms;
    for (const [call, at] of timers) if (at <= clock && timers.delete(call)) call();
  };
  const ask = (key: string, party = 't1', gone?: AbortSignal) => {
    const question: Question = {
      table: `table of ${key}`,
      key,
      party,
      query: `/p@${key}`,
      run: (signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          runs.push({ key, signal, end: (rows = 1) => resolve([{ rows }]), fail: () => reject(new Error('broken')) });
        }),
    };
    return desk.ask(question, gone);
  };
  return { desk, ask, runs, pass, waits: () => timers.size, keys: () => runs.map(({ key }) => key) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the desk of queries', () => {
  it('answers twelve identical questions from one execution', async () => {
    const { ask, runs } = deskWith();
    const asked = Array.from({ length: 12 }, () => ask('same'));
    expect(runs).toHaveLength(1);
    runs[0]!.end(7);
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ rows: [{ rows: 7 }], askedAt: 0 })));
    void ask('same');
    expect(runs).toHaveLength(2);
  });

  it('shares also what still waits, and a failure too', async () => {
    const { ask, runs, keys } = deskWith();
    const first = ask('a');
    const later = [ask('b'), ask('b')];
    runs[0]!.fail();
    await expect(first).rejects.toThrow('broken');
    await settled();
    expect(keys()).toEqual(['a', 'b']);
    runs[1]!.fail();
    for (const each of later) await expect(each).rejects.toThrow('broken');
  });

  it('lets workspaces take turns, so that one with many questions delays itself', async () => {
    const { ask, runs, keys, pass } = deskWith();
    for (const key of ['a1', 'a2', 'a3', 'a4']) void ask(key, 'a');
    void ask('b1', 'b');
    void ask('c1', 'c');
    for (let at = 0; at < 6; at += 1) {
      pass(100);
      runs[at]!.end();
      await settled();
    }
    expect(keys()).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  });

  it('charges what a question took, so that dear ones take fewer turns', async () => {
    const { ask, runs, keys, pass } = deskWith();
    void ask('dear', 'a');
    for (const key of ['a2', 'a3']) void ask(key, 'a');
    for (const key of ['b1', 'b2', 'b3', 'b4']) void ask(key, 'b');
    for (let at = 0; at < 7; at += 1) {
      pass(at === 0 ? 450 : 100);
      runs[at]!.end();
      await settled();
    }
    expect(keys()).toEqual(['dear', 'b1', 'b2', 'b3', 'b4', 'a2', 'a3']);
  });

  it('refuses at once what would wait too long, with a time to ask again', async () => {
    const { ask, runs, pass } = deskWith({ waitMs: 5_000 });
    void ask('slow');
    pass(4_000);
    runs[0]!.end();
    await settled();
    void ask('slow');
    void ask('other');
    // Known to take four seconds, so a question behind it would wait too long.
    const behind = createBehind(ask);
    await expect(behind).rejects.toThrow(OverloadedError);
    await expect(behind).rejects.toMatchObject({ retryAfterSeconds: 6 });
    // Another workspace waits only for its own turn.
    let refused = false;
    ask('theirs', 't2').catch(() => (refused = true));
    await settled();
    expect(refused).toBe(false);
  });

  it("lets one page's own questions wait for each other, however many and dear they are", async () => {
    const { ask, runs, pass } = deskWith({ running: 4, waitMs: 5_000, keptMs: 5_000, shortWaitMs: 1_000 });
    const names = Array.from({ length: 20 }, (_unused, at) => `q${at}`);
    for (const load of [1, 2]) {
      const reader = new AbortController().signal;
      const answers = Promise.all(names.map((name) => ask(name, 't1', reader)));
      for (let ended = (load - 1) * 20; ended < load * 20; ended += 4) {
        pass(900);
        for (const run of runs.slice(ended, ended + 4)) run.end(load);
        await settled();
      }
      // Every question runs again: while the service is not under load, no reader gets an answer of an earlier page
      // load.
      expect((await answers).map(({ rows }) => rows)).toEqual(names.map(() => [{ rows: load }]));
    }
  });

  it('lets readers of one workspace take turns, by what their questions cost', async () => {
    const { ask, runs, keys, pass } = deskWith();
    const [page, other] = [new AbortController().signal, new AbortController().signal];
    for (const key of ['p1', 'p2', 'p3', 'p4']) void ask(key, 't1', page);
    for (const key of ['o1', 'o2']) void ask(key, 't1', other);
    for (let at = 0; at < 6; at += 1) {
      pass(100);
      runs[at]!.end();
      await settled();
    }
    expect(keys()).toEqual(['p1', 'p2', 'o1', 'p3', 'o2', 'p4']);
  });

  it('begins a wait no further back than others are, so that one who comes later overtakes no other for ever', async () => {
    const { ask, runs, keys } = deskWith();
    const page = new AbortController().signal;
    for (const key of ['p1', 'p2', 'p3', 'p4']) void ask(key, 't1', page);
    for (let at = 0; at < 8; at += 1) {
      void ask(`late${at}`, 't1', new AbortController().signal);
      runs[at]!.end();
      await settled();
    }
    expect(keys().indexOf('p4')).toBeLessThan(8);
  });

  it('refuses what has waited as long as a wait may be, though it was expected to be short', async () => {
    const { ask, runs, pass, keys, waits } = deskWith({ waitMs: 5_000 });
    const page = new AbortController().signal;
    const first = ask('a', 't1', page);
    const late = ask('b', 't1', page);
    pass(4_999);
    expect(waits()).toBe(1);
    pass(1);
    await expect(late).rejects.toMatchObject({ name: 'OverloadedError', retryAfterSeconds: 1 });
    runs[0]!.end();
    await first;
    await settled();
    expect(keys()).toEqual(['a']);
    // The name can be used again.
    void ask('b', 't1', page);
    expect([keys(), waits()]).toEqual([['a', 'b'], 0]);
  });

  it('ends an execution when its last reader has left, and not before', async () => {
    const { ask, runs } = deskWith();
    const [one, two] = [new AbortController(), new AbortController()];
    const asked = [ask('a', 't1', one.signal), ask('a', 't1', two.signal)];
    one.abort();
    await expect(asked[0]).rejects.toThrow(GoneError);
    expect(runs[0]!.signal.aborted).toBe(false);
    two.abort();
    await expect(asked[1]).rejects.toThrow(GoneError);
    expect(runs[0]!.signal.aborted).toBe(true);
    void ask('a');
    await settled();
    expect(runs).toHaveLength(2);
  });

  it('never runs what no request waits for any more', async () => {
    const { ask, runs, keys } = deskWith();
    void ask('a');
    const leaving = new AbortController();
    const waiting = ask('b', 't1', leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toThrow(GoneError);
    runs[0]!.end();
    await settled();
    expect(keys()).toEqual(['a']);
    await expect(ask('c', 't1', leaving.signal)).rejects.toThrow(GoneError);
  });

  it('gives a kept answer only instead of waiting, and only while it is young', async () => {
    const { ask, runs, keys, pass } = deskWith({ keptMs: 5_000 });
    const first = ask('a');
    runs[0]!.end(1);
    expect((await first).askedAt).toBe(0);
    await settled();
    pass(1_000);
    void ask('a');
    expect(keys()).toEqual(['a', 'a']);
    runs[1]!.end(2);
    await settled();
    void ask('other');
    pass(4_000);
    expect(await ask('a')).toEqual({ rows: [{ rows: 2 }], askedAt: 1_000 });
    pass(1_001);
    void ask('a');
    runs[2]!.end();
    await settled();
    expect(keys()).toEqual(['a', 'a', 'other', 'a']);
  });

  it('forgets what it kept when rows were written', async () => {
    const { desk, ask, runs, keys } = deskWith({ keptMs: 5_000 });
    void ask('a');
    runs[0]!.end(1);
    await settled();
    void ask('other');
    desk.forget();
    void ask('a');
    runs[1]!.end();
    await settled();
    expect(keys()).toEqual(['a', 'other', 'a']);
  });

  it('forgets by table, and does not keep what was asked before a write', async () => {
    const { desk, ask, runs, keys } = deskWith({ keptMs: 5_000, running: 2 });
    void ask('a');
    void ask('b');
    desk.forget('table of a');
    for (const run of runs) run.end(1);
    await settled();
    void ask('busy');
    void ask('busier');
    void ask('a');
    expect(await ask('b')).toEqual({ rows: [{ rows: 1 }], askedAt: 0 });
    runs[2]!.end();
    await settled();
    expect(keys()).toEqual(['a', 'b', 'busy', 'busier', 'a']);
    desk.forget();
    void ask('b');
    runs[3]!.end();
    await settled();
    expect(keys()).toEqual(['a', 'b', 'busy', 'busier', 'a', 'b']);
  });
});

/** Enough questions of one workspace that its next one is too far behind. */
function createBehind(ask: (key: string) => Promise<unknown>): Promise<unknown> {
  for (const key of Array.from({ length: 50 }, (_unused, at) => `more${at}`)) {
    const asked = ask(key);
    asked.catch(() => undefined);
    if (key === 'more49') return asked;
  }
  throw new Error('unreachable');
}
