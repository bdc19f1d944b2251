/** What people do around a migration: the dry run before it, its pages while it runs, and the recorded ends of investigations. */
import {
  bootMigrations,
  createMigrationWorld,
  migrationEvidence,
  request,
  type MigrationWorld,
} from '../testing/migration-world';
import { checkHistory, formatViolations } from '@platform/testing';
import { prepareMigration, type DryRun } from './prepare-migration';
import { readMigration } from './read-migration';
import { closingInvestigation, itemInvestigation } from './resolve-migration';
import { stopInterruptedMigrations } from './stop-migration';

async function dryRun(
  world: MigrationWorld,
  page: { cursor?: string; limit: number } = { limit: 50 },
): Promise<DryRun> {
  const prepared = await prepareMigration(bootMigrations(world, 1).ports, 'starter', 'pro', page);
  if (prepared.kind !== 'prepared') throw new Error(prepared.kind);
  return prepared.dryRun;
}

describe('a dry run', () => {
  it('counts, previews each workspace at the provider, and names those that need a person', async () => {
    const world = await createMigrationWorld(4, {
      2: { status: 'past_due' },
      4: { provider: { customerId: 'cus_ws-004' } },
    });
    const prepared = await dryRun(world);
    expect(prepared).toMatchObject({
      count: 4,
      target: { planId: 'pro', amountCents: 4_900 },
      needPerson: [
        { reason: 'past_due', count: 1, tenantIds: ['ws-002'] },
        { reason: 'no_provider_subscription', count: 1, tenantIds: ['ws-004'] },
      ],
      workspaces: [
        { preview: { outcome: 'succeeded', value: { total: 3_000, amountDue: 3_000, currency: 'usd' } } },
        { preview: null, reason: 'past_due' },
        { preview: { value: { total: 3_000 } } },
        { preview: null },
      ],
    });
    expect(world.migrations()).toEqual([]);
    expect(world.provider.sends()).toEqual([]);
  });

  it('is walked in pages that share one digest', async () => {
    const world = await createMigrationWorld(7);
    const seen: string[] = [];
    const digests = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await dryRun(world, { limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.workspaces.map(({ subscription }) => subscription._id));
      digests.add(page.digest);
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(world.tenants);
    expect(digests.size).toBe(1);
    expect(
      await prepareMigration(bootMigrations(world, 1).ports, 'starter', 'pro', { limit: 3, cursor: 'nonsense' }),
    ).toEqual({ kind: 'bad_cursor' });
  });

  it('says when the provider does not answer instead of guessing money', async () => {
    const world = await createMigrationWorld(1);
    world.provider.setDown(true);
    expect((await dryRun(world)).workspaces).toMatchObject([{ preview: { outcome: 'unknown' } }]);
  });

  it('binds an execution: the same list is migrated, a captured revision that moved is refused', async () => {
    const world = await createMigrationWorld(3);
    const { digest } = await dryRun(world);
    const { submit, ports } = bootMigrations(world, 1);
    const [subscription] = world.subscriptions();
    await ports.subscriptions.mutate(subscription!, { ...subscription!, workspaceName: 'renamed' });
    expect(await submit({ ...request, digest })).toMatchObject({ kind: 'refused', code: 'dry_run_outdated' });
    const fresh = await dryRun(world);
    expect(fresh.digest).not.toBe(digest);
    expect(await submit({ ...request, digest: fresh.digest })).toMatchObject({ kind: 'accepted' });
    expect(world.migrations()).toMatchObject([
      { status: 'completed', captured: { digest: fresh.digest }, tally: { succeeded: 3 } },
    ]);
  });

  it('binds it also against changes between the request and the capture: nothing is executed', async () => {
    const world = await createMigrationWorld(3);
    const { digest } = await dryRun(world);
    const honest = bootMigrations(world, 1).ports;
    const migrations = Object.assign(Object.create(honest.migrations) as typeof honest.migrations, {
      mutate: async (...args: Parameters<typeof honest.migrations.mutate>) => {
        if (args[1].status === 'capturing') await world.arrive('ws-000');
        return honest.migrations.mutate(...args);
      },
    });
    const { submit } = bootMigrations(world, 1, { ports: { migrations } });
    await submit({ ...request, digest });
    expect(world.migrations()).toMatchObject([
      { status: 'refused', error: { code: 'dry_run_outdated' }, captured: { count: 4 } },
    ]);
    expect(world.provider.sends()).toEqual([]);
    expect(world.items().every(({ status }) => status === 'pending')).toBe(true);
    expect(await submit({ ...request, digest })).toMatchObject({ kind: 'refused', code: 'dry_run_outdated' });
  });
});

describe('the outcomes of a migration', () => {
  it('are read in pages in the order of the list, or by status', async () => {
    const world = await createMigrationWorld(7, { 3: { status: 'past_due' } });
    const { submit, ports } = bootMigrations(world, 1);
    await submit();
    const reads = {
      ...ports,
      askExecutors: async (questions: readonly unknown[]) => questions.map(() => ({ state: 'alive' as const })),
    };
    const first = await readMigration(reads, request.migrationId, { limit: 4 });
    if (!first || first === 'bad_cursor') throw new Error('no page');
    const second = await readMigration(reads, request.migrationId, { limit: 4, cursor: first.nextCursor! });
    expect(
      [first, second].flatMap((page) =>
        page && page !== 'bad_cursor' ? page.outcomes.map(({ tenantId }) => tenantId) : [],
      ),
    ).toEqual(world.tenants);
    expect(await readMigration(reads, request.migrationId, { limit: 4, status: 'skipped' })).toMatchObject({
      outcomes: [{ tenantId: 'ws-003' }],
    });
    expect(await readMigration(reads, request.migrationId, { limit: 4, cursor: 'nonsense' })).toBe('bad_cursor');
    expect(await readMigration(reads, 'mig-nowhere-1', { limit: 4 })).toBeNull();
  });
});

const proofs = { executorStopped: 'the process list of its host was read', by: 'ops@example.com' };

describe('the investigation of a workspace', () => {
  async function stopped(kind: 'lost_answer_after_effect' | 'lost_answer_before_effect') {
    const world = await createMigrationWorld(2);
    world.provider.failNext(kind);
    const { submit, ports, sweepOutbox } = bootMigrations(world, 1);
    await submit();
    await sweepOutbox();
    return { world, ports, itemId: 'mig-00000001:ws-001' };
  }

  it('that was applied ends it as a success, mirrors the plan and frees the workspace, and sends nothing', async () => {
    const { world, ports, itemId } = await stopped('lost_answer_after_effect');
    const planned = await itemInvestigation.plan(ports, {
      id: itemId,
      outcome: 'applied',
      providerObject: 'sub_ws-001',
      ...proofs,
    });
    if (!planned.ok) throw new Error(planned.error);
    expect(await itemInvestigation.record(ports, planned.value)).toMatchObject({
      ok: true,
      value: { status: 'succeeded', resolution: { by: 'ops@example.com' } },
    });
    expect(world.subscription('ws-001')).toMatchObject({ planId: 'pro' });
    expect(world.subscription('ws-001')).not.toHaveProperty('transition');
    expect(world.migrations()[0]).toMatchObject({
      status: 'reconciliation_required',
      tally: { succeeded: 2, reconciliation_required: 0 },
    });
    expect(world.provider.sends()).toHaveLength(2);
    expect(
      await itemInvestigation.plan(ports, { id: itemId, outcome: 'applied', providerObject: 'sub_ws-001', ...proofs }),
    ).toMatchObject({ ok: false, error: expect.stringContaining('nothing to resolve') });
  });

  it('that was not applied ends it as a failure and leaves the plan', async () => {
    const { world, ports, itemId } = await stopped('lost_answer_before_effect');
    const notApplied = { id: itemId, outcome: 'not_applied' as const, providerObject: null, ...proofs };
    expect(await itemInvestigation.plan(ports, notApplied)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^late_effect_possible: /),
    });
    world.clock.advance(600_000);
    const planned = await itemInvestigation.plan(ports, notApplied);
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.warnings.join()).toContain('late');
    await itemInvestigation.record(ports, planned.value);
    expect(world.items()[0]).toMatchObject({ status: 'failed', error: { code: 'resolved_not_applied' } });
    expect(world.subscription('ws-001')).toMatchObject({ planId: 'starter' });
    expect(world.subscription('ws-001')).not.toHaveProperty('transition');
  });

  it.each([
    ['without the first proof', { executorStopped: 'gone' }, 'first proof'],
    ['without a name', { by: 'a person' }, 'e-mail'],
    ['that claims success without an object', { providerObject: null }, 'second proof'],
    ['with the object of another workspace', { providerObject: 'sub_ws-002' }, 'belongs to the customer cus_ws-002'],
    ['with an object that does not exist', { providerObject: 'sub_ws-999' }, 'sub_ws-999 does not exist'],
    [
      'as not applied while the provider shows it',
      { outcome: 'not_applied' as const, providerObject: null },
      'resolution_contradicted: ',
    ],
    ['of an item that does not exist', { id: 'mig-00000001:unknown' }, 'no such item'],
    ['of an item whose outcome is known', { id: 'mig-00000001:ws-002' }, 'nothing to resolve'],
  ])('%s is refused', async (_what, change, message) => {
    const { ports, itemId } = await stopped('lost_answer_after_effect');
    expect(
      await itemInvestigation.plan(ports, {
        id: itemId,
        outcome: 'applied',
        providerObject: 'sub_ws-001',
        ...proofs,
        ...change,
      }),
    ).toMatchObject({ ok: false, error: expect.stringContaining(message) });
  });

  it('that two people end at the same time is written once', async () => {
    const { ports, itemId } = await stopped('lost_answer_after_effect');
    const planned = await Promise.all(
      ['ann@example.com', 'bob@example.com'].map((by) =>
        itemInvestigation.plan(ports, {
          id: itemId,
          outcome: 'applied',
          providerObject: 'sub_ws-001',
          ...proofs,
          by,
        }),
      ),
    );
    const recorded = await Promise.all(
      planned.map((each) =>
        each.ok ? itemInvestigation.record(ports, each.value) : Promise.reject(new Error(each.error)),
      ),
    );
    expect(recorded.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('of the whole job gives every workspace that was never begun its outcome, and another job may migrate them', async () => {
    const world = await createMigrationWorld(40);
    const acquire = async () => (world.provider.sends().length < 5 ? undefined : new Promise<never>(() => {}));
    void bootMigrations(world, 1, {
      ports: { governor: { acquire, liveCall() {}, answered() {}, close() {} } },
    }).submit();
    while (world.items().filter(({ status }) => status === 'succeeded').length < 5)
      await new Promise((resolve) => setImmediate(resolve));
    const next = bootMigrations(world, 2);
    await stopInterruptedMigrations(next.ports, async () => 'superseded');
    await next.sweepOutbox();
    const planned = await closingInvestigation.plan(next.ports, { id: request.migrationId, ...proofs });
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.beside.neverBegun).toBe(35);
    expect(await closingInvestigation.record(next.ports, planned.value)).toMatchObject({
      ok: true,
      value: { status: 'completed', tally: { succeeded: 5, skipped: 35 }, resolution: proofs },
    });
    await next.submit({ ...request, migrationId: 'mig-00000002' });
    expect(world.subscriptions().every(({ planId }) => planId === 'pro')).toBe(true);
    expect(world.provider.ledger()).toHaveLength(40);
    expect(formatViolations(checkHistory(migrationEvidence(world)))).toEqual([]);
  });

  it('of the whole job is refused while a workspace is unresolved, and for one that has not stopped', async () => {
    const { ports } = await stopped('lost_answer_after_effect');
    expect(await closingInvestigation.plan(ports, { id: request.migrationId, ...proofs })).toMatchObject({
      ok: false,
      error: expect.stringContaining('The outcome of 1 workspace is not known yet'),
    });
    const world = await createMigrationWorld(1);
    const { submit, ports: others } = bootMigrations(world, 1);
    await submit();
    expect(await closingInvestigation.plan(others, { id: request.migrationId, ...proofs })).toMatchObject({
      ok: false,
      error: expect.stringContaining('completed'),
    });
  });
});
