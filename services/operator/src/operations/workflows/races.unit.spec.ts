/** Twelve executors race for one operation; no matter which one wins, the provider sees it once. */
import { createLatch, playedText, proofSize, settle } from '@platform/testing';
import { fingerprintOf, type OperationRequest } from '../domain/operation';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { runOperation } from './run-operation';

const sizes = { lean: 60, full: 1_000 };
const rounds = Number(process.env['RACE_ROUNDS'] ?? proofSize(sizes));
const executors = 12;

// The duration of the rounds is not checked.

describe('executors that race', () => {
  it(`have one effect per operation in ${rounds} rounds of ${executors}`, async () => {
    const world = await createOperatorWorld();
    const lives = Array.from({ length: executors }, (_, at) => bootOperator(world, at + 1));
    for (let round = 0; round < rounds; round += 1) {
      const request: OperationRequest = {
        operationId: `op-race-${String(round).padStart(6, '0')}`,
        tenantId: tenant,
        action: 'credit_customer',
        values: { amountCents: 1, reason: 'race' },
        actor: { id: 'owner' },
      };
      const answers = await Promise.all(lives.map(({ ports }) => runOperation(ports, request)));
      expect(answers.filter(({ kind }) => kind === 'succeeded').length).toBeGreaterThanOrEqual(1);
    }
    const effects = world.provider.ledger();
    expect(effects).toHaveLength(rounds);
    expect(new Set(effects.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(rounds);
    expect(world.provider.sends()).toHaveLength(rounds);
    process.stdout.write(`races: ${playedText(rounds, sizes, `rounds of ${executors} executors`)}, one effect each\n`);
  });

  it('have one effect when they race for the second attempt of an operation that has failed', async () => {
    const world = await createOperatorWorld();
    const lives = Array.from({ length: executors }, (_, at) => bootOperator(world, at + 1));
    const request: OperationRequest = {
      operationId: 'op-race-e-0001',
      tenantId: tenant,
      action: 'credit_customer',
      values: { amountCents: 1, reason: 'race' },
      actor: { id: 'owner' },
    };
    world.provider.setDown(true);
    expect((await runOperation(lives[0]!.ports, request)).kind).toBe('failed');
    world.provider.setDown(false);
    const before = world.provider.sends().length;
    await Promise.all(lives.map(({ ports }) => runOperation(ports, request)));
    expect(world.provider.sends().length - before).toBe(1);
    expect(world.provider.ledger()).toHaveLength(1);
  });

  it.each([[[1]], [[2]], [[1, 2]], [[1, 3]], [[2, 3]]])(
    'are one when two equal requests of one process lose the answers of inserts %j',
    async (losing) => {
      const world = await createOperatorWorld();
      const { ports } = bootOperator(world, 1);
      const now = world.clock.now();
      let inserts = 0;
      const operations = {
        ...ports.operations,
        insert: async (...given: Parameters<typeof ports.operations.insert>) => {
          const answer = await ports.operations.insert(...given);
          inserts += 1;
          return losing.includes(inserts) ? ({ outcome: 'unknown', reason: 'the answer was lost' } as const) : answer;
        },
      };
      const request: OperationRequest = {
        operationId: 'op-race-d-0001',
        tenantId: tenant,
        action: 'credit_customer',
        values: { amountCents: 1, reason: 'race' },
        actor: { id: 'owner' },
      };
      const sending = createLatch();
      const provider: typeof ports.provider = {
        ...ports.provider,
        prepare: (intent, effect) => {
          const call = ports.provider.prepare(intent, effect);
          return { ...call, send: () => sending.wait().then(() => call.send()) };
        },
      };
      const twice = { ...ports, operations, provider, clock: { ...ports.clock, now: () => now } };
      const answers = Promise.all([runOperation(twice, request), runOperation(twice, request)]);
      await sending.reached();
      await settle();
      sending.open();
      expect(
        (await answers).map((answer) => (answer.kind === 'refused' ? answer.refusal.code : answer.kind)).sort(),
      ).toEqual(['operation_running', 'succeeded']);
      expect(world.provider.sends()).toHaveLength(1);
    },
  );

  it('let exactly one of two different actions hold the subscription', async () => {
    const world = await createOperatorWorld();
    const ask = (
      life: number,
      operationId: string,
      action: OperationRequest['action'],
      values: OperationRequest['values'],
    ) =>
      runOperation(bootOperator(world, life).ports, {
        operationId,
        tenantId: tenant,
        action,
        values,
        actor: { id: 'owner' },
      });
    const answers = await Promise.all([
      ask(1, 'op-race-a-0001', 'suspend', {}),
      ask(2, 'op-race-b-0001', 'upgrade_plan', { planId: 'pro' }),
    ]);
    const fenced = answers.filter(
      (answer) => answer.kind === 'failed' && answer.operation.error.code === 'transition_pending',
    );
    expect(fenced).toHaveLength(1);
    expect(world.provider.ledger()).toHaveLength(1);
  });

  it('cannot share an id between two requests that differ: one of them is refused', async () => {
    const world = await createOperatorWorld();
    const credit = (amountCents: number): OperationRequest => ({
      operationId: 'op-race-c-0001',
      tenantId: tenant,
      action: 'credit_customer',
      values: { amountCents, reason: 'race' },
      actor: { id: 'owner' },
    });
    await Promise.all([1, 2].map((life) => runOperation(bootOperator(world, life).ports, credit(life * 100))));
    expect(world.provider.ledger()).toHaveLength(1);
    const [stored] = world.operations();
    expect(world.provider.ledger()[0]?.amount).toBe(stored?.fingerprint === fingerprintOf(credit(100)) ? -100 : -200);
  });
});
