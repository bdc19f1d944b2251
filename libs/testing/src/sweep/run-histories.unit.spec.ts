import { instrument } from './instrument';
import type { HistoryScenario } from './history-scenario';
import { formatHistories, runHistories } from './run-histories';

interface Account {
  readonly paid: number;
  readonly revision: number;
}

/** A payer that admits by a compare-and-set before it pays; the careless variant reads, pays, and writes. */
function scenario(fenced: boolean): HistoryScenario<ReturnType<typeof createWorld>, ReturnType<typeof createPayer>> {
  return {
    name: fenced ? 'fenced' : 'careless',
    createWorld,
    boot: (world, { tape }) =>
      createPayer(instrument('store', world.store, tape), instrument('bank', world.bank, tape), fenced),
    actions: [{ name: 'pay', run: (payer) => payer.pay() }],
    recover: async () => undefined,
    check: (world) => (world.payments.length > 1 ? [`paid ${world.payments.length} times`] : []),
    faultsFor: (call) =>
      call.name === 'store.swap' ? [{ name: 'lost_race', answer: () => Promise.resolve(false) }] : [],
  };
}

function createWorld() {
  let account: Account = { paid: 0, revision: 1 };
  const payments: string[] = [];
  return {
    payments,
    store: {
      read: async () => account,
      swap: async (expected: number, paid: number) => {
        if (account.revision !== expected) return false;
        account = { paid, revision: expected + 1 };
        return true;
      },
    },
    bank: { pay: async () => void payments.push('payment') },
  };
}

function createPayer(
  store: ReturnType<typeof createWorld>['store'],
  bank: ReturnType<typeof createWorld>['bank'],
  fenced: boolean,
) {
  return {
    pay: async () => {
      const account = await store.read();
      if (account.paid > 0) return;
      if (fenced && !(await store.swap(account.revision, 1))) return;
      await bank.pay();
      if (!fenced) await store.swap(account.revision, 1);
    },
  };
}

const options = { seed: 1, runs: 150, chances: { crash: 0.05, fault: 0.05, freeze: 0.05 } };

describe('seeded random histories', () => {
  it('pass a workflow that admits by a fenced write, through crashes, faults and zombies', async () => {
    const result = await runHistories(scenario(true), options);
    expect(result.violations).toEqual([]);
    for (const count of [result.crashes, result.faults, result.zombies]) expect(count).toBeGreaterThan(10);
    expect(formatHistories(result)).toMatch(/^fenced: 150 histories, \d+ port calls, .* 0 violations$/);
  });

  it('find the interleaving that breaks a careless one, and replay it by its seed alone', async () => {
    const result = await runHistories(scenario(false), options);
    expect(result.violations.length).toBeGreaterThan(10);
    const last = result.violations.at(-1)!;
    const replayed = await runHistories(scenario(false), { ...options, seed: last.seed, runs: 1 });
    expect(replayed.violations).toEqual([last]);
    expect(formatHistories(replayed)).toContain(
      `replay: runHistories(scenario, {"seed":${last.seed},"runs":1,"actions":8,`,
    );
  });

  it('let a zombie wake after its successor has worked', async () => {
    const zombiesOnly = await runHistories(scenario(false), {
      seed: 1,
      runs: 100,
      actions: 3,
      instances: 1,
      chances: { crash: 0, fault: 0, freeze: 0.2 },
    });
    expect(zombiesOnly.crashes).toBe(0);
    expect(zombiesOnly.violations.length).toBeGreaterThan(0);
  });

  it('report an error that escapes a living life, and a request that is never answered', async () => {
    const turning = (
      then: () => Promise<void>,
    ): HistoryScenario<ReturnType<typeof createWorld>, ReturnType<typeof createPayer>> => {
      let learning = true;
      const recover = async () => {
        learning = false;
      };
      return {
        ...scenario(true),
        recover,
        actions: [{ name: 'turn', run: (payer) => (learning ? payer.pay() : then()) }],
      };
    };
    const calm = { seed: 1, runs: 1, actions: 2, chances: { crash: 0, fault: 0, freeze: 0 } };
    const loud = await runHistories(
      turning(() => Promise.reject(new Error('loud'))),
      calm,
    );
    expect(loud.violations[0]!.messages).toEqual(['turn threw Error: loud', 'turn threw Error: loud']);
    const stalled = await runHistories(
      turning(() => new Promise(() => undefined)),
      calm,
    );
    expect(stalled.violations[0]!.messages).toEqual(['2 requests were never answered']);
  });
});
