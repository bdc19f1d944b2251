/** A deletion that goes on after its investigation, in whichever process is first, and what its listeners are given. */
import type { DeletionRequested } from '@platform/contracts-provisioning';
import { refused } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { settle } from '@platform/testing';
import { tenantsCollection } from '../store/collections';
import {
  bootDeletions,
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { admitDeletion, callDeletionListeners, resumeDeletions, type DeletionPorts } from './delete-tenant';
import { deletionInvestigation } from './resolve-deletion';
import { deletionKey } from './work-keys';

const requested = (tenantId: string): DeletionRequested => ({
  tenantId,
  operationId: `op-delete-${tenantId}`,
  workspaceName: `Works of ${tenantId}`,
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
});

async function open() {
  const world = await createProvisioningWorld({ listeners: ['storage', 'search-index'] });
  const heard = () => world.heard.map(({ listener, notice }) => `${listener} ${String(notice['tenantId'])}`);
  return { world, ports: bootDeletions(world), heard };
}

type World = Awaited<ReturnType<typeof open>>['world'];

async function ask(ports: DeletionPorts, tenantId: string) {
  const admission = await admitDeletion(ports, requested(tenantId));
  if (admission.kind === 'admitted') await callDeletionListeners(ports, admission.deletion);
  await settle();
  return admission.kind;
}

const away = (): never => {
  throw new StoreUnavailableError('the store is unreachable');
};

const fails = (world: World, listener: string) =>
  void world.listenerAnswers.set(listener, () => refused({ code: 'timeout', message: 'late' }));

async function resolve(ports: DeletionPorts, tenantId: string): Promise<void> {
  const planned = await deletionInvestigation.plan(ports, {
    id: tenantId,
    outcome: 'applied',
    executorStopped: 'its owner has removed the data by hand',
    providerObject: null,
    by: 'ops@example.com',
  });
  if (!planned.ok) throw new Error(planned.error);
  expect(await deletionInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
}

/** Deletions whose first listener did not answer, and whose investigation has ended. */
async function resolved(...tenantIds: string[]) {
  const opened = await open();
  fails(opened.world, 'storage');
  for (const tenantId of tenantIds) await ask(opened.ports, tenantId);
  for (const tenantId of tenantIds) await resolve(opened.ports, tenantId);
  opened.world.listenerAnswers.clear();
  opened.world.heard.length = 0;
  return { ...opened, second: bootDeletions(opened.world, 2) };
}

describe('a deletion whose investigation has ended', () => {
  it('is work of the process that goes on with it, while its listeners are called', async () => {
    const { world, second } = await resolved('acme');
    const key = deletionKey('acme');
    let underWay;
    world.listenerAnswers.set('search-index', () => {
      underWay = second.work.find(key);
      return refused({ code: 'timeout', message: 'late' });
    });
    await resumeDeletions(second);
    expect(underWay).toMatchObject({ key });
    expect(second.work.find(key)).toBeUndefined();
  });

  it('that stops again at the same place has an alert of its own', async () => {
    const { world, ports } = await open();
    const broken: DeletionPorts = { ...ports, tenants: { ...ports.tenants, findById: async () => away() } };
    await ask(broken, 'acme');
    await resolve(ports, 'acme');
    await resumeDeletions(broken);
    await settle();
    const stops = world.published.filter(({ subject }) => subject.startsWith('alert.')).map(({ id }) => id);
    expect([new Set(stops).size, stops.length]).toEqual([2, 2]);
  });

  it('is taken over by the process that gets the next request', async () => {
    const { ports, second, heard } = await resolved('acme');
    const admission = await admitDeletion(second, requested('acme'));
    expect(await ports.deletions.findById('acme')).toMatchObject({ status: 'calling', executor: second.executor });
    if (admission.kind !== 'admitted') throw new Error(admission.kind);
    await callDeletionListeners(second, admission.deletion);
    expect(heard()).toEqual(['search-index acme']);
    expect(await ports.deletions.findById('acme')).toMatchObject({ status: 'deleted' });
  });

  it('is resumed in the name of the process that resumes it, the oldest request first', async () => {
    const { world, ports, second, heard } = await resolved('hooli', 'acme');
    fails(world, 'search-index');
    expect(await resumeDeletions(second)).toBe(2);
    expect(heard()).toEqual(['search-index hooli', 'search-index acme']);
    expect(await ports.deletions.findById('acme')).toMatchObject({
      status: 'reconciliation_required',
      executor: second.executor,
    });
  });

  it('is resumed by one of two processes', async () => {
    const { ports, second, heard } = await resolved('acme');
    const resumed = await Promise.all([resumeDeletions(ports), resumeDeletions(second)]);
    expect(resumed.toSorted()).toEqual([0, 1]);
    expect(heard()).toEqual(['search-index acme']);
  });

  it('waits for another process while this one is stopping', async () => {
    const { ports, heard } = await resolved('acme');
    expect(await resumeDeletions(ports, () => true)).toBe(0);
    expect(heard()).toEqual([]);
    expect(await ports.deletions.findById('acme')).toMatchObject({ status: 'requested' });
  });

  it('alerts people again when a later listener fails', async () => {
    const { world, second } = await resolved('acme');
    fails(world, 'search-index');
    await resumeDeletions(second);
    await settle();
    expect(world.published.map(({ body }) => String(body['reason']))).toEqual([
      expect.stringContaining('Listener storage'),
      expect.stringContaining('Listener search-index'),
    ]);
  });

  it('is not continued by the executor that it had before, while another one works on it', async () => {
    const { world, ports, heard } = await open();
    const slept = await admitDeletion(ports, requested('acme'));
    if (slept.kind !== 'admitted') throw new Error(slept.kind);
    await resolve(ports, 'acme');
    const second = bootDeletions(world, 2);
    expect(await admitDeletion(second, requested('acme'))).toMatchObject({ kind: 'admitted' });
    await callDeletionListeners(ports, slept.deletion);
    expect(heard()).toEqual([]);
    expect(await ports.deletions.findById('acme')).toMatchObject({ status: 'calling', executor: second.executor });
  });
});

describe('the notice of a deletion', () => {
  it('names the current owner of the workspace', async () => {
    const { world, ports } = await open();
    await createWorkspace(bootProvisioning(world).ports, creationRequest({ tenantId: 'acme' }));
    const rows = world.store.collection(tenantsCollection);
    const row = await rows.findById('acme');
    if (!row) throw new Error('there is no row');
    await rows.mutate(row, { ...row, owners: ['user-2'] });
    world.heard.length = 0;
    await ask(ports, 'acme');
    expect(world.heard[0]?.notice).toMatchObject({ attemptId: 'acme', ownerUserId: 'user-2' });
  });

  it('names the person who created a workspace that has no row', async () => {
    const { world, ports } = await open();
    world.provider.failNext('card_declined', { step: 'attach_payment_method' });
    await createWorkspace(bootProvisioning(world).ports, creationRequest({ tenantId: 'acme' }));
    expect(await ports.tenants.findById('acme')).toBeNull();
    await ask(ports, 'acme');
    expect(world.heard[0]?.notice).toMatchObject({ ownerUserId: 'user-1' });
  });

  it('names no owner of a workspace that is older than the records, and the request as its origin', async () => {
    const { world, ports } = await open();
    await ask(ports, 'acme');
    expect(world.heard[0]?.notice).toMatchObject({ attemptId: 'op-delete-acme', ownerUserId: '' });
  });
});
