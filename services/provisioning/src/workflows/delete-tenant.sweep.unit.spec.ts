/**
 * The crash sweep of a deletion: every port call meets every fault. Afterwards the service boots again and the gateway
 * repeats its request until nothing changes any more. Either every listener was called exactly once and the end was
 * announced, or the deletion is stopped, with an alert. Deliberately broken builds prove that the sweep detects
 * violations.
 */
import type { DeletionRequested } from '@platform/contracts-provisioning';
import { StoreUnavailableError, type Store } from '@platform/mongo';
import {
  assertCaught,
  assertNoViolations,
  combineFaults,
  formatSweep,
  instrument,
  messagingFaults,
  runSweep,
  settle,
  storeFaults,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import { deletionsCollection } from '../store/collections';
import {
  bootDeletions,
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { admitDeletion, callDeletionListeners, type DeletionPorts } from './delete-tenant';

const listeners = ['storage', 'search-index'];
const request: DeletionRequested = {
  tenantId: tenant,
  operationId: 'op-delete-0001',
  workspaceName: 'Ada Works',
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
};

type Mutant = (ports: DeletionPorts) => DeletionPorts;
interface Life {
  readonly ports: DeletionPorts;
  readonly sweepOutbox: () => Promise<void>;
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
  });
  await settle();
}

async function ask({ ports }: Life): Promise<void> {
  const admission = await admitDeletion(ports, request);
  if (admission.kind === 'admitted') await callDeletionListeners(ports, admission.deletion);
}

function violations(world: ProvisioningWorld): string[] {
  const record = world.store.collection(deletionsCollection).all()[0];
  const calls = (listener: string) =>
    world.heard.filter((heard) => heard.event === 'TENANT_DELETED' && heard.listener === listener).length;
  const said = world.published.filter(({ subject }) => subject === 'workspace.deleted').length;
  const alerts = world.published.filter(({ subject }) => subject.startsWith('alert.')).length;
  if (!record) return ['the gateway asked again, and no deletion is recorded'];
  return [
    ...listeners.filter((name) => calls(name) > 1).map((name) => `listener ${name} was called ${calls(name)} times`),
    ...listeners
      .filter((name) => calls(name) === 1 && !record.listenerCalls.some(({ listener }) => listener === name))
      .map((name) => `listener ${name} was called, and no record says so`),
    ...(record.status === 'deleted'
      ? [
          ...listeners.filter((name) => calls(name) !== 1).map((name) => `deleted, and ${name} was not called`),
          ...record.listenerCalls
            .filter(({ outcome }) => outcome !== 'done')
            .map(() => 'deleted without every success'),
          ...(said === 1 ? [] : [`deleted, and that was said ${said} times`]),
        ]
      : []),
    ...(record.status !== 'deleted' && said > 0 ? [`${record.status}, and its end was said`] : []),
    ...(record.status === 'reconciliation_required' && alerts === 0 ? ['stopped, and no alert was sent'] : []),
    ...(record.status === 'calling' || record.status === 'requested' ? [`left as ${record.status}`] : []),
  ];
}

function scenario(mutant: Mutant = (ports) => ports): Scenario<ProvisioningWorld, Life> {
  return {
    name: 'deletion of a workspace',
    createWorld: async () => {
      const world = await createProvisioningWorld({ listeners });
      await createWorkspace(bootProvisioning(world, 9).ports, creationRequest());
      await settle();
      world.heard.length = 0;
      world.published.length = 0;
      return world;
    },
    boot: async (world, { tape, incarnation }) => {
      const instead = {
        store: instrument('store', world.watched, tape) as Store,
        broker: instrument('messaging', world.broker, tape),
      };
      const { sweepOutbox } = bootProvisioning(world, incarnation, instead);
      return { ports: mutant(bootDeletions(world, incarnation, 'superseded', instead)), sweepOutbox };
    },
    act: (life) => quietly(ask(life)),
    recover: async (life) => {
      for (let minute = 0; minute < 3; minute += 1) {
        await quietly(ask(life));
        await quietly(life.sweepOutbox());
      }
    },
    check: violations,
    faultsFor: combineFaults<ProvisioningWorld>(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('the store is unreachable') }),
      messagingFaults({ port: 'messaging' }),
    ),
  };
}

const results: SweepResult[] = [];
afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

// Each test makes hundreds of runs; their duration is not checked.

describe('the crash sweep of a deletion', () => {
  it('finds no violation, whatever fails wherever', async () => {
    const result = await runSweep(scenario(), { pairs: { seed: 5, sample: { lean: 20, full: 300 } } });
    results.push(result);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(10);
  });

  it('notices a build that skips a listener', async () => {
    const forgetful: Mutant = (ports) => ({
      ...ports,
      listeners: {
        ...ports.listeners,
        name: ports.listeners.name,
        find: async (...given: Parameters<typeof ports.listeners.find>) =>
          (await ports.listeners.find(...given)).slice(1),
      },
    });
    await assertCaught(scenario(forgetful), /deleted, and .* was not called/);
  });

  it('notices a build that takes an interrupted deletion up by itself', async () => {
    const eager: Mutant = (ports) => ({
      ...ports,
      deletions: {
        ...ports.deletions,
        name: ports.deletions.name,
        findById: async (id: string) => {
          const read = await ports.deletions.findById(id);
          return read?.status === 'calling' && !ports.deleting.has(id)
            ? ({ ...read, status: 'requested' } as never)
            : read;
        },
      },
    });
    await assertCaught(scenario(eager), /deleted without every success/);
  });
});
