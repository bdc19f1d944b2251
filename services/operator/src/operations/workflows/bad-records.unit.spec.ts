/** One record that cannot be read or handled blocks no other record, no list and no start. */
import { InvariantError } from '@platform/kernel';
import { forged } from '@platform/durable/testing';
import { operationsCollection } from '../store/operations';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import type { Subscription } from '../../mirror/domain/subscription';
import { base, credit, post, setStage, type Stage } from '../../testing/stage';
import { finishClearing } from './finish-clearing';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { providerEventAdmissionsCollection } from '../../provider-events/store/provider-event-admissions';
import { runningWork } from '../../work-queue/workflows/running-work';

const at = new Date('2025-06-01T00:00:00.000Z');
const setAside = ({ world }: Stage) => world.store.quarantined().map(({ collection, id }) => `${collection}/${id}`);

/** A workspace whose suspension is journalled as failed and whose transition remains because of a crash. */
async function leaveTransition({ world }: Stage, tenantId: string): Promise<void> {
  const operationId = `op-left-${tenantId}-0001`;
  const request = { tenantId, action: 'suspend' as const, values: {}, fingerprint: 'f', actor: { id: 'x' } };
  await world.store
    .collection(operationsCollection)
    .insert(
      forged({ ...request, _id: operationId, status: 'failed', attempts: [], error: { code: 'c', message: 'm' } }),
    );
  const transition = { operationId, kind: 'suspend' as const, requestedAt: at };
  const { revision: _r, createdAt: _c, updatedAt: _u, ...acme } = world.subscription()!;
  await world.store.collection(subscriptionsCollection).insert({ ...acme, _id: tenantId, transition });
}

const hasTransition = ({ world }: Stage, tenantId: string) => world.subscription(tenantId)?.transition !== undefined;

describe('a start', () => {
  it('passes by a subscription without a revision that has a transition', async () => {
    const stage = await setStage();
    await leaveTransition(stage, 'bravo');
    await leaveTransition(stage, 'zulu');
    const { revision: _gone, ...bare } = stage.world.subscription('bravo')!;
    stage.world.store.collection(subscriptionsCollection).put({ ...bare });
    expect(await finishClearing(stage.life.ports)).toEqual({ standing: 1, cleared: 1 });
    expect([hasTransition(stage, 'bravo'), hasTransition(stage, 'zulu')]).toEqual([true, false]);
    expect(setAside(stage)).toEqual(['subscriptions/bravo']);
  });

  it('leaves a transition whose operation is not in the store to people, and sets nothing aside', async () => {
    const stage = await setStage();
    const transition = { operationId: 'op-gone-0001', kind: 'suspend' as const, requestedAt: at };
    const { subscriptions } = stage.life.ports;
    await subscriptions.mutate(stage.world.subscription()!, { ...stage.world.subscription()!, transition });
    expect(await finishClearing(stage.life.ports)).toEqual({ standing: 1, cleared: 0 });
    expect(stage.world.subscription()).toMatchObject({ transition });
    expect(setAside(stage)).toEqual([]);
  });

  it('puts an operation aside whose clearing breaks an invariant, and clears the others', async () => {
    const stage = await setStage();
    for (const tenantId of ['bravo', 'zulu']) await leaveTransition(stage, tenantId);
    const { subscriptions } = stage.life.ports;
    const breaking: typeof subscriptions = {
      ...subscriptions,
      mutate: async (current: Subscription, next, announce) => {
        if (current._id === 'bravo') throw new InvariantError('no schedule was made');
        return subscriptions.mutate(current, next, announce);
      },
    };
    const swept = await finishClearing({ ...stage.life.ports, subscriptions: breaking });
    expect(swept).toEqual({ standing: 2, cleared: 1 });
    expect(stage.world.store.quarantined()).toEqual([
      { collection: 'operations', id: 'op-left-bravo-0001', why: 'cannot be dealt with: no schedule was made' },
    ]);
  });

  it.each([
    ['an action that this build does not know', { action: 'an_action_of_a_newer_build' }],
    ['a status that this build does not know', { status: 'archived' }],
  ])('goes on past an operation with %s', async (_case, change) => {
    const stage = await setStage();
    for (const tenantId of ['bravo', 'zulu']) await leaveTransition(stage, tenantId);
    const [operation] = stage.world.operations();
    stage.world.store.collection(operationsCollection).put({ ...operation, ...change });
    expect(await finishClearing(stage.life.ports)).toMatchObject({ cleared: 1 });
    expect(setAside(stage)).toEqual(['operations/op-left-bravo-0001']);
  });

  it('are passed by when work without an executor is looked for', async () => {
    const stage = await setStage();
    const { operations } = stage.life.ports;
    const executor = { service: 'operator', instance: 'operator-1', incarnation: 'gone' };
    const stamps = { revision: 'r', createdAt: at, updatedAt: at, status: 'running', action: 'suspend' };
    const collection = stage.world.store.collection(operationsCollection);
    collection.put({ ...stamps, _id: 'op-a' });
    collection.put({ ...stamps, _id: 'op-b', attempts: [{ executor }] });
    const records = {
      operations,
      migrations: stage.world.store.collection(planMigrationsCollection),
      admissions: stage.world.store.collection(providerEventAdmissionsCollection),
    };
    expect(await runningWork(records)).toMatchObject([{ key: 'operations/op-b', executor }]);
    expect(setAside(stage)).toEqual(['operations/op-a']);
  });
});

describe('an operation without a revision', () => {
  async function setBare() {
    const stage = await setStage();
    for (const operationId of ['op-credit-0001', 'op-credit-0002'])
      expect((await post(stage, 'balance-credit', { ...credit, operationId })).status).toBe(200);
    const { revision: _gone, ...bare } = stage.world.operations()[0]!;
    stage.world.store.collection(operationsCollection).put({ ...bare });
    return stage;
  }

  it('is passed by in lists', async () => {
    const stage = await setBare();
    const answer = await stage.gateway.request('GET', `${base}/operations`);
    expect(answer.status).toBe(200);
    expect(answer.json<{ operations: { operationId: string }[] }>().operations.map((one) => one.operationId)).toEqual([
      'op-credit-0002',
    ]);
    expect(setAside(stage)).toEqual(['operations/op-credit-0001']);
  });

  it.each([
    ['read', (stage: Stage) => stage.gateway.request('GET', `${base}/operations/op-credit-0001`)],
    ['repeated', (stage: Stage) => post(stage, 'balance-credit', credit)],
  ])('says what it is when it is %s, and nothing is sent', async (_how, ask) => {
    const stage = await setBare();
    const sent = stage.world.provider.ledger().length;
    const answer = await ask(stage);
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({
      code: 'record_unreadable',
      detail: expect.stringContaining('operations/op-credit-0001 carries no revision'),
      record: { collection: 'operations', id: 'op-credit-0001' },
    });
    expect(stage.world.provider.ledger()).toHaveLength(sent);
  });
});
