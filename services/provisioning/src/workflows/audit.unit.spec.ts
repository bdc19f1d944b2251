import { keepTrail, verifyTrail } from '@platform/durable/trail';
import type { FakeCollection } from '@platform/mongo/testing';
import type { Attempt } from '../domain/attempt';
import { attemptTrail, auditBlocksCollection } from '../store/audit-blocks';
import { attemptsCollection } from '../store/collections';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { attemptInvestigation } from './resolve-attempt';

async function resolvedAttempt(outcome: 'applied' | 'not_applied') {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  world.provider.failNext('lost_answer_before_effect', { step: 'pay_invoice' });
  await createWorkspace(ports, creationRequest({}));
  const planned = await attemptInvestigation.plan(ports, {
    id: tenant,
    outcome,
    executorStopped: 'the host was shut down and its disk read',
    providerObject: 'in_1',
    by: 'ops@example.com',
    override: { reason: 'the trail is what is looked at here', approvedBy: 'second@example.com' },
  });
  if (!planned.ok) throw new Error(planned.error);
  expect(await attemptInvestigation.record(ports, planned.value)).toMatchObject({ ok: true });
  const trail = attemptTrail(world.store);
  await keepTrail(trail, world.clock, () => false, -60_000);
  return {
    trail,
    attempts: world.store.collection(attemptsCollection) as FakeCollection<Attempt>,
    blocks: world.store.collection(auditBlocksCollection),
  };
}

describe('the audit chain of attempts', () => {
  it.each(['applied', 'not_applied'] as const)('says who resolved an attempt as %s, and is whole', async (outcome) => {
    const { trail, blocks } = await resolvedAttempt(outcome);
    expect((await blocks.find({}, { sort: { _id: 1 }, limit: 2 }))[0]?.rows).toMatchObject([
      { recordId: tenant, outcome, by: 'ops@example.com' },
    ]);
    expect(await verifyTrail(trail)).toMatchObject({ blocks: 1, rows: 1, faults: [] });
  });

  it.each<[string, (record: Attempt) => Attempt]>([
    ['the second proof', (record) => ({ ...record, resolution: { ...record.resolution!, providerObject: 'in_2' } })],
    ['the plan', (record) => ({ ...record, plan: { planId: 'business' } })],
  ])('shows an attempt that was tampered with: %s', async (_name, change) => {
    const { trail, attempts } = await resolvedAttempt('applied');
    attempts.put({ ...change(attempts.all()[0]!) });
    expect((await verifyTrail(trail)).faults).toEqual([
      `${tenant}: what was resolved by ops@example.com is not what the record says now`,
    ]);
  });
});
