/** What is asked at the provider for an operation, and what is known when a part of it cannot be read. */
import { unknown } from '@platform/kernel';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { attempt, running, workspace } from '../testing/action-fixtures';
import { exampleRequest } from '../testing/example-worlds';
import { findAtProvider, questionOf } from './find-at-provider';
import { runOperation } from './run-operation';

const call = (step: string) => ({ step, idempotencyKey: `k-${step}`, sentAt: new Date(0) });

describe('the question for an operation', () => {
  it('has the calls of all its attempts, and nothing of a workspace that is gone', () => {
    const attempts = [
      attempt({ providerCalls: [call('create_customer'), call('balance_credit')] }),
      attempt({ number: 2, providerCalls: [call('balance_credit')] }),
    ];
    expect(questionOf(running('credit_customer', { attempts }), null)).toStrictEqual({
      operationId: 'op-00000001',
      calls: attempts.flatMap(({ providerCalls }) => providerCalls),
      handles: {},
    });
  });

  it.each([
    ['of its workspace', undefined, {}],
    [
      'that its record fixed before those of its workspace',
      { subscriptionId: 'sub_old', scheduleId: 'sched_1', priceId: 'price_pro', currency: 'usd' },
      { subscriptionId: 'sub_old', scheduleId: 'sched_1', priceId: 'price_pro' },
    ],
    ['of the customer that its record fixed', { customerId: 'cus_new' }, { customerId: 'cus_new' }],
  ])('has the ids %s', (_which, checkpoint, expected) => {
    const operation = running('upgrade_plan', checkpoint ? { checkpoint } : {});
    expect(questionOf(operation, workspace({ provider: {} })).handles).toStrictEqual(expected);
    const ofWorkspace = { customerId: 'cus_acme', subscriptionId: 'sub_acme' };
    expect(questionOf(operation, workspace()).handles).toStrictEqual({ ...ofWorkspace, ...expected });
  });
});

describe('what the provider shows', () => {
  it('is not known as a whole when one of its searches is not answered', async () => {
    const world = await createOperatorWorld();
    const { ports } = bootOperator(world, 1);
    await runOperation(ports, exampleRequest('credit_customer'));
    const [credit] = world.operations();
    const question = questionOf(credit!, world.subscription()!);
    const both = { ...question, calls: [...question.calls, { ...question.calls[0]!, step: 'change_price' }] };
    expect((await findAtProvider(ports, both)).source).toBe('answered');
    const provider = { ...ports.provider, listBalanceTransactions: async () => unknown('time-out') };
    const { source, evidence } = await findAtProvider({ ...ports, provider }, both);
    expect([source, evidence.map((each) => each.source)]).toEqual(['unavailable', ['unavailable', 'answered']]);
  });

  it('is not applicable where no call is recorded', async () => {
    const { ports } = bootOperator(await createOperatorWorld(), 1);
    const question = questionOf(running('suspend', { tenantId: tenant }), workspace());
    expect(await findAtProvider(ports, question)).toEqual({ source: 'not_applicable', evidence: [] });
  });
});
