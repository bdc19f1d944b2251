/** A deletion whose writes or messages are not acknowledged: it stops with what is known, and calls no listener again. */
import { fromThe, losingWrites } from '@platform/durable/testing';
import type { DeletionRequested } from '@platform/contracts-provisioning';
import { StoreUnavailableError } from '@platform/mongo';
import { settle } from '@platform/testing';
import { attemptsCollection, listenersCollection, tenantsCollection } from '../store/collections';
import { bootDeletions, createProvisioningWorld, tenant, type ProvisioningWorld } from '../testing/provisioning-world';
import { admitDeletion, callDeletionListeners, type DeletionPorts } from './delete-tenant';

const request: DeletionRequested = {
  tenantId: tenant,
  operationId: 'op-delete-0001',
  workspaceName: 'Ada Works',
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
};
const unrecorded = 'a deletion could not be recorded';

async function open() {
  const world = await createProvisioningWorld({ listeners: ['storage', 'search-index'] });
  const ports = bootDeletions(world);
  const row = { _id: tenant, name: 'Ada Works', status: 'provisioned', owners: ['user-1'] } as const;
  await world.store.collection(tenantsCollection).insert(row);
  const stored = () => ports.deletions.findById(tenant);
  return { world, ports, stored, said: () => world.published.map(({ subject }) => subject) };
}

async function ask(ports: DeletionPorts) {
  const admission = await admitDeletion(ports, request);
  if (admission.kind === 'admitted') await callDeletionListeners(ports, admission.deletion);
  await settle();
  return admission;
}

/** The same ports; writes of deletions get lost from this one on. The first one creates the record. */
const losingFrom = (ports: DeletionPorts, first: number): DeletionPorts => ({
  ...ports,
  deletions: losingWrites(ports.deletions, fromThe(first)),
});

describe('a deletion in a store that does not answer', () => {
  it('is to be requested again, with the reason, when it could not be recorded', async () => {
    const { world, ports, stored } = await open();
    world.store.setAvailable(false);
    expect(await ask(ports)).toEqual({ kind: 'again', reason: expect.stringContaining('unreachable') as string });
    world.store.setAvailable(true);
    expect([await stored(), world.heard]).toEqual([null, []]);
  });

  it('calls no listener that it could not record, and stops at the next request', async () => {
    const { world, ports, stored, said } = await open();
    expect(await ask(losingFrom(ports, 2))).toMatchObject({ kind: 'admitted' });
    expect(world.heard).toEqual([]);
    expect(world.logged).toEqual([{ tenantId: tenant, reason: 'the answer was lost' }, unrecorded]);
    expect(await stored()).toMatchObject({ status: 'calling', listenerCalls: [] });
    expect(await ask(ports)).toEqual({ kind: 'recorded' });
    expect(await stored()).toMatchObject({
      status: 'reconciliation_required',
      lastError: {
        code: 'executor_gone',
        message: 'The process that called the deletion listeners ended, or could not write down what it did.',
      },
    });
    expect(said()).toEqual(['alert.reconciliation_required.provisioning.deletion']);
    expect(world.heard).toEqual([]);
  });

  it('announces no end that it could not record', async () => {
    const { world, ports, stored, said } = await open();
    await ask(losingFrom(ports, 4));
    expect(world.heard.map(({ listener }) => listener)).toEqual(['storage', 'search-index']);
    expect(await stored()).toMatchObject({ status: 'calling' });
    expect(said()).toEqual([]);
  });

  it('stops with an alert when the row of the workspace could not be marked as deleted', async () => {
    const { world, ports, stored, said } = await open();
    await ask({ ...ports, tenants: losingWrites(ports.tenants) });
    expect(await stored()).toMatchObject({
      status: 'reconciliation_required',
      lastError: {
        code: 'persistence_unknown',
        message: "Every listener succeeded, and the tenant's row could not be marked as deleted.",
      },
      listenerCalls: [{ outcome: 'done' }, { outcome: 'done' }],
    });
    expect(world.logged).toEqual([]);
    expect(said()).toEqual(['alert.reconciliation_required.provisioning.deletion']);
  });

  it('stops when the listeners cannot be read', async () => {
    const { world, ports, stored } = await open();
    const find = () => Promise.reject(new StoreUnavailableError('listeners'));
    await ask({ ...ports, listeners: { ...ports.listeners, find } });
    expect(await stored()).toMatchObject({
      status: 'reconciliation_required',
      lastError: {
        code: 'store_unavailable',
        message: 'The store did not answer in the midst of the deletion. Everything is kept.',
      },
    });
    expect(world.heard).toEqual([]);
  });

  it.each([
    ['of a newer release', { status: 'of a newer release' }],
    ['without a revision', { revision: '' }],
  ])('stops before it calls any listener while the registration of one is %s', async (_what, over) => {
    const { world, ports, stored } = await open();
    const rows = world.store.collection(listenersCollection);
    const [, search] = rows.all();
    rows.put({ ...search!, ...over });
    await ask(ports);
    expect(await stored()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'listeners_unreadable', message: expect.stringContaining('search-index') as string },
    });
    expect(world.heard).toEqual([]);
  });

  it.each<[string, (store: ProvisioningWorld['store']) => void]>([
    ['tenants', (store) => store.collection(tenantsCollection).put({ _id: tenant })],
    ['attempts', (store) => store.collection(attemptsCollection).put({ _id: tenant })],
  ])('stops while the row of the workspace in %s cannot be read', async (name, spoil) => {
    const { world, ports, stored, said } = await open();
    spoil(world.store);
    await ask(ports);
    expect(await stored()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'record_unreadable', message: expect.stringContaining(`${name}: record ${tenant}`) as string },
    });
    expect(world.heard).toEqual([]);
    expect(said()).toEqual(['alert.reconciliation_required.provisioning.deletion']);
  });

  it('fails, and writes nothing, for any other defect', async () => {
    const { ports, stored } = await open();
    const find = () => Promise.reject(new Error('a defect'));
    await expect(ask({ ...ports, listeners: { ...ports.listeners, find } })).rejects.toThrow('a defect');
    expect(await stored()).toMatchObject({ status: 'calling' });
    expect(ports.deleting.size).toBe(0);
  });
});

describe('the end of a deletion', () => {
  it('is published at once, and confirmed in its record', async () => {
    const { world, ports, said } = await open();
    await ask(ports);
    expect(said()).toEqual(['workspace.deleted']);
    expect(await ports.deletions.outbox.pending(10)).toEqual([]);
    expect(world.logged).toEqual([]);
  });

  it('is to be requested again while its answer is not acknowledged', async () => {
    const { world, ports } = await open();
    await ask(ports);
    const broker = { ...world.broker, publish: async () => 'unknown' as const };
    const silent = bootDeletions(world, 2, 'open', { broker });
    expect(await ask(silent)).toEqual({ kind: 'again', reason: 'the answer was not acknowledged' });
    expect(await ask(ports)).toEqual({ kind: 'recorded' });
  });
});
