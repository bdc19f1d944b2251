/**
 * Deletions in the gateway's requests: the open ones, a single one, and a proposed end that two people sign and a third
 * one applies.
 */
import {
  deletionPageSchema,
  deletionRequests,
  judgedAnswerSchema,
  judgedRequests,
  type DeletionRequested,
  type JudgedResolution,
} from '@platform/contracts-provisioning';
import { refused } from '@platform/kernel';
import { createProposals } from '../testing/proposals';
import { bootDeletions, createProvisioningWorld, tenant } from '../testing/provisioning-world';
import { admitDeletion, callDeletionListeners, resumeDeletions } from '../workflows/delete-tenant';
import { deletionInvestigation } from '../workflows/resolve-deletion';
import { deletionEndpoints } from './serve-deletions';

const proposals = createProposals();
beforeAll(() => proposals.open());
afterAll(() => proposals.close());

const askExecutors = async (questions: readonly unknown[]) => questions.map(() => ({ state: 'stopped' as const }));
const proofs = { executorStopped: 'its host was shut down at noon', outcome: 'applied' as const, providerObject: null };

const requested = (tenantId: string): DeletionRequested => ({
  tenantId,
  operationId: `op-delete-${tenantId}`,
  workspaceName: `Works of ${tenantId}`,
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
});

/** A deletion whose second listener does not answer. */
async function stopped() {
  const world = await createProvisioningWorld({ listeners: ['storage', 'search-index', 'mail'] });
  const ports = bootDeletions(world);
  world.listenerAnswers.set('search-index', () => refused({ code: 'timeout', message: 'no answer' }));
  const ask = async (tenantId: string) => {
    const admission = await admitDeletion(ports, requested(tenantId));
    if (admission.kind === 'admitted') await callDeletionListeners(ports, admission.deletion);
  };
  await ask(tenant);
  const endpoints = deletionEndpoints({ ...ports, askExecutors });
  const on = async (subject: string, body: Record<string, unknown>) => {
    const answer = await endpoints.find((each) => each.subject === subject)!.answer(body, subject);
    return answer.ok ? answer.value : answer.error.code;
  };
  const judge = async (change: object = {}) =>
    judgedAnswerSchema.parse(
      await on(judgedRequests.deletion, { id: tenant, by: proposals.ann.email, ...proofs, ...change }),
    );
  return { world, ports, ask, on, judge };
}

async function judgedOf({ judge }: Awaited<ReturnType<typeof stopped>>): Promise<JudgedResolution> {
  const answer = await judge();
  if (!('judged' in answer)) throw new Error(JSON.stringify(answer));
  return answer.judged;
}

describe('deletions that have not ended', () => {
  it('are listed oldest first, with the listener that stopped each, and read one by one', async () => {
    const { on, ask, world } = await stopped();
    await ask('hooli');
    world.listenerAnswers.clear();
    await ask('done');
    const page = deletionPageSchema.parse(await on(deletionRequests.list, {}));
    expect(page.deletions.map(({ tenantId, status }) => [tenantId, status])).toEqual([
      [tenant, 'reconciliation_required'],
      ['hooli', 'reconciliation_required'],
    ]);
    expect(page.deletions[0]).toMatchObject({
      executor: { state: 'stopped' },
      lastError: { code: 'listener_failed', message: expect.stringContaining('search-index') },
      listenerCalls: [
        { listener: 'storage', outcome: 'done' },
        { listener: 'search-index', outcome: 'failed' },
      ],
    });
    expect(await on(deletionRequests.read, { tenantId: 'done' })).toMatchObject({
      deletion: { status: 'deleted', deletedAt: expect.any(String) },
    });
    expect(await on(deletionRequests.read, { tenantId: 'unknown' })).toEqual({});
    expect(await on(deletionRequests.list, { cursor: 'made up' })).toBe('invalid_request');
  });
});

describe('the end of a deletion that a person proposes', () => {
  it('is judged without a write, and only as applied', async () => {
    const stage = await stopped();
    const before = await stage.ports.deletions.findById(tenant);
    expect(await judgedOf(stage)).toMatchObject({
      tenantId: tenant,
      revision: before!.revision,
      consequences: [
        expect.stringContaining('no other is called again'),
        expect.stringContaining('search-index has no success'),
      ],
    });
    expect(await stage.judge({ outcome: 'not_applied' })).toMatchObject({
      refused: expect.stringContaining('A listener is never called again'),
    });
    expect(await stage.ports.deletions.findById(tenant)).toEqual(before);
  });

  it('is applied out of the signed document, once, and only the listeners that are left are called', async () => {
    const stage = await stopped();
    const { world, ports } = stage;
    const document = proposals.sign(world.clock.now(), 'deletion', tenant, proofs, await judgedOf(stage));
    const apply = () =>
      proposals.apply(deletionInvestigation, { ...ports, askExecutors }, world.clock, 'deletion', tenant, document);
    expect(await apply()).toBe('requested');
    expect(await ports.deletions.findById(tenant)).toMatchObject({
      resolutions: [
        { by: proposals.ann.email, proposal: { approvedBy: proposals.ben.email, appliedBy: 'cleo@example.com' } },
      ],
    });
    expect(await apply()).toContain('nothing to resolve');
    world.heard.length = 0;
    await resumeDeletions(ports);
    expect(world.heard.map(({ listener }) => listener)).toEqual(['mail']);
    expect(await ports.deletions.findById(tenant)).toMatchObject({ status: 'deleted' });
  });

  it('is not applied to a deletion that has changed since, nor as the end of a creation', async () => {
    const stage = await stopped();
    const { world, ports } = stage;
    const judged = await judgedOf(stage);
    const apply = (kind: 'deletion' | 'provisioning_attempt', revision = judged.revision) =>
      proposals.apply(
        deletionInvestigation,
        { ...ports, askExecutors },
        world.clock,
        'deletion',
        tenant,
        proposals.sign(world.clock.now(), kind, tenant, proofs, { ...judged, revision }),
      );
    expect(await apply('deletion', 'earlier')).toMatch(/^evidence_changed: The record/);
    expect(await apply('provisioning_attempt')).toContain('not about this one');
    expect(await ports.deletions.findById(tenant)).toMatchObject({ status: 'reconciliation_required' });
  });
});
