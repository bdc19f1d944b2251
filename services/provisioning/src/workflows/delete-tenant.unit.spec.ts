/**
 * Deletion of a workspace in provisioning: each listener is called once, an unknown outcome stops it, and its end is
 * announced at each request.
 */
import type { DeletionRequested } from '@platform/contracts-provisioning';
import { refused } from '@platform/kernel';
import { settle } from '@platform/testing';
import type { Deletion } from '../domain/deletion';
import {
  bootDeletions,
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
  type WorldOptions,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { admitDeletion, callDeletionListeners, resumeDeletions, type DeletionPorts } from './delete-tenant';
import { isProvisioningCommitted } from './is-provisioning-committed';
import { deletionInvestigation } from './resolve-deletion';

const request: DeletionRequested = {
  tenantId: tenant,
  operationId: 'op-delete-0001',
  workspaceName: 'Ada Works',
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
};

async function open(options: WorldOptions = { listeners: ['storage', 'search-index'] }) {
  const world = await createProvisioningWorld(options);
  const ports = bootDeletions(world);
  return { world, ports };
}

async function ask(ports: DeletionPorts, asked = request) {
  const admission = await admitDeletion(ports, asked);
  if (admission.kind === 'admitted') await callDeletionListeners(ports, admission.deletion);
  await settle();
  return admission.kind;
}

const told = ({ heard }: ProvisioningWorld) => heard.map(({ listener, event }) => `${listener} ${event}`);
const said = ({ published }: ProvisioningWorld) => published.map(({ subject }) => subject);
const stored = (ports: DeletionPorts) => ports.deletions.findById(tenant) as Promise<Deletion>;

describe('the deletion of a workspace', () => {
  it('calls every registered listener once, in order, marks the row and says so', async () => {
    const { world, ports } = await open();
    const { ports: creating } = bootProvisioning(world);
    await createWorkspace(creating, creationRequest());
    await settle();
    world.heard.length = 0;
    world.published.length = 0;
    expect(await ask(ports)).toBe('admitted');
    expect(told(world)).toEqual(['storage TENANT_DELETED', 'search-index TENANT_DELETED']);
    expect(world.heard[0]?.notice).toEqual({
      event: 'TENANT_DELETED',
      tenantId: tenant,
      attemptId: tenant,
      workspaceName: 'Ada Works',
      ownerUserId: 'user-1',
      planId: 'starter',
    });
    expect(await stored(ports)).toMatchObject({
      status: 'deleted',
      listenerCalls: [{ outcome: 'done' }, { outcome: 'done' }],
    });
    expect(await ports.tenants.findById(tenant)).toMatchObject({ status: 'deleted', owners: ['user-1'] });
    expect(said(world)).toEqual(['workspace.deleted']);
    expect(world.published[0]?.body).toMatchObject({ tenantId: tenant, operationId: 'op-delete-0001' });
  });

  it('leaves marker and commit gate as they were', async () => {
    const { world, ports } = await open();
    const { ports: creating } = bootProvisioning(world);
    await createWorkspace(creating, creationRequest());
    await ask(ports);
    expect(world.marker()).toMatchObject({ provisioningState: 'committed' });
    expect(await isProvisioningCommitted(ports, tenant)).toBeTruthy();
  });

  it('deletes a workspace that is older than the records here, and one without listeners', async () => {
    const { world, ports } = await open({ listeners: [] });
    expect(await ask(ports)).toBe('admitted');
    expect(await stored(ports)).toMatchObject({ status: 'deleted', listenerCalls: [] });
    expect(said(world)).toEqual(['workspace.deleted']);
  });

  it('calls no listener again when it is asked again, and answers each request', async () => {
    const { world, ports } = await open();
    await ask(ports);
    world.published.length = 0;
    expect(await ask(ports)).toBe('recorded');
    expect(await ask(bootDeletions(world, 2), { ...request, operationId: 'op-delete-0002' })).toBe('recorded');
    expect(world.heard).toHaveLength(2);
    expect(world.published.map(({ body }) => body['operationId'])).toEqual(['op-delete-0001', 'op-delete-0002']);
  });

  it('is admitted once by two processes that are asked at the same time', async () => {
    const { world, ports } = await open();
    await Promise.all([ask(ports), ask(bootDeletions(world, 2))]);
    expect(told(world)).toEqual(['storage TENANT_DELETED', 'search-index TENANT_DELETED']);
  });

  it('is left alone while its executor works on it', async () => {
    const { world, ports } = await open();
    const admission = await admitDeletion(ports, request);
    expect(admission.kind).toBe('admitted');
    expect(await ask(ports)).toBe('recorded');
    expect(await ask(bootDeletions(world, 2, 'open'))).toBe('recorded');
    expect(await stored(ports)).toMatchObject({ status: 'calling' });
    expect(world.heard).toEqual([]);
  });
});

describe('a deletion that cannot go on', () => {
  it.each([
    ['refuses', refused({ code: 'refused' as const, serverCode: 'disk_full', message: 'canary' })],
    ['does not answer in time', refused({ code: 'timeout' as const, message: 'late' })],
    ['is not there', refused({ code: 'no_responders' as const, message: 'no responders' })],
  ])('stops with an alert when a listener %s, and calls no other', async (_how, answer) => {
    const { world, ports } = await open();
    world.listenerAnswers.set('storage', () => answer);
    await ask(ports);
    expect(await stored(ports)).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'listener_failed' },
      listenerCalls: [{ listener: 'storage', outcome: 'failed' }],
    });
    expect(JSON.stringify(await stored(ports))).not.toContain('canary');
    expect(said(world)).toEqual(['alert.reconciliation_required.provisioning.deletion']);
    await ask(ports);
    expect(world.heard).toHaveLength(1);
  });

  it.each(['stopped', 'superseded'] as const)(
    'stops when its executor is %s, whatever it had called',
    async (state) => {
      const { world, ports } = await open();
      await admitDeletion(ports, request);
      await ask(bootDeletions(world, 2, state));
      expect(await stored(ports)).toMatchObject({
        status: 'reconciliation_required',
        lastError: { code: 'executor_gone' },
      });
      expect(world.heard).toEqual([]);
    },
  );

  it('loses its next write to the stop when its executor only slept', async () => {
    const { world, ports } = await open();
    const admission = await admitDeletion(ports, request);
    if (admission.kind !== 'admitted') throw new Error(admission.kind);
    await ask(bootDeletions(world, 2, 'superseded'));
    await callDeletionListeners(ports, admission.deletion);
    expect(world.heard).toEqual([]);
  });
});

describe('the investigation of a deletion', () => {
  const proofs = {
    id: tenant,
    executorStopped: 'its owner has removed the data by hand',
    providerObject: null,
    by: 'ops@example.com',
  };

  async function stopped() {
    const { world, ports } = await open();
    world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'late' }));
    await ask(ports);
    return { world, ports };
  }

  it('lets the listeners be called that were not called yet, and no other', async () => {
    const { world, ports } = await stopped();
    const planned = await deletionInvestigation.plan(ports, { ...proofs, outcome: 'applied' });
    if (!planned.ok) throw new Error(planned.error);
    expect(planned.value.warnings.join(' ')).toContain('Listener storage has no success here');
    expect((await deletionInvestigation.record(ports, planned.value)).ok).toBe(true);
    expect(await stored(ports)).toMatchObject({ status: 'requested', resolutions: [{ by: 'ops@example.com' }] });
    expect([await resumeDeletions(ports), await resumeDeletions(bootDeletions(world, 2))]).toEqual([1, 0]);
    expect(told(world)).toEqual(['storage TENANT_DELETED', 'search-index TENANT_DELETED']);
    expect(await stored(ports)).toMatchObject({ status: 'deleted' });
  });

  it('has no outcome by which a listener would be called again', async () => {
    const { ports } = await stopped();
    const planned = await deletionInvestigation.plan(ports, { ...proofs, outcome: 'not_applied' });
    expect(planned).toMatchObject({ ok: false, error: expect.stringContaining('never called again') });
  });

  it('does not end a deletion that is complete', async () => {
    const { ports } = await open();
    await ask(ports);
    const planned = await deletionInvestigation.plan(ports, { ...proofs, outcome: 'applied' });
    expect(planned).toMatchObject({ ok: false, error: expect.stringContaining('nothing to resolve') });
  });
});
