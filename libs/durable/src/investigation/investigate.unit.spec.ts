/** Stamped at the write, because the trail adds resolutions by their time. */
import { ok, refused, type ExecutorKnowledge } from '@platform/kernel';
import type { Draft } from '@platform/mongo';

import { defineInvestigation, type ResolutionOf } from './investigate';
import type { OutcomeProofs } from './proofs';

import { investigation, open, proofs, type Case, type CasePorts, type OpenCase } from './cases.harness';

describe('the plan of a resolution', () => {
  it.each<[object, string]>([
    [{ id: 'case-9' }, 'There is no such case.'],
    [{ id: 'case-2' }, 'The case is done.'],
    [{ executorStopped: ' too short ' }, '10 to 2000 characters how you know that the executor is stopped'],
    [{ executorStopped: 'x'.repeat(2_001) }, 'The first proof is missing'],
    [{ by: 'ann' }, 'Say who resolves it, by e-mail address (--by).'],
    [{ providerObject: null }, 'The second proof is missing'],
  ])('is refused with %j', async (change, message) => {
    const { ports, standing } = await open();
    const before = standing();
    const planned = await investigation.plan(ports, { ...proofs, ...change });
    expect(planned.ok ? '' : planned.error).toContain(message);
    expect(standing()).toEqual(before);
  });

  it.each([
    [null, 'Its neighbour is gone.'],
    ['forbids it', 'The neighbour forbids it.'],
  ])('is refused by what is judged with it: %s', async (neighbour, message) => {
    const { ports } = await open({ neighbour });
    expect(await investigation.plan(ports, proofs)).toEqual(refused(message));
  });

  it('asks for no object of the provider where nothing was sent, or nothing was applied', async () => {
    const nothing = { ...proofs, providerObject: null };
    const skipped = await open({ calls: [{ skipped: 'no subscription' }] });
    expect((await investigation.plan(skipped.ports, nothing)).ok).toBe(true);
    const { ports } = await open();
    expect((await investigation.plan(ports, { ...nothing, outcome: 'not_applied' })).ok).toBe(true);
  });

  it('says what would be written, and warns of late effects before the record’s own warnings', async () => {
    const { ports, standing } = await open();
    const planned = await investigation.plan(ports, { ...proofs, outcome: 'not_applied' });
    if (!planned.ok) throw new Error(planned.error);
    const { id: _id, ...said } = proofs;
    expect(planned.value).toMatchObject({
      record: standing(),
      beside: 'nothing',
      resolution: {
        ...said,
        outcome: 'not_applied',
        executorStopped: 'its host was reinstalled',
        at: expect.any(Date),
      },
      warnings: [expect.stringContaining('The request may have been sent'), 'Mind nothing.'],
    });
    expect(planned.value.resolution).not.toHaveProperty('id');
    const applied = await investigation.plan(ports, proofs);
    expect(applied.ok && applied.value.warnings).toEqual(['Mind nothing.']);
  });
});

describe('the first proof', () => {
  const answering = (state: ExecutorKnowledge['state']) => async () => [{ state }];
  const byTwo = { override: { reason: 'we know better than the process', approvedBy: 'ben@example.com' } };

  it('is contradicted by an executor that answers that it is at work, also against two people', async () => {
    const { ports, standing } = await open();
    for (const asked of [proofs, { ...proofs, ...byTwo }]) {
      const planned = await investigation.plan({ ...ports, askExecutors: answering('alive') }, asked);
      expect(planned).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^resolution_contradicted: operator-1/),
      });
    }
    expect(standing().status).toBe('stopped');
  });

  it('is contradicted also when the executor answers only at the moment of recording', async () => {
    const { ports, standing } = await open();
    const planned = await investigation.plan({ ...ports, askExecutors: answering('not_proven') }, proofs);
    if (!planned.ok) throw new Error(planned.error);
    const recorded = await investigation.record({ ...ports, askExecutors: answering('alive') }, planned.value);
    expect(recorded).toMatchObject({ ok: false, error: expect.stringContaining('answered just now') });
    expect(standing().status).toBe('stopped');
  });

  it('is kept together with what the executor answered', async () => {
    const { ports, standing } = await open();
    const asking = { ...ports, askExecutors: answering('not_under_way') };
    const planned = await investigation.plan(asking, proofs);
    if (!planned.ok) throw new Error(planned.error);
    await investigation.record(asking, planned.value);
    expect(standing().resolution?.evidence).toEqual({
      readAt: expect.any(Date),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      objects: [],
      statements: [expect.stringContaining('operator-1 (boot-1) answered just now: the work is not under way in it')],
    });
  });
});

describe('the record of a resolution', () => {
  async function planned(world: Awaited<ReturnType<typeof open>>, change: Partial<OutcomeProofs> = {}) {
    const made = await investigation.plan(world.ports, { ...proofs, ...change });
    if (!made.ok) throw new Error(made.error);
    return made.value;
  }

  it.each([
    ['applied', 'done'],
    ['not_applied', 'undone'],
  ] as const)('as %s prepares, writes once and lets the rest follow', async (outcome, status) => {
    const world = await open();
    const plan = await planned(world, { outcome });
    const recorded = await investigation.record(world.ports, plan);
    expect(recorded).toMatchObject({ ok: true, value: { status, resolution: { outcome, by: 'ann@example.com' } } });
    expect(world.ports.log).toEqual(['prepared beside nothing', `followed ${status}`]);
    // A resolution is stamped when it is written, because the trail orders resolutions by that time.
    expect(world.standing().resolution!.at > plan.resolution.at).toBe(true);
  });

  it('is refused when the record has changed since, and changes nothing', async () => {
    const world = await open();
    const plan = await planned(world);
    await world.cases.mutate(world.standing(), { ...world.standing(), calls: [] });
    expect(await investigation.record(world.ports, plan)).toEqual(
      refused('The case has changed since it was read. Read it again and judge it again.'),
    );
    expect(world.standing()).toMatchObject({ status: 'stopped', calls: [] });
    expect(world.ports.log).toEqual(['prepared beside nothing']);
  });

  it('of two people with the same words is written once', async () => {
    const world = await open();
    const [first, second] = [await planned(world), await planned(world)];
    expect((await investigation.record(world.ports, first)).ok).toBe(true);
    expect((await investigation.record(world.ports, second)).ok).toBe(false);
  });

  it('stops where its preparation is refused', async () => {
    const world = await open({ neighbour: 'changes' });
    expect(await investigation.record(world.ports, await planned(world))).toEqual(
      refused('The neighbour has changed.'),
    );
    expect(world.standing().status).toBe('stopped');
  });

  it.each(['before', 'after'] as const)('finds its own write when the answer is lost %s the effect', async (when) => {
    const world = await open();
    const plan = await planned(world);
    world.store.loseNextWrite(when);
    const recorded = await investigation.record(world.ports, plan);
    expect(recorded.ok).toBe(when === 'after');
    if (!recorded.ok) expect(recorded.error).toContain('It is not known whether the resolution was written');
  });

  it('takes over what another process let follow, where the end was decided elsewhere before', async () => {
    const world = await open();
    const plan = await planned(world);
    const following = defineInvestigation({
      noun: 'case',
      missing: '',
      records: ({ cases }: CasePorts) => cases,
      isOpen: (record): record is OpenCase => record.status === 'stopped',
      known: () => '',
      beside: async () => ok('nothing'),
      refusal: (_record, _request: OutcomeProofs) => null,
      prepare: async ({ cases }, { record, resolution }) => {
        await cases.mutate(record, { ...record, status: 'done', resolution });
        return ok(record);
      },
      decidedBefore: true,
      resolve: (_ports, { _id, calls }, resolution: ResolutionOf<OutcomeProofs>): Draft<Case> => ({
        _id,
        calls,
        resolution,
        status: 'done',
      }),
    });
    expect(await following.record(world.ports, plan)).toMatchObject({ ok: true, value: { status: 'done' } });
  });
});
