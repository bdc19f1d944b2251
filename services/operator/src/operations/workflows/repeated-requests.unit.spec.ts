/** A request whose id is known already: by which clock and workspace it is judged, and what it repeats. */
import { forged } from '@platform/durable/testing';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import type { FailedOperation, OperationRequest } from '../domain/operation';
import { inStatus, running } from '../testing/action-fixtures';
import { exampleRequest } from '../testing/example-worlds';
import { operationsCollection } from '../store/operations';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';

const hourMs = 3_600_000;
const request: OperationRequest = { ...exampleRequest('credit_customer'), operationId: 'op-repeat-0001' };

/** A world in which the first request has failed, and its ports. */
async function failed() {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  world.provider.failNext('rate_limited');
  expect((await runOperation(ports, request)).kind).toBe('failed');
  return { world, ports };
}

/** The ports with the database's clock, or that of the process, far ahead; `asked` counts the database's. */
function ahead(ports: OperatorPorts, clock: 'database' | 'process') {
  const asked: Date[] = [];
  const later = (date: Date) => new Date(date.getTime() + 24 * hourMs);
  const shifted: OperatorPorts = {
    ...ports,
    databaseNow: async () => {
      const now = await ports.databaseNow();
      asked.push(now);
      return clock === 'database' ? later(now) : now;
    },
    clock: clock === 'process' ? { ...ports.clock, now: () => later(ports.clock.now()) } : ports.clock,
  };
  return { shifted, asked };
}

async function putIntent(world: Awaited<ReturnType<typeof createOperatorWorld>>, change: Partial<OperationRequest>) {
  const { operationId, tenantId, action, values, actor } = { ...request, ...change };
  const {
    _id: _own,
    revision: _r,
    createdAt: _c,
    updatedAt: _u,
    ...record
  } = running(action, {
    tenantId,
    values,
    actor,
    attempts: [],
  });
  await world.store.collection(operationsCollection).insert(forged({ ...record, _id: operationId, status: 'pending' }));
}

describe('the window of a repeat', () => {
  it('is measured by the clock of the database, not by that of the process', async () => {
    const { ports } = await failed();
    expect(await runOperation(ahead(ports, 'database').shifted, request)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'retry_window_expired' },
    });
    expect((await runOperation(ahead(ports, 'process').shifted, request)).kind).toBe('succeeded');
  });

  it('is measured by the clock of the database for an intent without an attempt too', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    await putIntent(world, {});
    expect(await runOperation(ahead(ports, 'database').shifted, request)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'retry_window_expired' },
    });
    expect((await runOperation(ahead(ports, 'process').shifted, request)).kind).toBe('succeeded');
  });

  it('is not asked for where the record does not depend on it', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    await runOperation(ports, request);
    const { shifted, asked } = ahead(ports, 'database');
    expect((await runOperation(shifted, request)).kind).toBe('succeeded');
    expect(asked).toEqual([]);
  });
});

describe('a repeat', () => {
  it('is accepted as soon as its record is found', async () => {
    const { ports } = await failed();
    let accepted = 0;
    await runOperation(ports, request, () => (accepted += 1));
    expect(accepted).toBe(1);
  });

  it('for another workspace says whether that exists, and nothing of the record', async () => {
    const { world, ports } = await failed();
    const { revision: _r, createdAt: _c, updatedAt: _u, ...acme } = world.subscription()!;
    await world.store.collection(subscriptionsCollection).insert({ ...acme, _id: 'bravo' });
    expect(await runOperation(ports, { ...request, tenantId: 'nowhere' })).toEqual({ kind: 'no_such_workspace' });
    expect(await runOperation(ports, { ...request, tenantId: 'bravo' })).toMatchObject({
      kind: 'refused',
      refusal: { code: 'operation_id_reused' },
    });
  });

  it('of a workspace whose row is gone finds no workspace', async () => {
    const { ports } = await failed();
    const subscriptions = { ...ports.subscriptions, findById: async () => null };
    expect(await runOperation({ ...ports, subscriptions }, request)).toEqual({ kind: 'no_such_workspace' });
  });

  it('of a success does not read the workspace once more', async () => {
    const { ports } = await failed();
    await runOperation(ports, request);
    let reads = 0;
    const subscriptions: typeof ports.subscriptions = {
      ...ports.subscriptions,
      findById: async (id) => ((reads += 1), ports.subscriptions.findById(id)),
    };
    expect((await runOperation({ ...ports, subscriptions }, request)).kind).toBe('succeeded');
    // One reading is begun beside that of the record, before it is known that there is one.
    expect(reads).toBe(1);
  });

  it('that is refused for good clears a transition that a crash left behind', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    const suspend = { ...exampleRequest('suspend'), operationId: 'op-repeat-0002' };
    const operation: FailedOperation = inStatus(
      running('suspend', { _id: suspend.operationId, tenantId: tenant, values: suspend.values }),
      'failed',
      { error: { code: 'provider_unavailable', message: 'It was down.' } },
    );
    world.store.collection(operationsCollection).put({ ...operation, createdAt: new Date(0) });
    const read = (await ports.subscriptions.findById(tenant))!;
    const transition = {
      operationId: suspend.operationId,
      kind: 'suspend',
      attempt: 1,
      requestedAt: new Date(0),
    } as const;
    await ports.subscriptions.mutate(read, { ...read, transition });
    expect(await runOperation(ports, suspend)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'retry_window_expired' },
    });
    expect(world.subscription()).not.toHaveProperty('transition');
  });
});
