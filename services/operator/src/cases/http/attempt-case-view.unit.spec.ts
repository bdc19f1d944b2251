/** Whether money moved in a creation, by the calls that its attempt made. */
import { attemptRequests, type AttemptView } from '@platform/contracts-provisioning';
import { createMigrationWorld } from '../../migrations/testing/migration-world';
import { projectAttempt } from '../../work-queue/domain/project';
import { casePortsOf, caseViewOf } from '../testing/case-views';
import { caseView } from './case-view';
import { creationAttempt, seenAt } from '../testing/creation-attempt';

describe('the case of a creation', () => {
  const call = (step: string, outcome?: 'succeeded' | 'failed' | 'unknown') => ({
    step,
    method: 'POST',
    path: `/v1/${step}`,
    idempotencyKey: step,
    payloadDigest: 'd',
    sentAt: seenAt,
    ...(outcome && { outcome }),
  });
  const made = [call('create_customer', 'succeeded'), call('create_subscription', 'succeeded')];

  it.each<[string, Partial<AttemptView>, string]>([
    [
      'that a listener stopped before its payment',
      { status: 'reconciliation_required', providerCalls: made },
      'did_not_move',
    ],
    ['that waits for its payment', { status: 'awaiting_payment', providerCalls: made }, 'not_known'],
    [
      'whose payment is confirmed',
      { status: 'committed', providerCalls: [...made, call('pay_invoice', 'succeeded')] },
      'moved',
    ],
    [
      'whose payment was lost and that is committed by its invoice',
      { status: 'committed', providerCalls: [...made, call('pay_invoice', 'unknown')] },
      'moved',
    ],
    [
      'whose payment was lost',
      { status: 'reconciliation_required', providerCalls: [...made, call('pay_invoice', 'unknown')] },
      'not_known',
    ],
    [
      'whose payment has no answer',
      { status: 'awaiting_payment', providerCalls: [...made, call('pay_invoice')] },
      'not_known',
    ],
    ['on trial', { status: 'committed', trialDays: 14, providerCalls: made }, 'did_not_move'],
    [
      'that was declined and taken back',
      { status: 'cancelled', providerCalls: [...made, call('pay_invoice', 'failed'), call('cancel_now', 'succeeded')] },
      'did_not_move',
    ],
    ['without any call', { status: 'preparing' }, 'did_not_move'],
  ])('%s answers whether money moved', async (_what, change, answer) => {
    const view = caseView({
      kind: 'provisioning_attempt',
      attempt: { ...creationAttempt, ...change },
      provider: { source: 'not_applicable', evidence: [] },
      money: null,
      collectedAt: new Date(seenAt),
    });
    expect(view.verdict.money.answer).toBe(answer);
  });

  it.each([
    ['failed', 'The provider shows in_1 as paid.'],
    ['unknown', 'An answer was lost, but the provider shows in_1 as paid.'],
  ] as const)('that is stopped, and whose payment ended %s and was made, says so', (outcome, because) => {
    const paid = {
      id: 'in_1',
      kind: 'invoice',
      createdAt: new Date(seenAt),
      summary: { status: 'paid', total: 4_900 },
    };
    const evidence = { step: 'pay_invoice' as const, search: '', looksFor: '', readAt: new Date(seenAt) };
    const view = caseView({
      kind: 'provisioning_attempt',
      attempt: {
        ...creationAttempt,
        status: 'reconciliation_required',
        providerCalls: [...made, call('pay_invoice', outcome)],
      },
      provider: { source: 'answered', evidence: [{ ...evidence, source: 'answered', objects: [paid] }] } as never,
      money: null,
      collectedAt: new Date(seenAt),
    });
    expect(view.verdict.money).toEqual({ answer: 'moved', because });
  });

  it('whose customer lost its answer names the search by the attempt, what is not proven, and no ids that are not there', () => {
    const provider = {
      source: 'answered' as const,
      evidence: [
        {
          step: 'create_customer' as const,
          search: 'listCustomers created since 2026-02-28T00:00:00.000Z',
          looksFor: `metadata that name this attempt (provisioningAttempt): ${creationAttempt.tenantId}`,
          readAt: new Date(seenAt),
          source: 'answered' as const,
          objects: [],
        },
      ],
    };
    const view = caseView({
      kind: 'provisioning_attempt',
      attempt: {
        ...creationAttempt,
        status: 'reconciliation_required',
        handles: {},
        providerCalls: [call('create_customer', 'unknown')],
      },
      provider,
      money: null,
      collectedAt: new Date(seenAt),
    });
    expect(view.provider.searches).toMatchObject([
      { step: 'create_customer', result: 'nothing_found', looksFor: expect.stringContaining('provisioningAttempt') },
    ]);
    expect(view.verdict.money).toMatchObject({
      answer: 'did_not_move',
      because: expect.stringContaining('charges nothing'),
    });
    expect(view.notProven.join()).toContain('did not and will not execute create_customer');
    expect(JSON.stringify(view)).not.toMatch(/named above|on the left/);
  });

  const waiting = async (status: 'open' | 'uncollectible' | 'unread' | 'void', change: Partial<AttemptView> = {}) => {
    const confirmation = { reason: 'authentication_required' as const, since: seenAt };
    const attempt = { ...creationAttempt, providerCalls: made, confirmation, ...change };
    const ports = casePortsOf(await createMigrationWorld(0), 'alive', { [attemptRequests.read]: { attempt } });
    const retrieveInvoice = async (id: string) =>
      status === 'unread'
        ? ({ outcome: 'unknown', reason: 'timeout' } as const)
        : ({ outcome: 'succeeded', value: { id, status, total: 4_900, amountDue: 4_900, hostedUrl: null } } as never);
    return caseViewOf({ ...ports, provider: { ...ports.provider, retrieveInvoice } }, 'provisioning_attempt', 't-1');
  };
  const factOf = ({ intent }: Awaited<ReturnType<typeof waiting>>) =>
    intent.find(({ label }) => label === 'first invoice at the provider');

  it('whose invoice is marked uncollectible says that it waits on, and what ends that', async () => {
    const view = await waiting('uncollectible');
    expect(factOf(view)).toMatchObject({ value: 'uncollectible' });
    expect(view.next).toMatchObject({
      advice: 'wait',
      text: expect.stringMatching(/can still be paid there.* Void it there, and the creation is taken back\.$/),
    });
  });

  it.each<[string, Partial<AttemptView>]>([
    ['before it recorded what it waits for', { confirmation: undefined }],
    ['while it took the creation back', { rollback: { code: 'confirmation_expired', startedAt: seenAt } }],
  ])('whose executor disappeared %s waits for people, and not for a payment', async (_when, change) => {
    const view = await waiting('open', change);
    expect(view).toMatchObject({ verdict: { running: { answer: 'not_proven' } }, next: { advice: 'investigate' } });
    expect(view.notProven.join()).toContain('the executor provisioning-1');
    expect(view.commands.map(({ line }) => line).join()).toContain('resolve provisioning-attempt t-1');
    expect(projectAttempt({ ...creationAttempt, ...change }, null)).toMatchObject({ state: 'interrupted' });
    const alive = { ...change, executor: { ...creationAttempt.executor, state: 'alive' as const } };
    expect((await waiting('open', alive)).next).toMatchObject({
      advice: 'wait',
      text: expect.stringContaining('executed'),
    });
    expect(projectAttempt({ ...creationAttempt, ...alive }, null)).toMatchObject({ state: 'running' });
  });

  it('whose invoice is void says that no money moves, also where an answer was lost', async () => {
    const lost = [...made, call('pay_invoice', 'unknown')];
    for (const change of [{}, { confirmation: undefined, providerCalls: lost }])
      expect((await waiting('void', change)).verdict.money).toEqual({
        answer: 'did_not_move',
        because: 'The provider shows the first invoice in_1 as void, and a void invoice is never paid.',
      });
  });

  it.each(['open', 'unread'] as const)('whose invoice is %s says when it is taken back', async (status) => {
    const view = await waiting(status);
    expect(view.next.text).toContain('When the provider voids the invoice, the creation is taken back.');
    expect(factOf(view)?.value).toBe(status === 'open' ? 'open' : undefined);
  });
});
