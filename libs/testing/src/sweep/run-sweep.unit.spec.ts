import { assertCaught } from './assert-caught';
import { combineFaults, investigationFaults, messagingFaults, storeFaults, type FaultTable } from './fault-tables';
import { isFullProof } from '../proof';
import { instrument } from './instrument';
import type { Scenario } from './life';
import { assertNoViolations, formatSweep } from './report';
import { runSweep } from './run-sweep';

class Away extends Error {}

type Note = { readonly status: 'intended' | 'done' | 'stopped'; readonly revision: number };
type Written = { readonly outcome: 'applied' | 'not_applied' | 'unknown' };

/** A store with one kind of record and an outside world that counts its effects. */
function createToyWorld() {
  const notes = new Map<string, Note>();
  const charged: string[] = [];
  const intendedAtCharge: boolean[] = [];
  return {
    notes,
    charged,
    intendedAtCharge,
    store: {
      collection: (_declaration: { readonly name: string }) => ({
        findById: async (id: string): Promise<Note | null> => notes.get(id) ?? null,
        insert: async (id: string): Promise<Written> => {
          if (notes.has(id)) return { outcome: 'not_applied' };
          notes.set(id, { status: 'intended', revision: 1 });
          return { outcome: 'applied' };
        },
        mutate: async (id: string, current: Note, status: Note['status']): Promise<Written> => {
          if (notes.get(id)?.revision !== current.revision) return { outcome: 'not_applied' };
          notes.set(id, { status, revision: current.revision + 1 });
          return { outcome: 'applied' };
        },
      }),
    },
    charger: {
      prepare: (id: string) => ({
        key: id,
        send: async (): Promise<'charged'> => {
          intendedAtCharge.push(notes.has(id));
          charged.push(id);
          return 'charged';
        },
      }),
    },
  };
}

type World = ReturnType<typeof createToyWorld>;
type Life = { readonly charge: (id: string) => Promise<void>; readonly restart: (id: string) => Promise<void> };

interface Laws {
  readonly intentFirst: boolean;
  readonly interruptedStops: boolean;
}

function boot(world: World, laws: Laws, tape: Parameters<typeof instrument>[2]): Life {
  const store = instrument('store', world.store, tape);
  const charger = instrument('charger', world.charger, tape);
  const notes = store.collection({ name: 'notes' });
  const finish = async (id: string) => {
    const note = await notes.findById(id);
    if (note) await notes.mutate(id, note, 'done');
  };
  return {
    charge: async (id) => {
      if (!laws.intentFirst) await charger.prepare(id).send();
      const inserted = await notes.insert(id);
      if (inserted.outcome !== 'applied') return;
      if (laws.intentFirst) await charger.prepare(id).send();
      await finish(id);
    },
    restart: async (id) => {
      const note = await notes.findById(id);
      if (note?.status !== 'intended') return;
      if (laws.interruptedStops) await notes.mutate(id, note, 'stopped');
      else {
        await charger.prepare(id).send();
        await finish(id);
      }
    },
  };
}

const faultsFor: FaultTable<World> = combineFaults(
  storeFaults({ port: 'store', unavailable: () => new Away('store') }),
  messagingFaults({ port: 'messaging' }),
);

function scenario(laws: Laws): Scenario<World, Life> {
  return {
    name: 'toy',
    createWorld: createToyWorld,
    boot: (world, { tape }) => boot(world, laws, tape),
    act: (life) =>
      life.charge('a').catch((error: unknown) => {
        if (!(error instanceof Away)) throw error;
      }),
    recover: async (life) => {
      await life.restart('a').catch((error: unknown) => {
        if (!(error instanceof Away)) throw error;
      });
    },
    check: (world) => [
      ...(world.charged.length > 1 ? [`charged ${world.charged.length} times`] : []),
      ...(world.intendedAtCharge.includes(false) ? ['charged without a durable intent'] : []),
    ],
    faultsFor,
  };
}

const lawful: Laws = { intentFirst: true, interruptedStops: true };

describe('the crash sweep', () => {
  it('numbers the asynchronous calls of ports, of built collections and of prepared calls', async () => {
    const result = await runSweep(scenario(lawful));
    expect(result.calls.map((call) => call.name)).toEqual([
      'store.collection(notes).insert',
      'charger.prepare(a).send',
      'store.collection(notes).findById',
      'store.collection(notes).mutate',
    ]);
    expect(result.perPort).toEqual({ store: { calls: 3, runs: 4 + 3 + 5 }, charger: { calls: 1, runs: 2 } });
  });

  it('passes a workflow that keeps the laws, for every fault at every call and for pairs', async () => {
    const result = await runSweep(scenario(lawful), { pairs: { seed: 1, sample: { lean: 100, full: 100 } } });
    assertNoViolations(result);
    expect(result.runs).toBe(1 + result.singles + result.pairs);
    expect(result.pairs).toBeGreaterThan(20);
  });

  it('finds an effect before its intent', async () => {
    const result = await runSweep(scenario({ ...lawful, intentFirst: false }));
    expect(result.violations.map((violation) => violation.messages)).toContainEqual([
      'charged without a durable intent',
    ]);
  });

  it('finds an interrupted step that is replayed at restart, and names the fault that shows it', async () => {
    const result = await runSweep(scenario({ ...lawful, interruptedStops: false }));
    expect(result.violations.map(({ call, fault }) => `${fault} ${call}`)).toContain(
      'crash_after charger.prepare(a).send',
    );
    expect(() => assertNoViolations(result)).toThrow('charged 2 times');
    expect(formatSweep([result])).toContain('replay: runSweep(scenario, { only: {"k":2,"fault":"crash_after"} })');
  });

  it('ends at the violation that a broken build is asked for, and says so', async () => {
    const broken = scenario({ ...lawful, interruptedStops: false });
    const result = await runSweep(broken, { stopAt: /charged 2 times/ });
    expect(result.violations.at(-1)).toMatchObject({ k: 2, fault: 'crash_after', messages: ['charged 2 times'] });
    expect(result.singles).toBeLessThan((await runSweep(broken)).singles);
    expect(formatSweep([result])).toContain('ended at the violation that was looked for');
  });

  it('takes no other violation for the one that a broken build is asked for', async () => {
    await assertCaught(scenario({ ...lawful, intentFirst: false }), /without a durable intent/);
    await expect(assertCaught(scenario({ ...lawful, intentFirst: false }), /another law/)).rejects.toThrow(
      'finds no violation like /another law/',
    );
    await expect(assertCaught(scenario(lawful), /charged/)).rejects.toThrow('finds no violation like /charged/');
  });

  it('says how many of how many pairs were run, and what the full form runs', async () => {
    const pairs = { seed: 1, sample: { lean: 3, full: 5 } };
    const [played, form] = isFullProof() ? ['pairs 5', ''] : ['pairs 3', ' (lean; npm run proof plays 5)'];
    const result = await runSweep(scenario(lawful), { pairs });
    expect(formatSweep([result])).toContain(`${played} of ${result.pairsPossible}${form}`);
  });

  it('ends a history at a fault that changed nothing, because that is the run without faults; in full it goes on', async () => {
    let checked = 0;
    const asked = (): Scenario<World, Life> => ({
      ...scenario(lawful),
      check: (world) => {
        checked += 1;
        return scenario(lawful).check(world);
      },
      faultsFor: combineFaults(
        faultsFor,
        investigationFaults<World>({ record: async (world) => world.charged.length > 0 }),
      ),
    });
    const result = await runSweep(asked(), { pairs: { seed: 1, sample: { lean: 0, full: 0 } } });
    assertNoViolations(result);
    // Nothing is charged before the first two of four calls, and an investigator finds nothing there.
    const idle = isFullProof() ? 0 : 4;
    expect(result).toMatchObject({ singles: 22, unchanged: idle });
    expect(checked).toBe(result.runs - idle);
    expect(formatSweep([result]).includes('faults that changed nothing: 4')).toBe(idle > 0);
    const { pairsPossible } = await runSweep(
      { ...asked(), faultsFor: combineFaults(faultsFor, investigationFaults<World>({ record: async () => true })) },
      { pairs: { seed: 1, sample: { lean: 0, full: 0 } } },
    );
    expect(result.pairsPossible).toBe(pairsPossible);
    checked = 0;
    await runSweep(asked(), { only: { k: 1, fault: 'resolved_applied' } });
    expect(checked).toBe(2);
  });

  it('finds with pairs what single faults cannot show', async () => {
    const forgetful: Scenario<World, Life> = {
      ...scenario(lawful),
      boot: (world, context) => {
        const life = boot(world, lawful, context.tape);
        const careless = boot(world, { ...lawful, interruptedStops: false }, context.tape);
        return { ...life, restart: context.incarnation === 3 ? careless.restart : life.restart };
      },
    };
    assertNoViolations(await runSweep(forgetful));
    const result = await runSweep(forgetful, { pairs: { seed: 1, sample: { lean: 10_000, full: 10_000 } } });
    expect(result.violations.length).toBeGreaterThan(0);
    expect(result.violations.every((violation) => violation.second !== undefined)).toBe(true);
    const { k, fault, second } = result.violations[0]!;
    const replayed = await runSweep(forgetful, { only: { k, fault, second: { k: second!.k, fault: second!.fault } } });
    expect(replayed.violations).toEqual([result.violations[0]]);
  });

  it('reports an error that a living process lets escape, and none of a dead one', async () => {
    const loud: Scenario<World, Life> = { ...scenario(lawful), act: (life) => life.charge('a') };
    const result = await runSweep(loud);
    expect(result.violations).toEqual([
      {
        k: 3,
        call: 'store.collection(notes).findById',
        fault: 'unavailable',
        messages: ['act of life 1 threw Error: store'],
      },
    ]);
  });

  it('reports a scenario that does not repeat', async () => {
    let runs = 0;
    const unsteady: Scenario<World, Life> = {
      ...scenario(lawful),
      act: (life) => ((runs += 1) === 1 ? life.charge('a') : Promise.resolve()),
    };
    const result = await runSweep(unsteady);
    expect(result.violations[0]!.messages[0]).toBe(
      'the scenario does not repeat: call 1 store.collection(notes).insert was not reached',
    );
  });

  it('reports a life that hangs', async () => {
    const stuck: Scenario<World, Life> = { ...scenario(lawful), act: () => new Promise(() => undefined) };
    const result = await runSweep(stuck, { deadlineMs: 20 });
    expect(result.violations[0]!.messages).toEqual([
      'act of life 1 threw Error: act of life 1 did not finish within 20 ms',
    ]);
  });
});
