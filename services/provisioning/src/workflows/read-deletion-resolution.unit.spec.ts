/** What an investigator reads of a deletion before its end is recorded. */
import type { DeletionRequested } from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import { refused } from '@platform/kernel';
import { bootDeletions, createProvisioningWorld, tenant } from '../testing/provisioning-world';
import { admitDeletion, callDeletionListeners } from './delete-tenant';
import { deletionInvestigation } from './resolve-deletion';

const request: DeletionRequested = {
  tenantId: tenant,
  operationId: 'op-delete-0001',
  workspaceName: 'Ada Works',
  planId: 'starter',
  requestedAt: '2026-01-01T00:00:00.000Z',
};
const proofs = {
  id: tenant,
  outcome: 'applied',
  executorStopped: 'its host was shut down at noon',
  providerObject: null,
  by: 'ann@example.com',
} as const;

/** A deletion that is under way, or whose second listener did not answer. */
async function open(how: 'under way' | 'stopped') {
  const world = await createProvisioningWorld({ listeners: ['storage', 'search-index'] });
  const ports = bootDeletions(world);
  world.listenerAnswers.set('search-index', () => refused({ code: 'timeout', message: 'late' }));
  const admission = await admitDeletion(ports, request);
  if (admission.kind !== 'admitted') throw new Error(admission.kind);
  if (how === 'stopped') await callDeletionListeners(ports, admission.deletion);
  return ports;
}

async function warningsOf(how: 'under way' | 'stopped') {
  const planned = await deletionInvestigation.plan(await open(how), proofs);
  return planned.ok ? planned.value.warnings : planned.error;
}

describe('the evidence about a deletion', () => {
  it('warns of the listeners without success, and of no others', async () => {
    expect(await warningsOf('stopped')).toEqual([
      'Listener search-index has no success here; its owner must have confirmed that it is done.',
    ]);
  });

  it('warns that the deletion is under way', async () => {
    expect(await warningsOf('under way')).toEqual([
      'The deletion is still marked as under way. If its executor is alive, it will lose its next write.',
    ]);
  });

  it('contains the answer of the process that works on it, which refuses when it is alive', async () => {
    const ports = await open('under way');
    const asked: unknown[] = [];
    const askExecutors: AskExecutors = async (questions) => {
      asked.push(...questions);
      return questions.map(() => ({ state: 'alive' as const }));
    };
    const planned = await deletionInvestigation.plan({ ...ports, askExecutors }, proofs);
    expect(planned).toMatchObject({ ok: false, error: expect.stringMatching(/^resolution_contradicted: /) as string });
    const wroteAt = (await ports.deletions.findById(tenant))?.updatedAt;
    expect(asked).toEqual([{ key: `deletions/${tenant}`, executor: ports.executor, wroteAt }]);
  });
});
