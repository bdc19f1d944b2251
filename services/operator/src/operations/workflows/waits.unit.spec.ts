/** The waits of callers and payments: how they end, and what is known where they end without an outcome. */
import { losingWrites } from '@platform/durable/testing';
import { silentLog, unknown } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { awaitOutcome, createOutcomeNotifier } from './await-outcome';
import { lookAtPayment, lookAtPayments } from './await-payment';
import { finishClearing } from './finish-clearing';
import { fenceAdmission, fenceTransition } from './fence-executor';
import { lost } from './journal-outcome';
import { createKnownWorkspaces } from './known-workspaces';
import { operationKey } from './operation-key';
import type { OperatorPorts } from './ports';
import { operationBecomes } from './read-resolution';
import { inStatus, running, workspace } from '../testing/action-fixtures';
import { runOperation } from './run-operation';
import type { OperationAnswer } from './operation-answer';

const credit = exampleRequest('credit_customer');
const suspend = exampleRequest('suspend');
const never = new Promise<OperationAnswer>(() => undefined);

describe('the notifier', () => {
  it('calls every listener of the operation, and none that has stopped listening', () => {
    const notifier = createOutcomeNotifier();
    const heard: string[] = [];
    const stop = notifier.listen('op-00000001', ({ status }) => heard.push(`first ${status}`));
    notifier.listen('op-00000001', ({ status }) => heard.push(`second ${status}`));
    notifier.listen('op-00000002', ({ status }) => heard.push(`other ${status}`));
    notifier.notify(running('suspend'));
    stop();
    notifier.notify(running('suspend'));
    notifier.notify(running('suspend', { _id: 'op-00000003' }));
    expect(heard).toEqual(['first running', 'second running', 'second running']);
  });
});

describe('a caller whose wait is over', () => {
  it.each([
    [true, /an executor goes on trying/],
    [false, /There is no record/],
  ])('learns whether an executor is at work on an intent without a record: %s', async (atWork, detail) => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const wait = () =>
      awaitOutcome(ports, credit.operationId, 0, (accepted) => {
        accepted();
        return never;
      });
    const answer = atWork ? await ports.work.run(operationKey(credit.operationId), wait) : await wait();
    expect(answer).toEqual({ kind: 'store_unavailable', atWork, detail: expect.stringMatching(detail) as string });
  });

  it.each([
    [true, /An executor is at work/],
    [false, /No executor of this process/],
  ])('learns from a store that does not answer whether an executor is at work: %s', async (atWork, detail) => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const wait = () =>
      awaitOutcome(ports, credit.operationId, 0, () => Promise.reject(new StoreUnavailableError('down')));
    const answer = atWork ? await ports.work.run(operationKey(credit.operationId), wait) : await wait();
    expect(answer).toEqual({ kind: 'store_unavailable', atWork, detail: expect.stringMatching(detail) as string });
  });

  it('gets the error of a defect', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const defect = new Error('a defect');
    await expect(awaitOutcome(ports, credit.operationId, 0, () => Promise.reject(defect))).rejects.toBe(defect);
  });

  it('gets what the run answers at once, without another reading', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    let reads = 0;
    const operations: OperatorPorts['operations'] = {
      ...ports.operations,
      findById: async (id) => ((reads += 1), ports.operations.findById(id)),
    };
    const answer = await awaitOutcome({ ...ports, operations }, credit.operationId, 60_000, async () => ({
      kind: 'no_such_workspace',
    }));
    expect(answer).toEqual({ kind: 'no_such_workspace' });
    expect(reads).toBe(0);
  });
});

describe('a round over the payments that wait', () => {
  it('looks at none of them when the process stops', async () => {
    const world = await createSituation('payment_waits');
    const { ports } = bootOperator(world, 1);
    world.provider.expirePayment(world.operations()[0]!.payment!.invoiceId);
    expect(await lookAtPayments(ports, () => true)).toBe(0);
    expect(world.operations()[0]?.status).toBe('awaiting_payment');
    expect(await lookAtPayments(ports, () => false)).toBe(1);
  });

  it.each([
    ['the invoice cannot be read', { retrieveInvoice: async () => unknown('time-out') }],
    ['the subscription cannot be read', { retrieveSubscription: async () => unknown('time-out') }],
  ])('ends nothing while %s', async (_why, change) => {
    const world = await createSituation('payment_waits');
    const { ports } = bootOperator(world, 1);
    const [{ _id, payment } = running('upgrade_plan')] = world.operations();
    world.provider.confirmPayment(payment!.invoiceId);
    const provider = { ...ports.provider, ...change };
    expect(await lookAtPayment({ ...ports, provider }, _id)).toBe(false);
    const subscriptions = { ...ports.subscriptions, findById: async () => null };
    expect(await lookAtPayment({ ...ports, subscriptions }, _id)).toBe(false);
    expect(world.operations()[0]?.status).toBe('awaiting_payment');
    expect(await lookAtPayment(ports, _id)).toBe(true);
  });

  it('finds nothing to look at in an operation that is unknown or waits for no payment', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    await runOperation(ports, credit);
    expect(await lookAtPayment(ports, credit.operationId)).toBe(false);
    expect(await lookAtPayment(ports, 'op-elsewhere-1')).toBe(false);
  });
});

describe('the end of an upgrade that was given up', () => {
  it('is left to the next round, and logged, when its invoice cannot be looked at now', async () => {
    const world = await createSituation('payment_waits');
    const { ports } = bootOperator(world, 1);
    const request = exampleRequest('give_up_upgrade');
    const [upgrade] = world.operations();
    const warned: object[] = [];
    const down = new StoreUnavailableError('down');
    const given = { ...ports, log: { ...silentLog, warn: (fields: object) => void warned.push(fields) } };
    const provider = { ...ports.provider, retrieveInvoice: () => Promise.reject(down) };
    expect((await runOperation({ ...given, provider }, request)).kind).toBe('succeeded');
    expect(warned).toEqual([{ operationId: request.operationId, upgradeId: upgrade!._id, err: down }]);
    expect(await lookAtPayments(ports)).toBe(1);
  });
});

describe('the sweep of transitions that were left', () => {
  it('counts those of operations under way, and clears only those of ended ones', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    await runOperation(ports, suspend);
    expect(await finishClearing(ports)).toEqual({ standing: 1, cleared: 0 });
    expect(world.subscription()).toHaveProperty('transition');
  });

  /** An operation with this end, whose transition could not be cleared. */
  async function endedHolding(end: 'succeeded' | 'failed') {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    if (end === 'failed') world.provider.failNext('card_declined');
    const subscriptions = losingWrites(ports.subscriptions, () => world.operations()[0]?.status === end);
    const request = exampleRequest('upgrade_plan');
    await runOperation({ ...ports, subscriptions }, request);
    expect(world.subscription()).toMatchObject({ transition: { operationId: request.operationId } });
    return { world, ports, operation: world.operations()[0]! };
  }

  it.each(['succeeded', 'failed'] as const)('clears that of an operation that %s', async (end) => {
    const { world, ports } = await endedHolding(end);
    expect(await finishClearing(ports)).toEqual({ standing: 1, cleared: 1 });
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it.each(['succeeded', 'failed'] as const)('is not needed where an executor finds that it %s', async (end) => {
    const { world, ports, operation } = await endedHolding(end);
    expect((await lost(ports, operation)).kind).toBe(end);
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it('reads only workspaces with a transition, and leaves one whose operation is not found', async () => {
    const { ports } = await endedHolding('succeeded');
    const filters: object[] = [];
    const warned: object[] = [];
    const subscriptions: OperatorPorts['subscriptions'] = {
      ...ports.subscriptions,
      find: async (filter, ...query) => {
        filters.push(filter);
        return [...(await ports.subscriptions.find(filter, ...query)), workspace({ _id: 'cleared-meanwhile' })];
      },
    };
    const operations: OperatorPorts['operations'] = { ...ports.operations, findById: async () => null };
    const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
    expect(await finishClearing({ ...ports, subscriptions, operations, log })).toEqual({ standing: 1, cleared: 0 });
    expect(filters).toEqual([{ 'transition.operationId': { $exists: true } }]);
    expect(warned).toEqual([]);
    expect(await finishClearing(ports)).toEqual({ standing: 1, cleared: 1 });
  });

  it('does not count a transition that it could not clear', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    world.provider.failNext('rate_limited');
    const subscriptions = losingWrites(ports.subscriptions, () => world.operations()[0]?.status === 'failed');
    const away = { ...ports, subscriptions };
    await runOperation(away, suspend);
    expect(await finishClearing(away)).toEqual({ standing: 1, cleared: 0 });
    expect(await finishClearing(ports)).toEqual({ standing: 1, cleared: 1 });
    expect(await finishClearing(ports)).toEqual({ standing: 0, cleared: 0 });
  });
});

describe('the fences of a resolution', () => {
  const stopped = inStatus(running('suspend'), 'reconciliation_required', { error: { code: 'c', message: 'm' } });
  const transition = { operationId: stopped._id, kind: 'suspend', attempt: 1, requestedAt: new Date(0) } as const;

  /** A workspace whose first writes are lost to another writer. */
  function fencing(subscription: ReturnType<typeof workspace> | null, lost: number) {
    const written: object[] = [];
    let tries = 0;
    const subscriptions = {
      findById: async () => subscription,
      mutate: async (_read: object, next: object) => {
        tries += 1;
        if (tries <= lost) return { outcome: 'not_applied' };
        written.push(next);
        return { outcome: 'applied', record: next };
      },
    } as unknown as OperatorPorts['subscriptions'];
    return { written, tries: () => tries, ports: { subscriptions } };
  }
  const held = workspace({ transition });

  it('close the transition of the operation, after lost races too', async () => {
    const { ports, written, tries } = fencing(held, 7);
    expect(await fenceTransition(ports, stopped)).toBe(true);
    expect(written).toEqual([{ ...held, transition: { ...transition, investigated: true } }]);
    expect(tries()).toBe(8);
  });

  it('are not known to be closed after eight lost races', async () => {
    const { ports, tries } = fencing(held, 100);
    expect(await fenceTransition(ports, stopped)).toBe(false);
    expect(tries()).toBe(8);
  });

  it.each([
    ['there is no workspace', null],
    ['there is no transition', workspace()],
    ['another operation has the transition', workspace({ transition: { ...transition, operationId: 'op-other-01' } })],
  ])('need no write before the resolution where %s', async (_where, subscription) => {
    const { ports, written } = fencing(subscription, 0);
    expect(await fenceTransition(ports, stopped)).toBe(true);
    expect(written).toEqual([]);
  });

  it.each([
    ['without a transition gets another revision', workspace(), [workspace()]],
    ['with a transition is left', held, []],
  ])('leave the record as it is: one %s', async (_which, subscription, expected) => {
    const { ports, written } = fencing(subscription, 0);
    expect(await fenceAdmission(ports, stopped)).toBe(true);
    expect(written).toEqual(expected);
  });
});

describe('the workspaces that a process has met', () => {
  it('are remembered up to a number, and read again after it', async () => {
    const read: string[] = [];
    const known = createKnownWorkspaces({
      findById: async (id) => (read.push(id), id.startsWith('no') ? null : workspace({ _id: id })),
    });
    expect(await known.exists('acme')).toBe(true);
    expect(await known.exists('acme')).toBe(true);
    expect(await known.exists('nowhere')).toBe(false);
    expect(await known.exists('nowhere')).toBe(false);
    expect(read).toEqual(['acme', 'nowhere', 'nowhere']);
    for (let n = 1; n < 100_000; n += 1) known.met({ _id: `w-${n}`, planId: 'free' });
    known.met({ _id: 'acme', planId: 'pro' });
    expect([known.planOf('acme'), known.planOf('w-1')]).toEqual(['pro', 'free']);
    known.met({ _id: 'one-more', planId: 'free' });
    expect([known.planOf('acme'), known.planOf('one-more')]).toEqual([undefined, 'free']);
  });
});

describe('the consequence of a resolution', () => {
  it.each([
    ['applied', /^The operation becomes succeeded;/],
    ['not_applied', /^The operation becomes failed;/],
  ] as const)('%s is named', (outcome, sentence) => {
    expect(operationBecomes({ outcome })).toMatch(sentence);
  });
});
