/** What an attempt counts, logs and keeps, and what it leaves to others. */
import { losingWrites, overtakenWrites } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { mirrorRefreshesCollection } from '../../mirror/store/mirror-refreshes';
import { createSituation, exampleRequest } from '../testing/example-worlds';
import { recordEnd } from '../testing/record-end';
import { operationKey } from './operation-key';
import { errorOf, finishAfterReceipts } from './perform-attempt';
import { actionOf } from '../domain/actions';
import { running } from '../testing/action-fixtures';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';

const credit = exampleRequest('credit_customer');
const suspend = exampleRequest('suspend');
const upgrade = exampleRequest('upgrade_plan');

/** The ports of a world, with what they count and log. */
function observed(world: OperatorWorld) {
  const [counted, logged]: [string[], object[]] = [[], []];
  const life = bootOperator(world, 1);
  const ports: OperatorPorts = {
    ...life.ports,
    meter: {
      operationReached: (action, status) => void counted.push(`${action} ${status}`),
      providerAnswered: (step, outcome) => void counted.push(`${step} ${outcome}`),
    },
    log: {
      ...silentLog,
      info: (fields) => void logged.push(fields),
      warn: (fields) => void logged.push(fields),
    },
  };
  return { life: { ...life, ports }, ports, counted, logged };
}

/** People record the end of the operation while its call is under way, and the executor loses its next write. */
function judgedMeanwhile(ports: OperatorPorts, world: OperatorWorld, operationId: string): OperatorPorts {
  const provider: OperatorPorts['provider'] = {
    ...ports.provider,
    prepare: (intent, effect) => {
      const call = ports.provider.prepare(intent, effect);
      const send = async () => {
        const answer = await call.send();
        await recordEnd(world, operationId, 'applied');
        return answer;
      };
      return { ...call, send };
    },
  };
  return { ...ports, provider };
}

describe('the counts of an operation', () => {
  it('name each answer of the provider and each status that it reaches, once', async () => {
    const world = await createOperatorWorld();
    const { life, counted } = observed(world);
    await runOperation(life.ports, credit);
    await runOperation(life.ports, credit);
    await runOperation(life.ports, suspend);
    await deliverSettlements(world, life);
    await runOperation(life.ports, { ...credit, operationId: 'op-credit-0002' });
    expect(counted).toEqual([
      'balance_credit succeeded',
      'credit_customer succeeded',
      'pause_collection succeeded',
      'suspend awaiting_receipts',
      'suspend succeeded',
      'balance_credit succeeded',
      'credit_customer succeeded',
    ]);
  });

  it.each([
    ['a refusal', { provider: {} }, credit, ['credit_customer failed']],
    ['a refused transition', { status: 'suspended' }, suspend, ['suspend failed']],
  ] as const)('name %s', async (_what, workspace, request, expected) => {
    const { ports, counted } = observed(await createOperatorWorld(workspace));
    await runOperation(ports, request);
    expect(counted).toEqual(expected);
  });

  it('name the wait for a payment, and an outcome that is not known', async () => {
    const world = await createOperatorWorld();
    const { ports, counted, logged } = observed(world);
    world.provider.askForConfirmation('sub_acme');
    await runOperation(ports, upgrade);
    expect(counted.at(-1)).toBe('upgrade_plan awaiting_payment');
    expect(logged).toContainEqual({ operationId: upgrade.operationId });
    world.provider.failNext('lost_answer_after_effect');
    await runOperation(ports, credit);
    expect(counted.slice(-2)).toEqual(['balance_credit unknown', 'credit_customer reconciliation_required']);
  });

  it.each([
    ['a credit', credit, 'balance_credit'],
    ['a suspension', suspend, 'pause_collection'],
  ])('leave out the end of %s that people recorded meanwhile', async (_what, request, step) => {
    const world = await createOperatorWorld();
    const { ports, counted, logged } = observed(world);
    const answer = await runOperation(judgedMeanwhile(ports, world, request.operationId), request);
    expect(answer).toMatchObject({ kind: 'succeeded', operation: { resolution: { outcome: 'applied' } } });
    expect(counted).toEqual([`${step} succeeded`]);
    expect(logged).not.toContainEqual(expect.objectContaining({ transition: 'suspended' }));
    expect(world.subscription()).not.toHaveProperty('transition');
  });

  it('leave out a wait for a payment that people ended meanwhile', async () => {
    const world = await createOperatorWorld();
    const { ports, counted } = observed(world);
    world.provider.askForConfirmation('sub_acme');
    const { prepare } = ports.provider;
    const judged = judgedMeanwhile(ports, world, upgrade.operationId);
    const provider: OperatorPorts['provider'] = {
      ...judged.provider,
      prepare: (intent, effect) =>
        effect.step === 'hold_price_change' ? judged.provider.prepare(intent, effect) : prepare(intent, effect),
    };
    expect((await runOperation({ ...ports, provider }, upgrade)).kind).toBe('succeeded');
    expect(counted).toEqual(['change_price failed', 'hold_price_change succeeded']);
  });
});

describe('the transition of an attempt', () => {
  it('names its operation, its kind, the attempt and when it was asked for', async () => {
    const world = await createOperatorWorld();
    const { ports, logged } = observed(world);
    world.provider.failNext('rate_limited');
    await runOperation(ports, suspend);
    await runOperation(ports, suspend);
    expect(world.subscription()?.transition).toEqual({
      operationId: suspend.operationId,
      kind: 'suspend',
      attempt: 2,
      requestedAt: world.operations()[0]!.createdAt,
    });
    expect(logged).toContainEqual({ operationId: suspend.operationId, transition: 'suspended' });
  });

  it('is given up after eight lost races, and may be asked for once more', async () => {
    const world = await createOperatorWorld();
    const { ports } = observed(world);
    let races = 0;
    const subscriptions = overtakenWrites(ports.subscriptions, () => (races += 1) > 0);
    const answer = await runOperation({ ...ports, subscriptions }, suspend);
    expect(answer).toMatchObject({
      kind: 'failed',
      operation: {
        error: { code: 'transition_pending', message: expect.stringMatching(/changed too often/) as string },
      },
    });
    expect(races).toBe(8);
    expect(world.provider.sends()).toEqual([]);
    expect((await runOperation(ports, suspend)).kind).toBe('unfinished');
  });

  it('that is not cleared after the journal is logged, and does not change the answer', async () => {
    const world = await createOperatorWorld();
    const { ports, logged } = observed(world);
    world.provider.failNext('rate_limited');
    const subscriptions = losingWrites(ports.subscriptions, () => world.operations()[0]?.status === 'failed');
    const answer = await runOperation({ ...ports, subscriptions }, suspend);
    expect(answer.kind).toBe('failed');
    expect(logged).toContainEqual({ operationId: suspend.operationId, tenantId: tenant });
    expect(world.subscription()).toHaveProperty('transition');
    logged.length = 0;
    for (const operationId of ['op-cleared-0001', credit.operationId])
      await runOperation(ports, operationId === credit.operationId ? credit : { ...upgrade, operationId });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(logged).not.toContainEqual(expect.objectContaining({ tenantId: tenant, operationId: expect.any(String) }));
  });

  it('is not taken by an attempt whose operation people ended meanwhile', async () => {
    const world = await createOperatorWorld();
    const { ports, counted } = observed(world);
    const subscriptions = overtakenWrites(ports.subscriptions, async () => {
      await recordEnd(world, suspend.operationId, 'not_applied');
      return true;
    });
    const answer = await runOperation({ ...ports, subscriptions }, suspend);
    expect(answer).toMatchObject({ kind: 'failed', operation: { error: { code: 'resolved_not_applied' } } });
    expect(counted).toEqual([]);
    expect(world.subscription()).toMatchObject({ access: { state: 'open' } });
  });
});

describe('a retry', () => {
  it('is refused while this process is at work on the operation', async () => {
    const world = await createOperatorWorld();
    const { ports } = observed(world);
    world.provider.failNext('rate_limited');
    await runOperation(ports, credit);
    const sent = world.provider.sends().length;
    const answer = ports.work.run(operationKey(credit.operationId), () => runOperation(ports, credit));
    expect(await answer).toMatchObject({
      kind: 'refused',
      refusal: { code: 'operation_running' },
      operation: { status: 'failed', attempts: { length: 1 } },
    });
    expect(world.provider.sends()).toHaveLength(sent);
  });

  it.each([
    ['an intent', upgrade, 1],
    ['a failure', credit, 2],
  ])('of %s that is refused is one write, and keeps every attempt', async (_what, request, attempts) => {
    const world = await createOperatorWorld();
    const { ports, counted } = observed(world);
    world.provider.failNext('rate_limited');
    await runOperation(ports, credit);
    const read = (await ports.subscriptions.findById(tenant))!;
    await ports.subscriptions.mutate(read, { ...read, provider: {} });
    let writes = 0;
    const { mutate } = ports.operations;
    const operations = {
      ...ports.operations,
      mutate: async (...given: Parameters<typeof mutate>) => ((writes += 1), mutate(...given)),
    };
    const answer = await runOperation({ ...ports, operations }, request);
    expect(answer).toMatchObject({ kind: 'failed', operation: { attempts: { length: attempts } } });
    expect(writes).toBe(1);
    expect(counted.at(-1)).toBe(`${request.action} failed`);
    expect(world.provider.sends()).toHaveLength(1);
  });
});

describe('the mirror after an attempt', () => {
  it('is noted to be read once more when it cannot be read now, and the answer says what happened', async () => {
    const world = await createSituation('change_pending');
    const { ports, logged } = observed(world);
    const request = exampleRequest('cancel_subscription');
    world.provider.failNext('rate_limited', { step: 'cancel_at_period_end' });
    const down = new Error('the store is down');
    const refreshes = { ...ports.refreshes, remove: () => Promise.reject(down) };
    expect(await runOperation({ ...ports, refreshes }, request)).toMatchObject({
      kind: 'failed',
      operation: { error: { code: 'partial_effect' } },
    });
    expect(world.store.collection(mirrorRefreshesCollection).all()).toMatchObject([
      { _id: tenant, eventId: `operation:${request.operationId}`, reason: 'operation' },
    ]);
    expect(logged).toContainEqual({ operationId: request.operationId, tenantId: tenant, err: down });
  });

  it('is noted to be read after an investigation', async () => {
    const world = await createOperatorWorld();
    const { ports } = observed(world);
    world.provider.failNext('lost_answer_after_effect');
    await runOperation(ports, suspend);
    await recordEnd(world, suspend.operationId, 'applied');
    expect(world.store.collection(mirrorRefreshesCollection).all()).toMatchObject([
      { _id: tenant, eventId: `resolution:${suspend.operationId}`, reason: 'resolution' },
    ]);
  });

  it('is not noted after an attempt that changed nothing', async () => {
    const world = await createOperatorWorld();
    const { ports } = observed(world);
    world.provider.failNext('rate_limited');
    await runOperation(ports, suspend);
    await runOperation(ports, credit);
    expect(world.store.collection(mirrorRefreshesCollection).all()).toEqual([]);
  });
});

describe('the words of a refusal', () => {
  it.each([
    [{ code: 'already_suspended' }, { code: 'already_suspended', message: expect.any(String) as string }],
    [
      { code: 'already_suspended', detail: 'since March' },
      { code: 'already_suspended', message: 'since March' },
    ],
    [
      { code: 'workspace_closed', detail: 'closed', access: 'suspended' },
      { code: 'workspace_closed', message: 'closed', detail: { access: 'suspended' } },
    ],
  ] as const)('of %j are kept in the journal', (refusal, error) => {
    expect(errorOf(refusal)).toEqual(error);
  });
});

describe('an action with nothing to do after its receipts', () => {
  it('calls nothing', async () => {
    const world = await createOperatorWorld();
    const { ports } = observed(world);
    await finishAfterReceipts(ports, actionOf('suspend'), running('suspend', { values: {} }), world.subscription()!);
    expect(world.provider.sends()).toEqual([]);
  });
});
