/**
 * Seeded random histories of plan migrations: several instances and lanes, two jobs that want the same workspaces,
 * actions of owners in between, crashes, lost answers, and executors that are stopped while they run and resume late.
 * `SIM_SEED` and `SIM_RUNS` play others, or replay one that failed.
 */
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import {
  checkHistory,
  combineFaults,
  formatHistories,
  formatViolations,
  instrument,
  messagingFaults,
  providerSendFaults,
  runHistories,
  storeFaults,
  type HistoryScenario,
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
import { stopInterruptedMigrations } from './stop-migration';

const second = { ...request, migrationId: 'mig-00000002' };

/** Every other incarnation counts as ended, even one that runs: fences must hold when the evidence is wrong. */
const stopAll = async (life: MigrationLife): Promise<void> => {
  for (const instance of ['operator-1', 'operator-2']) {
    const executor = { ...life.ports.executor, instance };
    await stopInterruptedMigrations({ ...life.ports, executor }, async () => 'superseded');
  }
};

const scenario: HistoryScenario<MigrationWorld, MigrationLife> = {
  name: 'plan migrations',
  createWorld: () => createMigrationWorld(6, { 3: { status: 'past_due' } }),
  boot: (world, { tape, incarnation }) =>
    bootMigrations(world, incarnation, {
      instance: `operator-${(incarnation % 2) + 1}`,
      lanes: 2,
      store: instrument('store', world.watched, tape),
      provider: instrument('provider', world.provider as PaymentProvider, tape),
      broker: instrument('messaging', world.broker, tape),
    }),
  actions: [
    { name: 'migrate', run: (life) => unlessAway(life.submit()) },
    { name: 'migrate again', run: (life) => unlessAway(life.submit(second)) },
    { name: 'stop what is interrupted', run: (life) => unlessAway(stopAll(life)) },
    { name: 'clear', run: (life) => unlessAway(finishClearingItems(life.ports)) },
    { name: 'sweep', run: (life) => unlessAway(life.sweepOutbox()) },
    { name: 'rename a workspace', run: (life, world, random) => unlessAway(rename(life, random.pick(world.tenants))) },
    { name: 'a workspace arrives', run: (_life, world) => world.arrive(`ws-late-${world.subscriptions().length}`) },
  ],
  recover: async (life) => {
    for (let round = 0; round < 2; round += 1) {
      await stopAll(life);
      await finishClearingItems(life.ports);
      await life.submit();
      await life.submit(second);
      await life.sweepOutbox();
    }
  },
  check: (world) => [...formatViolations(checkHistory(migrationEvidence(world))), ...leftOver(world)],
  faultsFor: combineFaults(
    storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
    messagingFaults({ port: 'messaging' }),
    providerSendFaults<MigrationWorld, (typeof providerFaults)[number]['kind']>({
      port: 'provider',
      kinds: providerFaults.map(({ kind }) => kind),
      arm: (world, kind) => world.provider.failNext(kind),
    }),
  ),
};

async function rename({ ports: { subscriptions } }: MigrationLife, tenantId: string): Promise<void> {
  const standing = await subscriptions.findById(tenantId);
  if (standing && !standing.transition)
    await subscriptions.mutate(standing, { ...standing, workspaceName: `${standing.workspaceName}.` });
}

/** After every job was stopped or ended, nothing is under way, and no decided item holds a workspace. */
function leftOver(world: MigrationWorld): string[] {
  const decided = new Set(['succeeded', 'failed', 'skipped']);
  return world
    .items()
    .flatMap(({ _id, tenantId, status }) => [
      ...(status === 'running' ? [`${_id} is still running`] : []),
      ...(decided.has(status) && world.subscription(tenantId).transition?.operationId === _id
        ? [`${_id} is ${status}, and its transition still remains`]
        : []),
    ]);
}

describe('random histories of plan migrations', () => {
  it('keep the invariants through faults, crashes and zombies', async () => {
    const { SIM_SEED = '1', SIM_RUNS = '60' } = process.env;
    const result = await runHistories(scenario, { seed: Number(SIM_SEED), runs: Number(SIM_RUNS), actions: 10 });
    process.stdout.write(`${formatHistories(result)}\n`);
    expect(result.violations).toEqual([]);
  }, 1_200_000);
});
