/**
 * Deletion of a workspace: the order of its steps, what it refuses to other operations, and how it continues after a
 * failure.
 */
import { contractOf, operationActions, type OperationAction } from '@platform/contracts-operator';
import { settle } from '@platform/testing';
import { situations } from '../testing/example-worlds';
import { deliverSettlements } from '../../testing/operator-history';
import { bootOperator, createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { base, setStage } from '../../testing/stage';
import type { Subscription } from '../../mirror/domain/subscription';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import type { Operation, OperationRequest } from '../domain/operation';
import { exampleRequest } from '../testing/example-worlds';
import { operationInvestigation } from './resolve-operation';
import { runOperation } from './run-operation';
import { settleDeletion } from './settle-deletion';

const deletion = (operationId = 'op-delete-0001'): OperationRequest => ({
  operationId,
  tenantId: tenant,
  action: 'delete_workspace',
  values: { reason: 'closed by its owner', confirm: tenant },
  actor: { id: 'owner' },
});

async function open(change: Partial<Subscription> = {}) {
  const world = await createOperatorWorld(change);
  const life = bootOperator(world, 1);
  const ask = (request: OperationRequest) => runOperation(life.ports, request);
  return { world, life, ask };
}

const codeOf = (answer: Awaited<ReturnType<typeof runOperation>>) =>
  answer.kind === 'failed'
    ? answer.operation.error.code
    : answer.kind === 'refused'
      ? answer.refusal.code
      : answer.kind;
const steps = (world: OperatorWorld) => world.provider.ledger().map(({ step }) => step);
const subjects = (world: OperatorWorld) => world.published.map(({ subject }) => subject);
const others = operationActions.filter((action) => action !== 'delete_workspace');

describe('the deletion of a workspace', () => {
  it('marks, closes, ends the subscription, tells both services, and ends when both have answered', async () => {
    const { world, life, ask } = await open();
    const answer = await ask(deletion());
    await settle();
    expect(answer.kind).toBe('unfinished');
    expect(world.subscription()).toMatchObject({
      deletion: { operationId: 'op-delete-0001', startedAt: expect.any(Date) },
      access: { state: 'closed', operationId: 'op-delete-0001' },
      transition: { kind: 'deletion' },
    });
    expect(world.subscription()?.deletion).not.toHaveProperty('completedAt');
    expect(steps(world)).toEqual(['cancel_now']);
    expect(subjects(world)).toEqual(['lifecycle.message.tenant_deleted', 'workspace.deletion_requested']);
    const [first, second] = world.reports;
    expect(await settleDeletion(life.ports, first!)).toBe('recorded');
    expect(world.operations()[0]).toMatchObject({ status: 'awaiting_receipts' });
    expect(await settleDeletion(life.ports, first!)).toBe('recorded');
    expect(await settleDeletion(life.ports, second!)).toBe('recorded');
    expect(world.operations()[0]).toMatchObject({
      status: 'succeeded',
      values: { reason: 'closed by its owner' },
      result: { access: 'closed', status: 'cancelled' },
    });
    expect(world.subscription()).toMatchObject({
      status: 'cancelled',
      access: { state: 'closed' },
      provider: { customerId: 'cus_acme' },
      deletion: { operationId: 'op-delete-0001', completedAt: expect.any(Date) },
    });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(await life.ports.operations.outbox.pending(10)).toEqual([]);
  });

  it('says both messages again until each has its own answer', async () => {
    const { world, life, ask } = await open();
    await ask(deletion());
    await settle();
    await settleDeletion(life.ports, world.reports[0]!);
    world.published.length = 0;
    await life.sweepOutbox();
    expect(subjects(world)).toEqual(['workspace.deletion_requested']);
  });

  it.each([
    ['has none', { planId: 'free', provider: { customerId: 'cus_acme' } }],
    ['has one that ended', { status: 'cancelled' as const }],
  ])('calls nothing at the provider when the workspace %s', async (_what, change) => {
    const { world, ask } = await open(change);
    expect((await ask(deletion())).kind).toBe('unfinished');
    expect(world.provider.sends()).toEqual([]);
  });

  it('goes on when the provider has no such subscription any more', async () => {
    const { world, life, ask } = await open();
    await world.provider
      .prepare({ operationId: 'elsewhere' }, { step: 'cancel_now', subscriptionId: 'sub_acme' })
      .send();
    expect((await ask(deletion())).kind).toBe('unfinished');
    expect(world.operations()[0]?.attempts[0]?.providerCalls).toMatchObject([
      { step: 'cancel_now', outcome: 'failed', httpStatus: 404 },
    ]);
    await deliverSettlements(world, life);
    expect(world.operations()[0]?.status).toBe('succeeded');
  });

  it('works on a suspended workspace, whose access stays as it was closed', async () => {
    const { world, ask } = await open(situations.suspended.workspace);
    expect((await ask(deletion())).kind).toBe('unfinished');
    expect(world.subscription()?.access).toEqual(situations.suspended.workspace?.access);
  });

  it('takes no report of another workspace or of another action', async () => {
    const { world, life, ask } = await open();
    await ask({ ...deletion('op-suspend-0009'), action: 'suspend', values: {} });
    await settle();
    const report = { tenantId: tenant, part: 'listenersCalledAt', at: new Date() } as const;
    expect(await settleDeletion(life.ports, { ...report, operationId: 'op-suspend-0009' })).toBe('not_ours');
    expect(await settleDeletion(life.ports, { ...report, operationId: 'op-unknown-0001' })).toBe('not_ours');
    expect(world.operations()[0]?.status).toBe('awaiting_receipts');
  });
});

describe('after the marker', () => {
  it.each(others)('%s is refused, while the deletion is under way and when it is complete', async (action) => {
    const { world, life, ask } = await open();
    await ask(deletion());
    expect(codeOf(await ask({ ...exampleRequest(action), operationId: 'op-other-00001' }))).toBe('deletion_started');
    await deliverSettlements(world, life);
    expect(codeOf(await ask({ ...exampleRequest(action), operationId: 'op-other-00002' }))).toBe('deletion_started');
    expect(world.subscription()?.access.state).toBe('closed');
    expect(steps(world)).toEqual(['cancel_now']);
  });

  it('another deletion waits for the one under way, and finds nothing left when that is complete', async () => {
    const { world, life, ask } = await open();
    await ask(deletion());
    expect(codeOf(await ask(deletion('op-delete-0002')))).toBe('transition_pending');
    await deliverSettlements(world, life);
    expect(codeOf(await ask(deletion('op-delete-0003')))).toBe('already_deleted');
    expect((await ask(deletion())).kind).toBe('succeeded');
  });

  it('the mirror is not read from the provider any more', async () => {
    const { life, world, ask } = await open();
    await ask(deletion());
    await deliverSettlements(world, life);
    expect((await mirrorSubscription(life.ports, tenant)).kind).toBe('deletion_started');
    expect(world.subscription()?.status).toBe('cancelled');
  });
});

describe('a deletion that failed', () => {
  it('keeps marker and closed access, refuses all else, and is repeated under its own id', async () => {
    const { world, life, ask } = await open();
    world.provider.failNext('rate_limited');
    expect(codeOf(await ask(deletion()))).toBe('provider_unavailable');
    expect(world.subscription()).toMatchObject({
      deletion: { operationId: 'op-delete-0001' },
      access: { state: 'closed' },
    });
    expect(world.subscription()).not.toHaveProperty('transition');
    expect(codeOf(await ask({ ...exampleRequest('suspend'), operationId: 'op-other-00001' }))).toBe('deletion_started');
    expect((await ask(deletion())).kind).toBe('unfinished');
    await deliverSettlements(world, life);
    expect(world.operations().find(({ _id }) => _id === 'op-delete-0001')?.status).toBe('succeeded');
  });

  it('is gone on with by another deletion when its window is over', async () => {
    const { world, life, ask } = await open();
    world.provider.failNext('rate_limited');
    await ask(deletion());
    world.clock.advance(23 * 3_600_000);
    expect(codeOf(await ask(deletion()))).toBe('retry_window_expired');
    expect((await ask(deletion('op-delete-0002'))).kind).toBe('unfinished');
    await deliverSettlements(world, life);
    expect(world.subscription()?.deletion).toMatchObject({
      operationId: 'op-delete-0001',
      completedAt: expect.any(Date),
    });
  });

  it.each(['applied', 'not_applied'] as const)(
    'and was resolved as %s called no listener, so another deletion calls them',
    async (outcome) => {
      const { world, life, ask } = await open();
      world.provider.failNext(outcome === 'applied' ? 'lost_answer_after_effect' : 'lost_answer_before_effect');
      expect((await ask(deletion())).kind).toBe('stopped');
      const asked = (said: 'applied' | 'not_applied') =>
        operationInvestigation.plan(life.ports, {
          id: 'op-delete-0001',
          outcome: said,
          executorStopped: 'the process list was read',
          providerObject: said === 'applied' ? 'sub_acme' : null,
          by: 'ops@example.com',
        });
      world.clock.advance(10 * 60_000);
      expect(await asked(outcome === 'applied' ? 'not_applied' : 'applied')).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^resolution_contradicted: .*retrieveSubscription of sub_acme/),
      });
      const planned = await asked(outcome);
      if (!planned.ok) throw new Error(planned.error);
      expect(planned.value.resolution.evidence?.objects).toEqual(outcome === 'applied' ? ['sub_acme'] : []);
      expect(planned.value.warnings.join(' ')).toContain('delete the workspace once more under a new id');
      await operationInvestigation.record(life.ports, planned.value);
      expect(world.subscription()?.deletion).not.toHaveProperty('completedAt');
      expect((await ask(deletion('op-delete-0002'))).kind).toBe('unfinished');
      await deliverSettlements(world, life);
      expect(world.subscription()?.deletion).toHaveProperty('completedAt');
      expect(steps(world)).toEqual(['cancel_now']);
    },
  );
});

describe('a deletion and another action at the same time', () => {
  async function race(action: OperationAction, deletionFirst: boolean) {
    const { workspace, before } = situations[contractOf(action).example.in];
    const world = await createOperatorWorld(workspace);
    await before?.(world);
    const lives = [bootOperator(world, 1), bootOperator(world, 2)] as const;
    const other = { ...exampleRequest(action), operationId: 'op-other-00001' };
    const both = deletionFirst ? [deletion(), other] : [other, deletion()];
    await Promise.all(both.map((request, at) => runOperation(lives[at]!.ports, request)));
    await settle();
    for (let turn = 0; turn < 2; turn += 1) await deliverSettlements(world, lives[0]);
    const statusOf = (id: string) => world.operations().find(({ _id }) => _id === id);
    return { world, deleted: statusOf('op-delete-0001')!, other: statusOf('op-other-00001')! };
  }

  it.each(others.flatMap((action) => [true, false].map((first) => [action, first] as const)))(
    '%s, deletion first: %s: one of them holds the workspace, and the marker means closed',
    async (action, deletionFirst) => {
      const { world, deleted, other } = await race(action, deletionFirst);
      const came = ({ status, ...rest }: Operation) => ('error' in rest ? rest.error.code : status);
      expect(['succeeded', 'transition_pending', 'checkout_in_progress']).toContain(came(deleted));
      expect(['succeeded', 'awaiting_receipts', 'transition_pending', 'deletion_started']).toContain(came(other));
      expect([deleted, other].some(({ status }) => status !== 'failed')).toBe(true);
      expect(world.subscription()?.deletion !== undefined).toBe(deleted.status === 'succeeded');
      if (world.subscription()?.deletion) expect(world.subscription()?.access.state).toBe('closed');
    },
  );
});

describe('a workspace that another operation holds', () => {
  it.each([
    ['suspend', 'transition_pending'],
    ['checkout', 'checkout_in_progress'],
  ] as const)('by %s is not deleted: %s', async (action, code) => {
    const { workspace } = situations[contractOf(action).example.in];
    const { world, ask } = await open(workspace);
    await ask(exampleRequest(action));
    expect(codeOf(await ask(deletion()))).toBe(code);
    expect(world.subscription()).not.toHaveProperty('deletion');
  });
});

describe('the request for a deletion', () => {
  const ask = async (body: object, role: 'platform_owner' | 'user' = 'platform_owner') => {
    const { gateway, world } = await setStage();
    const answer = await gateway.request('DELETE', base, { body, role, headers: { prefer: 'wait=0' } });
    return { world, status: answer.status, body: answer.json<Record<string, unknown>>() };
  };
  const whole = { operationId: 'op-delete-0001', reason: 'closed', confirm: 'acme' };

  it('is accepted by the platform owner alone', async () => {
    expect((await ask(whole)).status).toBe(202);
    expect((await ask(whole, 'user')).status).toBe(403);
  });

  it.each([
    ['another id', { ...whole, confirm: 'globex' }, '/confirm'],
    ['no confirmation', { operationId: whole.operationId, reason: 'closed' }, '/confirm'],
    ['no reason', { operationId: whole.operationId, confirm: 'acme' }, '/reason'],
    ['an empty reason', { ...whole, reason: ' ' }, '/reason'],
    ['too long a reason', { ...whole, reason: 'x'.repeat(501) }, '/reason'],
  ])('is refused with %s, and nothing is written', async (_what, body, pointer) => {
    const answer = await ask(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } });
    expect(answer.world.operations()).toEqual([]);
    expect(answer.world.subscription()).not.toHaveProperty('deletion');
  });

  it('is previewed without being written', async () => {
    const { gateway, world } = await setStage();
    const answer = await gateway.request('POST', `${base}/deletion/preview`, {
      body: { reason: 'closed', confirm: 'acme' },
    });
    expect(answer.status).toBe(200);
    expect(answer.json<{ consequences: string[] }>().consequences[0]).toMatch(/cannot be undone/);
    expect(world.operations()).toEqual([]);
  });
});
