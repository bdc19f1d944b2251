/**
 * The definitions of the operator's actions, compared with what the actions do: each example runs on fakes, and its
 * provider calls and the resulting access decide whether its money flag and its starter can be true.
 */
import {
  actionPath,
  actionPreviewRequestSchema,
  actionRequestSchema,
  contractOf,
  exampleValues,
  operationActions,
  operatorCodes,
  refusalsOf,
  type ActionContract,
  type OperationAction,
} from '@platform/contracts-operator';
import { runOperation } from '../../services/operator/src/operations/workflows/run-operation';
import { createSituation, exampleRequest } from '../../services/operator/src/operations/testing/example-worlds';
import { deliverSettlements } from '../../services/operator/src/testing/operator-history';
import { bootOperator } from '../../services/operator/src/testing/operator-world';

/** By provider call, written by hand: whether it charges or credits, and whether a workspace's owner may cause it. */
const steps: Readonly<Record<string, { readonly money: boolean; readonly selfService: boolean }>> = {
  pause_collection: { money: false, selfService: false },
  resume_collection: { money: false, selfService: false },
  change_price: { money: true, selfService: false },
  cancel_now: { money: false, selfService: false },
  balance_credit: { money: true, selfService: false },
  cancel_at_period_end: { money: false, selfService: true },
  keep_after_period: { money: false, selfService: true },
  create_schedule: { money: false, selfService: true },
  schedule_price: { money: false, selfService: true },
  release_schedule: { money: false, selfService: true },
  create_customer: { money: false, selfService: true },
  create_session: { money: true, selfService: true },
  void_invoice: { money: false, selfService: false },
  expire_session: { money: false, selfService: false },
  set_default_payment_method: { money: false, selfService: true },
};

interface Done {
  readonly status: string;
  readonly steps: readonly string[];
  readonly accessChanged: boolean;
}

/** Plays the example of an action in its situation until it has ended. */
async function performed(action: OperationAction): Promise<Done> {
  const world = await createSituation(contractOf(action).example.in);
  const before = world.subscription()?.access.state;
  const life = bootOperator(world, 1);
  await runOperation(life.ports, exampleRequest(action));
  await life.sweepOutbox();
  await deliverSettlements(world, life);
  const operation = world.operations().find(({ _id }) => _id === contractOf(action).example.operationId);
  return {
    status: operation?.status ?? 'absent',
    steps: (operation?.attempts ?? [])
      .flatMap(({ providerCalls }) => providerCalls)
      .filter(({ skipped }) => skipped === undefined)
      .map(({ step }) => step),
    accessChanged: world.subscription()?.access.state !== before,
  };
}

/** The statements of a definition that its effects contradict. */
function untruths({ movesMoney, startedBy }: ActionContract, done: Done): string[] {
  const charging = done.steps.filter((step) => steps[step]?.money !== false);
  const foreign = done.steps.filter((step) => !steps[step]?.selfService);
  return [
    ...(typeof movesMoney === 'boolean' ? [] : ['it does not say whether it moves money']),
    ...(movesMoney || charging.length === 0 ? [] : [`it says that no money moves, and does ${charging.join(', ')}`]),
    ...(movesMoney !== true || charging.length > 0 ? [] : ['it says that money moves, and no call of it does']),
    ...(startedBy === 'workspace_owner' && foreign.length > 0
      ? [`a workspace owner starts it, and it does ${foreign.join(', ')}`]
      : []),
    ...(startedBy === 'workspace_owner' && done.accessChanged
      ? ['a workspace owner opens or closes access by it']
      : []),
  ];
}

describe.each(operationActions)('the definition of %s', (action) => {
  const contract = contractOf(action);

  it('is true of what its example does', async () => {
    const done = await performed(action);
    expect(done.status).toBe(contract.answers === 'checkout' ? 'awaiting_receipts' : 'succeeded');
    expect(untruths(contract, done)).toEqual([]);
  });

  it('has an example that its own schemas take, alone and with all that may be left out', () => {
    for (const optional of [false, true]) {
      const values = exampleValues(action, { optional });
      const { operationId } = contract.example;
      expect(actionRequestSchema(action).safeParse({ operationId, ...values }).success).toBe(true);
      expect(actionPreviewRequestSchema(action).safeParse(values).success).toBe(true);
    }
    expect(actionRequestSchema(action).safeParse({ operationId: 'op-any-0001', unknown: 1 }).success).toBe(false);
  });

  it('names codes of the table, each once', () => {
    const codes = [...refusalsOf(action), ...contract.laterRefusals];
    expect(codes.filter((code) => !Object.hasOwn(operatorCodes, code))).toEqual([]);
    expect([...new Set(codes)]).toEqual(codes);
  });
});

describe('the definitions', () => {
  it('have an address and an example id of their own each', () => {
    const addresses = operationActions.map((action) => `${contractOf(action).method} ${actionPath(action)}`);
    const ids = operationActions.map((action) => contractOf(action).example.operationId);
    expect([new Set(addresses).size, new Set(ids).size]).toEqual([operationActions.length, operationActions.length]);
  });
});

describe('a law-breaking definition', () => {
  const credit = contractOf('credit_customer');
  const { movesMoney: _dropped, ...withoutFlag } = credit;
  it.each([
    ['an action without money flag', withoutFlag as ActionContract, /does not say whether it moves money/],
    ['a credit that says no money', { ...credit, movesMoney: false }, /no money moves, and does balance_credit/],
    [
      'a credit by workspace owners',
      { ...credit, startedBy: 'workspace_owner' as const },
      /a workspace owner starts it/,
    ],
  ])('is caught: %s', async (_what, broken, caught) => {
    expect(untruths(broken, await performed('credit_customer')).join('; ')).toMatch(caught);
  });

  it('is caught: a suspension by workspace owners', async () => {
    const broken: ActionContract = { ...contractOf('suspend'), startedBy: 'workspace_owner' };
    expect(untruths(broken, await performed('suspend')).join('; ')).toMatch(/opens or closes access/);
  });
});
