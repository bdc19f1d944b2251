/** Deletions in the form in which people read them: the open ones in pages, and one of them. */
import { deletionsListed } from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import { decodeCursor } from '@platform/mongo';
import type { Deletion } from '../domain/deletion';
import { deletionsCollection } from '../store/collections';
import { bootDeletions, createProvisioningWorld } from '../testing/provisioning-world';
import { listDeletions, readDeletion } from './read-deletions';

const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 12, count));
const executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-1' };
const facts = {
  requested: {},
  calling: { executor },
  reconciliation_required: { executor, lastError: { code: 'listener_failed', message: 'Listener mail failed.' } },
  deleted: { deletedAt: minute(59) },
};

async function open() {
  const world = await createProvisioningWorld();
  const asked: unknown[] = [];
  const askExecutors: AskExecutors = async (questions) => {
    asked.push(...questions);
    return questions.map(() => ({ state: 'superseded' as const, lastHeardOf: minute(2).toISOString() }));
  };
  const put = (tenantId: string, status: Deletion['status'], at: Date, change: object = {}) =>
    world.store.collection(deletionsCollection).put({
      _id: tenantId,
      tenantId,
      status,
      revision: `revision-${tenantId}`,
      operationId: `op-${tenantId}`,
      workspaceName: `Works of ${tenantId}`,
      planId: 'starter',
      requestedAt: at,
      createdAt: at,
      updatedAt: minute(3),
      listenerCalls: [],
      ...facts[status],
      ...change,
    });
  return { reads: { deletions: bootDeletions(world).deletions, askExecutors }, asked, put };
}

const tenantsOf = ({ deletions }: Awaited<ReturnType<typeof listDeletions>>) =>
  deletions.map(({ tenantId }) => tenantId);

describe('the list of deletions that have not ended', () => {
  it('is in the order of their requests, and of their ids where they came together', async () => {
    const { reads, put } = await open();
    put('late', 'requested', minute(2));
    put('c', 'calling', minute(1));
    put('b', 'reconciliation_required', minute(1));
    put('a', 'calling', minute(1));
    put('d', 'requested', minute(1));
    put('early', 'reconciliation_required', minute(0));
    put('done', 'deleted', minute(0));
    const page = await listDeletions(reads);
    expect(tenantsOf(page)).toEqual(['early', 'a', 'b', 'c', 'd', 'late']);
    expect(page).not.toHaveProperty('nextCursor');
  });

  it('has pages, each of which says where the next one begins', async () => {
    const { reads, put } = await open();
    const ids = Array.from({ length: 2 * deletionsListed }, (_each, number) => `t-${1000 + number}`);
    for (const [number, id] of ids.entries()) put(id, number % 2 === 0 ? 'requested' : 'calling', minute(number));
    const first = await listDeletions(reads);
    expect(tenantsOf(first)).toEqual(ids.slice(0, deletionsListed));
    const after = decodeCursor(first.nextCursor ?? '');
    if (!after) throw new Error('there is no cursor');
    const second = await listDeletions(reads, after);
    expect(tenantsOf(second)).toEqual(ids.slice(deletionsListed));
    expect(second).not.toHaveProperty('nextCursor');
  });

  it('is empty without a next page when there are none', async () => {
    const { reads } = await open();
    expect(await listDeletions(reads)).toStrictEqual({ deletions: [] });
  });
});

describe('one deletion', () => {
  const shown = {
    tenantId: 'acme',
    workspaceName: 'Works of acme',
    planId: 'starter',
    operationId: 'op-acme',
    revision: 'revision-acme',
    listenerCalls: [],
    resolutions: [],
    requestedAt: minute(1).toISOString(),
    updatedAt: minute(3).toISOString(),
  };

  it('that stopped shows its executor, its calls and the ends of its investigations', async () => {
    const { reads, put, asked } = await open();
    const called = { event: 'TENANT_DELETED', calledAt: minute(2) };
    put('acme', 'reconciliation_required', minute(1), {
      listenerCalls: [
        { ...called, listener: 'storage', outcome: 'done' },
        { ...called, listener: 'mail' },
      ],
      resolutions: [
        {
          outcome: 'applied',
          by: 'ann@example.com',
          executorStopped: 'its host was shut down',
          providerObject: null,
          at: minute(2),
        },
      ],
    });
    expect(await readDeletion(reads, 'acme')).toStrictEqual({
      ...shown,
      status: 'reconciliation_required',
      executor: { ...executor, state: 'superseded', lastHeardOf: minute(2).toISOString() },
      lastError: facts.reconciliation_required.lastError,
      listenerCalls: [
        { listener: 'storage', calledAt: minute(2).toISOString(), outcome: 'done' },
        { listener: 'mail', calledAt: minute(2).toISOString() },
      ],
      resolutions: [{ by: 'ann@example.com', executorStopped: 'its host was shut down', at: minute(2).toISOString() }],
    });
    expect(asked).toEqual([{ key: 'deletions/acme', executor, wroteAt: minute(3) }]);
  });

  it.each([
    ['requested', {}],
    ['deleted', { deletedAt: minute(59).toISOString() }],
  ] as const)('that is %s has no executor, and no process is asked', async (status, more) => {
    const { reads, put, asked } = await open();
    put('acme', status, minute(1));
    expect(await readDeletion(reads, 'acme')).toStrictEqual({ ...shown, status, ...more });
    expect(asked).toEqual([]);
  });

  it('is null when it was never requested', async () => {
    const { reads } = await open();
    expect(await readDeletion(reads, 'acme')).toBeNull();
  });
});
