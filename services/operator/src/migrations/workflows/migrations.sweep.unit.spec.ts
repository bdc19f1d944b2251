/**
 * The crash sweep of plan migrations: every port call of request, capture, items and end meets every fault. Afterwards
 * the instance boots again, stops what it finds, clears, and the caller repeats the request. Two deliberately broken
 * builds prove that the sweep detects violations.
 */
import type { MigrationFacts } from '../domain/migration';
import type { Store } from '@platform/mongo';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { misreadAnswers, providerFaults } from '@platform/payment-provider/testing';
import {
  assertCaught,
  assertNoViolations,
  checkableInvariants,
  checkHistory,
  combineFaults,
  formatSweep,
  formatViolations,
  instrument,
  investigationFaults,
  messagingFaults,
  providerSendFaults,
  runSweep,
  settle,
  storeFaults,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import { unlessAway } from '../../operations/testing/submit-operation';
import {
  bootMigrations,
  createMigrationWorld,
  migrationEvidence,
  request,
  type MigrationLife,
  type MigrationWorld,
} from '../testing/migration-world';
import { finishClearingItems } from './clear-item-transition';
import { closingInvestigation, itemInvestigation } from './resolve-migration';
import { finishClosings } from './skip-never-begun';
import { stopInterruptedMigrations } from './stop-migration';

/** How a deliberately broken build differs. */
interface Mutant {
  readonly ports?: (ports: { readonly store: Store; readonly provider: PaymentProvider }) => {
    readonly store: Store;
    readonly provider: PaymentProvider;
  };
  /** At start, continues unfinished jobs instead of stopping them. */
  readonly takesOver?: boolean;
}

const decided = new Set(['succeeded', 'failed', 'skipped']);

/** Beyond the invariants: the job has ended, every item has an outcome, and no decided item holds a workspace. */
function unfinishedBusiness(world: MigrationWorld): string[] {
  const job: MigrationFacts | undefined = world.migrations()[0];
  const items = world.items();
  return [
    ...(job && !['completed', 'reconciliation_required', 'refused', 'pending'].includes(job.status)
      ? [`the job is still ${job.status}`]
      : []),
    ...items.filter(({ status }) => status === 'running').map(({ _id }) => `${_id} is still running`),
    ...items
      .filter(
        ({ tenantId, status, _id }) =>
          decided.has(status) && world.subscription(tenantId).transition?.operationId === _id,
      )
      .map(({ _id, status }) => `${_id} is ${status}, and its transition still remains`),
    ...items

      .filter(
        ({ status, tenantId, resolution }) =>
          status === 'succeeded' && !resolution && world.subscription(tenantId).planId !== 'pro',
      )
      .map(({ _id }) => `${_id} succeeded, and its mirror shows another plan`),
    ...(world.subscription('ws-late')?.planId === 'pro'
      ? ['a workspace that arrived after the capture was migrated']
      : []),
    ...(job?.status === 'completed' && items.some(({ status }) => !decided.has(status))
      ? ['the job is completed, and an item is not']
      : []),
    ...(job?.captured && job.captured.count !== items.length
      ? [`${job.captured.count} workspaces were captured, ${items.length} are in the list`]
      : []),
  ];
}

function scenario(mutant: Mutant = {}): Scenario<MigrationWorld, MigrationLife> {
  return {
    name: 'plan migration',
    createWorld: () => createMigrationWorld(3, { 2: { status: 'past_due' } }),
    boot: async (world, { tape, incarnation }) => {
      const honest = {
        store: instrument('store', world.watched, tape),
        provider: instrument('provider', world.provider as PaymentProvider, tape),
      };
      const life = bootMigrations(world, incarnation, {
        ...(mutant.ports?.(honest) ?? honest),
        broker: instrument('messaging', world.broker, tape),
      });
      if (incarnation > 1) await (mutant.takesOver ? unlessAway(takeOver(life)) : unlessAway(startUp(life)));
      return life;
    },
    act: async (life, world) => {
      await unlessAway(life.submit());
      await settle();
      const job: MigrationFacts | undefined = world.migrations()[0];
      if (job?.captured) await world.arrive('ws-late');
    },
    recover: async (life) => {
      await unlessAway(startUp(life));
      await unlessAway(life.sweepOutbox());
      await unlessAway(life.submit());
      await settle();
      await unlessAway(startUp(life));
      await unlessAway(life.sweepOutbox());
      await settle();
    },
    check: (world) => [...formatViolations(checkHistory(migrationEvidence(world))), ...unfinishedBusiness(world)],
    faultsFor: combineFaults(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
      messagingFaults({ port: 'messaging' }),
      providerSendFaults<MigrationWorld, (typeof providerFaults)[number]['kind']>({
        port: 'provider',
        kinds: providerFaults.map(({ kind }) => kind),
        arm: (world, kind) => world.provider.failNext(kind),
      }),
      investigationFaults({ record: recordEnds }),
    ),
  };
}

/**
 * Another replica considers the executor ended and stops the job; an investigator resolves the stopped items, and
 * closes the job. True, because the start before it changes records.
 */
async function recordEnds(world: MigrationWorld, outcome: 'applied' | 'not_applied'): Promise<boolean> {
  const life = bootMigrations(world, 90);
  const proofs = { executorStopped: 'its host was reinstalled, as far as we know', by: 'ops@example.com' };
  await startUp(life);
  for (const { _id } of world.items()) {
    const providerObject = outcome === 'applied' ? 'sub_of_another' : null;
    const planned = await itemInvestigation.plan(life.ports, { ...proofs, id: _id, outcome, providerObject });
    if (planned.ok) await itemInvestigation.record(life.ports, planned.value);
  }
  const closing = await closingInvestigation.plan(life.ports, { ...proofs, id: request.migrationId });
  if (closing.ok) await closingInvestigation.record(life.ports, closing.value);
  return true;
}

async function startUp({ ports }: MigrationLife): Promise<void> {
  await stopInterruptedMigrations(ports, async (incarnation) =>
    incarnation === ports.executor.incarnation ? 'open' : 'superseded',
  );
  await finishClearingItems(ports);
  await finishClosings(ports);
}

/** What a durable-workflow engine would do: run the items under way again. */
async function takeOver({ ports }: MigrationLife): Promise<void> {
  for (const item of await ports.items.find(
    { migrationId: request.migrationId, status: 'running' },
    { sort: { ordinal: 1, _id: 1 }, limit: 10 },
  )) {
    const { subscriptionId = '', itemId = '' } = (await ports.subscriptions.findById(item.tenantId))!.provider;
    await ports.provider
      .prepare(
        { operationId: request.migrationId },
        { step: 'change_plan', tenantId: `${item.tenantId}:again`, subscriptionId, itemId, priceId: 'price_pro' },
      )
      .send();
  }
}

// Each test makes hundreds of runs; their duration is not checked.

describe('the crash sweep of plan migrations', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it('can judge the invariants that its evidence is about', async () => {
    expect(checkableInvariants(migrationEvidence(await createMigrationWorld(1)))).toEqual(
      expect.arrayContaining(['I1', 'I2', 'I3', 'I4', 'I6', 'I7', 'I9']),
    );
  });

  it('finds no violation, whatever fails wherever', async () => {
    const result = await runSweep(scenario(), { pairs: { seed: 5, sample: { lean: 10, full: 300 } } });
    results.push(result);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(20);
  });

  it('notices a build that takes an unknown answer for a failure', async () => {
    const credulous: Mutant = {
      ports: ({ store, provider }) => ({
        store,
        provider: Object.assign(Object.create(provider) as PaymentProvider, {
          prepare: misreadAnswers(provider, 'change_plan', (answer) =>
            answer.outcome === 'unknown'
              ? { outcome: 'failed', code: 'provider_unavailable', message: answer.reason, evidence: answer.evidence }
              : answer,
          ),
        }),
      }),
    };
    await assertCaught(scenario(credulous), /I4 .* recorded as failed/);
  });

  it('notices a build that executes again what it finds under way', async () => {
    await assertCaught(scenario({ takesOver: true }), /I1 .*no durable intent|I2 .*2 effects/);
  });
});
