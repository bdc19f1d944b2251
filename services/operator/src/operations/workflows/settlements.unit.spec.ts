/** The reports of other services: which are taken, which are asked for once more, and what is left to people. */
import type { Checked } from '@platform/durable/steps';
import { losingWrites } from '@platform/durable/testing';
import type { SettledMessage } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { settle } from '@platform/testing';
import {
  bootOperator,
  consumer,
  createOperatorWorld,
  tenant,
  type OperatorLife,
  type OperatorWorld,
} from '../../testing/operator-world';
import type { AwaitingPaymentOperation, Operation } from '../domain/operation';
import { operationsCollection } from '../store/operations';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { lookAtPayment } from './await-payment';
import { completeOperation } from './complete-operation';
import { operationKey } from './operation-key';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';
import { settleDeletion } from './settle-deletion';
import { settleOperation } from './settle-operation';

type Running = { readonly world: OperatorWorld; readonly life: OperatorLife };
type Action = 'suspend' | 'reactivate' | 'delete_workspace';

/** An action that waits for the reports of others, and how the next report is handed over. */
async function waiting(action: Action) {
  const world = await createSituation(action === 'reactivate' ? 'suspended' : 'subscribed');
  const life = bootOperator(world, 1);
  const request = exampleRequest(action);
  expect((await runOperation(life.ports, request)).kind).toBe('unfinished');
  await settle();
  if (action === 'delete_workspace') await settleDeletion(life.ports, world.reports[0]!);
  const report = (ports: OperatorPorts): Promise<string> =>
    action === 'delete_workspace'
      ? settleDeletion(ports, world.reports[1]!)
      : settleOperation(ports, world.settlements[0]!);
  const pending = async () => (await life.ports.operations.outbox.pending(10)).length;
  return { world, life, report, pending, operation: () => world.operations()[0]! };
}

function logging({ ports }: OperatorLife) {
  const logged: (readonly [string, object])[] = [];
  const log = {
    ...silentLog,
    error: (fields: object) => void logged.push(['error', fields]),
    info: (fields: object) => void logged.push(['info', fields]),
  };
  return { logged, ports: { ...ports, log } };
}

async function loseTransition(world: OperatorWorld): Promise<void> {
  const { subscriptions } = bootOperator(world, 1).ports;
  const read = (await subscriptions.findById(tenant))!;
  const transition = { operationId: 'op-other-00001', kind: 'suspend', requestedAt: new Date(0) } as const;
  await subscriptions.mutate(read, { ...read, transition });
}

const actions: readonly Action[] = ['suspend', 'reactivate', 'delete_workspace'];

describe.each(actions)('a report that %s waits for', (action) => {
  it('is asked for once more while this process is at work on the operation', async () => {
    const { life, report, operation, pending } = await waiting(action);
    const { work } = life.ports;
    const answer = work.run(operationKey(operation()._id), () => report(life.ports));
    expect(await answer).toBe('again');
    expect(operation().status).toBe('awaiting_receipts');
    expect(await pending()).toBe(1);
    expect(await report(life.ports)).toBe('recorded');
    expect(await pending()).toBe(0);
    expect(operation().status).toBe('succeeded');
  });

  it('is asked for once more while the store does not take it, and changes nothing', async () => {
    const { world, life, report, operation, pending } = await waiting(action);
    const operations = losingWrites(life.ports.operations);
    const sent = world.provider.sends().length;
    expect(await report({ ...life.ports, operations })).toBe('again');
    expect(operation().status).toBe('awaiting_receipts');
    expect(world.provider.sends()).toHaveLength(sent);
    expect(await pending()).toBe(1);
  });

  it('is left to people where the operation does not hold the workspace', async () => {
    const { world, life, report, operation, pending } = await waiting(action);
    await loseTransition(world);
    const { logged, ports } = logging(life);
    expect(await report(ports)).toBe('recorded');
    expect(logged).toContainEqual(['error', { operationId: operation()._id }]);
    expect(operation().status).toBe('awaiting_receipts');
    expect(world.subscription()?.transition?.operationId).toBe('op-other-00001');
    expect(await pending()).toBe(0);
  });

  it('is left to people where the row of the workspace is gone', async () => {
    const { life, report, operation } = await waiting(action);
    const { logged, ports } = logging(life);
    const subscriptions = { ...ports.subscriptions, findById: async () => null };
    expect(await report({ ...ports, subscriptions })).toBe('recorded');
    expect(logged).toContainEqual(['error', { operationId: operation()._id }]);
    expect(operation().status).toBe('awaiting_receipts');
  });

  it.each(['succeeded', 'failed'] as const)('clears what a crash left of one that has %s', async (status) => {
    const { world, life, report, operation } = await waiting(action);
    await report(life.ports);
    // A resolution ends an operation as failed, and its process may crash before it clears.
    const { operations } = life.ports;
    const error = { code: 'not_applied', message: 'It did not happen.' };
    const ended = { ...operation(), ...(status === 'failed' && { error }), status };
    await operations.mutate(operation(), ended as unknown as Checked<Operation>);
    const held = { operationId: operation()._id, kind: 'suspend', requestedAt: new Date(0) } as const;
    const read = (await life.ports.subscriptions.findById(tenant))!;
    await life.ports.subscriptions.mutate(read, { ...read, transition: held });
    expect(await report(life.ports)).toBe('recorded');
    expect(world.subscription()).not.toHaveProperty('transition');
  });
});

describe('a settlement', () => {
  it('is the instant from which its operation is effective', async () => {
    const { world, life, report, operation } = await waiting('suspend');
    const settledAt = '2026-02-01T00:00:00.000Z';
    world.settlements[0] = { ...world.settlements[0]!, settledAt };
    await report(life.ports);
    expect(operation()).toMatchObject({ status: 'succeeded', effectiveAt: new Date(settledAt) });
  });

  it.each([
    ['suspend', ['awaiting_receipts']],
    ['reactivate', ['awaiting_receipts', 'succeeded']],
  ] as const)('admits an attempt only for what is left to do: %s', async (action, outcomes) => {
    const { life, report, operation } = await waiting(action);
    await report(life.ports);
    expect(operation()).toMatchObject({ status: 'succeeded' });
    expect(operation().attempts.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('of an operation that this service does not know is not its own', async () => {
    const { world, life } = await waiting('suspend');
    const foreign: SettledMessage = { ...world.settlements[0]!, operationId: 'op-elsewhere-1' };
    expect(await settleOperation(life.ports, foreign)).toBe('not_ours');
  });

  it('is logged with its operation and its consumers', async () => {
    const { life, report, operation } = await waiting('suspend');
    const { logged, ports } = logging(life);
    await report(ports);
    expect(logged).toContainEqual(['info', { operationId: operation()._id, receipts: [consumer] }]);
  });
});

describe('an effect that cannot be mirrored', () => {
  const investigated = async ({ world, life }: Running): Promise<OperatorPorts> => {
    const read = (await life.ports.subscriptions.findById(tenant))!;
    await life.ports.subscriptions.mutate(read, { ...read, transition: { ...read.transition!, investigated: true } });
    expect(world.subscription()?.transition).toHaveProperty('investigated');
    return life.ports;
  };
  const away = async ({ life: { ports } }: Running): Promise<OperatorPorts> => ({
    ...ports,
    subscriptions: losingWrites(ports.subscriptions),
  });

  it.each([
    ['the store does not take it', away, /mirror could not be written/],
    ['people investigate the operation', investigated, /no longer holds the subscription/],
  ])('stops the running attempt for people when %s', async (_why, change, message) => {
    const each = await waiting('reactivate');
    expect(await each.report(await change(each))).toBe('recorded');
    const error = { code: 'outcome_unknown', message: expect.stringMatching(message) as string };
    expect(each.operation()).toMatchObject({ status: 'reconciliation_required', error });
    expect(each.world.subscription()).toMatchObject({
      access: { state: 'closed' },
      transition: { kind: 'reactivate' },
    });
    await settle();
    expect(each.world.published.map(({ subject }) => subject)).toContain(
      'alert.reconciliation_required.operator.operation',
    );
  });

  it.each([
    ['the store does not take it', away, /mirror could not be written/],
    ['people investigate the operation', investigated, /no longer holds the subscription/],
  ])('leaves an operation without an attempt as it is when %s', async (_why, change, message) => {
    const world = await createSituation('payment_waits');
    const life = bootOperator(world, 1);
    const stored = world.operations()[0] as AwaitingPaymentOperation;
    const ports = await change({ world, life });
    const answer = await completeOperation(ports, { stored, working: stored }, world.subscription()!, []);
    expect(answer).toEqual({ kind: 'store_unavailable', detail: expect.stringMatching(message) as string });
    world.provider.confirmPayment(stored.payment.invoiceId);
    expect(await lookAtPayment(ports, stored._id)).toBe(false);
    expect(world.operations()).toEqual([stored]);
  });
});

describe('the report of a part of a deletion', () => {
  it('of another workspace is not its own', async () => {
    const { world, life } = await waiting('delete_workspace');
    expect(await settleDeletion(life.ports, { ...world.reports[1]!, tenantId: 'bravo' })).toBe('not_ours');
    expect(world.operations()[0]?.status).toBe('awaiting_receipts');
  });

  it('is asked for once more while the store does not take the first of the two', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    await runOperation(ports, exampleRequest('delete_workspace'));
    await settle();
    const operations = losingWrites(ports.operations);
    const [first] = world.reports;
    expect(await settleDeletion({ ...ports, operations }, first!)).toBe('again');
    expect(await settleDeletion(ports, first!)).toBe('recorded');
    expect(world.operations()[0]?.deletion).toEqual({
      announcedAt: expect.any(Date) as Date,
      [first!.part]: first!.at,
    });
  });

  it('notes nothing while an attempt of the deletion is under way', async () => {
    const { world, life, report, operation } = await waiting('delete_workspace');
    const { revision } = operation();
    world.store.collection(operationsCollection).put({ ...operation(), status: 'running' } as never);
    expect(await report(life.ports)).toBe('recorded');
    expect(operation()).toMatchObject({ revision, status: 'running' });
    expect(world.subscription()).toHaveProperty('transition');
  });
});
