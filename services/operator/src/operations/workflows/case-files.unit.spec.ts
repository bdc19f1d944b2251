/** The case file of an operation, and what it does not prove. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { ok, refused, unknown, type ExecutorKnowledge } from '@platform/kernel';
import type { EffectEvidence } from '@platform/payment-provider';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { operationsCollection } from '../store/operations';
import { exampleRequest } from '../testing/example-worlds';
import { collectEvidence, unprovenAtProvider, type CaseFile, type EvidencePorts } from './collect-evidence';
import { runOperation } from './run-operation';

type Fault = 'lost_answer_after_effect' | 'lost_answer_before_effect';

/** An operation that has run, and the ports that collect its case file. */
async function ran(action: 'credit_customer' | 'suspend', fault?: Fault) {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  if (fault) world.provider.failNext(fault);
  const request = exampleRequest(action);
  await runOperation(ports, request);
  const asked: unknown[] = [];
  const evidence = (state: ExecutorKnowledge['state'], delivery: unknown = { deliveries: [] }): EvidencePorts => ({
    ...ports,
    askExecutors: async (questions) => questions.map(() => ({ state })),
    messaging: {
      request: async (...question) => {
        asked.push(question.slice(0, 2));
        return delivery === 'no answer'
          ? refused({ code: 'no_responders', message: 'no process serves it' })
          : ok(delivery);
      },
    },
  });
  const collect = async (...given: Parameters<typeof evidence>): Promise<CaseFile> =>
    (await collectEvidence(evidence(...given), tenant, request.operationId))!;
  return { world, ports, request, asked, evidence, collect };
}

const executorIsQuiet = (state: string) =>
  `That the executor operator-1 (incarnation incarnation-1, ${state}) is quiescent.`;
const absent = 'That the provider did not and will not execute balance_credit: an absent object may still appear.';
const nothingMore = 'That nothing more will happen: a matching provider read alone does not prove quiescence.';

describe('the case file', () => {
  it('holds the record, its workspace, its executors, what the provider shows, and the instant', async () => {
    const { world, collect } = await ran('credit_customer');
    const file = await collect('stopped');
    expect(file).toEqual({
      operation: world.operations()[0],
      executors: {},
      collectedAt: expect.any(Date) as Date,
      subscription: world.subscription(),
      provider: { source: 'answered', evidence: [expect.objectContaining({ step: 'balance_credit' })] },
      lifecycle: { source: 'not_applicable' },
      notProven: [],
    });
  });

  it('exists for no other workspace and no other id', async () => {
    const { evidence, request } = await ran('credit_customer');
    expect(await collectEvidence(evidence('stopped'), 'bravo', request.operationId)).toBeNull();
    expect(await collectEvidence(evidence('stopped'), tenant, 'op-elsewhere-1')).toBeNull();
  });

  it('has the deliveries of its lifecycle message, for which it asks by id', async () => {
    const { collect, asked, request } = await ran('suspend');
    expect((await collect('stopped')).lifecycle).toEqual({ source: 'answered', deliveries: [] });
    expect(asked).toEqual([[lifecycleRequests.operation, { operationId: request.operationId }]]);
  });

  it.each([
    ['without an answer', 'no answer', /did not answer \(no_responders\)/],
    ['in a form of another build', { deliveries: 'many' }, /does not know/],
  ])('says that the deliveries came %s', async (_how, delivery, problem) => {
    const { collect } = await ran('suspend');
    expect((await collect('stopped', delivery)).lifecycle).toEqual({
      source: 'unavailable',
      problem: expect.stringMatching(problem) as string,
    });
  });

  it('asks for no deliveries where nothing was announced', async () => {
    const { collect, asked } = await ran('credit_customer');
    await collect('stopped');
    expect(asked).toEqual([]);
  });
});

describe('what a case file does not prove', () => {
  it.each([
    ['alive', [executorIsQuiet('alive')]],
    ['superseded', [executorIsQuiet('superseded')]],
    ['stopped', []],
    ['not_under_way', []],
    ['declared_gone', []],
  ] as const)('of a stopped operation whose executor is %s', async (state, quiescence) => {
    const { collect } = await ran('credit_customer', 'lost_answer_before_effect');
    expect((await collect(state)).notProven).toEqual([...quiescence, absent]);
  });

  it('of an effect that the provider shows is that nothing more will happen', async () => {
    const { collect } = await ran('credit_customer', 'lost_answer_after_effect');
    expect((await collect('stopped')).notProven).toEqual([nothingMore]);
  });

  it('of a record whose call has no answer is whether it was sent', async () => {
    const { world, collect } = await ran('credit_customer');
    const [operation] = world.operations();
    const calls = [
      { step: 'create_customer', skipped: 'there is one' },
      { step: 'balance_credit', sentAt: new Date(0), idempotencyKey: 'k' },
    ];
    const attempts = [{ ...operation!.attempts[0]!, providerCalls: calls }];
    world.store.collection(operationsCollection).put({ ...operation, status: 'running', attempts } as never);
    const { notProven } = await collect('stopped');
    expect(notProven).toEqual([
      nothingMore,
      'Whether attempt 1, step balance_credit was sent: it was recorded, and no answer was.',
    ]);
  });

  it('of an intent without an attempt is nothing of an executor', async () => {
    const { world, collect } = await ran('credit_customer');
    const [operation] = world.operations();
    world.store.collection(operationsCollection).put({ ...operation, status: 'running', attempts: [] } as never);
    expect(await collect('alive')).toMatchObject({ provider: { source: 'not_applicable' }, notProven: [] });
  });

  it('of a provider that does not answer is whether the step took effect', async () => {
    const { ports, evidence, request } = await ran('credit_customer', 'lost_answer_after_effect');
    const provider = { ...ports.provider, listBalanceTransactions: async () => unknown('time-out') };
    const file = await collectEvidence({ ...evidence('stopped'), provider }, tenant, request.operationId);
    expect(file?.provider.source).toBe('unavailable');
    expect(file?.notProven).toEqual([
      'What the provider did: not all of it could be read.',
      expect.stringMatching(/^Whether balance_credit took effect: .* was not read \(.*time-out.*\)\.$/),
    ]);
  });
});

describe('what the findings at the provider leave open', () => {
  const finding = (change: Partial<EffectEvidence>): EffectEvidence => ({
    step: 'balance_credit',
    search: 'listBalanceTransactions of cus_1',
    looksFor: 'a credit',
    readAt: new Date(0),
    source: 'answered',
    objects: [],
    ...change,
  });
  const object = { kind: 'invoice', id: 'in_1', summary: {} } as unknown as EffectEvidence['objects'][number];

  it.each<[string, readonly EffectEvidence[], readonly string[]]>([
    ['nothing', [], []],
    ['one that is absent', [finding({})], [absent]],
    ['one that is there', [finding({ objects: [object] })], [nothingMore]],
    ['one of each', [finding({ objects: [object] }), finding({})], [absent, nothingMore]],
  ])('after %s', (_what, evidence, unproven) => {
    expect(unprovenAtProvider({ source: 'answered', evidence })).toEqual(unproven);
  });
});
