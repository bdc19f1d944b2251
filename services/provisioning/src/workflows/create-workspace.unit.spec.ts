import { refused } from '@platform/kernel';
import { providerFaults } from '@platform/payment-provider/testing';
import { settle } from '@platform/testing';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
  type WorldOptions,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';

async function create(change: Parameters<typeof creationRequest>[0] = {}, options: WorldOptions = {}) {
  const world = await createProvisioningWorld(options);
  const { ports } = bootProvisioning(world);
  const answer = await createWorkspace(ports, creationRequest(change));
  await settle();
  return { world, ports, answer };
}

const steps = (world: Awaited<ReturnType<typeof createProvisioningWorld>>) =>
  world.provider.ledger().map(({ step }) => step);

describe('the creation of a workspace', () => {
  it('commits a paid plan after one payment under the key of the creation', async () => {
    const { world, answer } = await create();
    expect(answer.kind).toBe('committed');
    expect(steps(world)).toEqual([
      'create_customer',
      'attach_payment_method',
      'set_default_payment_method',
      'create_subscription',
      'pay_invoice',
    ]);
    expect(world.provider.ledger().at(-1)?.idempotencyKey).toBe(`workspace-created:${tenant}`);
    expect(world.attempt()).toMatchObject({ status: 'committed', trialDays: 0, reservations: { state: 'settled' } });
    expect(world.marker()).toMatchObject({ _id: `workspace-created:${tenant}`, provisioningState: 'committed' });
    expect(world.published.map(({ subject }) => subject)).toEqual(['lifecycle.message.created', 'workspace.committed']);
  });

  it('writes the marker of the commit gate before anything of the workspace can be seen', async () => {
    const { world } = await create();
    const applied = world.recorder.logs.writes.filter(({ outcome }) => outcome === 'applied');
    const first = (collection: string) => applied.findIndex((write) => write.collection === collection);
    expect(first('lifecycle_outbox')).toBeGreaterThan(-1);
    for (const shown of ['tenants', 'billing_profiles'])
      expect([shown, first(shown) > first('lifecycle_outbox')]).toEqual([shown, true]);
  });

  it('pays nothing for a free plan, and reserves its card', async () => {
    const { world, answer } = await create({ plan: freePlan });
    expect(answer.kind).toBe('committed');
    expect(steps(world)).toEqual(['create_customer', 'attach_payment_method', 'set_default_payment_method']);
    expect(world.capacity()).toMatchObject([{ allocations: [{ tenantId: tenant, state: 'confirmed' }] }]);
  });

  it('pays nothing while a trial runs, and reserves e-mail and card', async () => {
    const { world, answer } = await create({}, { limits: { trialDays: 14 } });
    expect(answer.kind).toBe('committed');
    expect(steps(world)).not.toContain('pay_invoice');
    expect(world.trials().map(({ tenantId }) => tenantId)).toEqual([tenant, tenant]);
  });

  it.each([
    ['a trial', 'trial_reservations', creationRequest()],
    ['capacity', 'capacity_reservations', creationRequest({ plan: freePlan })],
  ])('reserves %s before anything is sent', async (_what, collection, request) => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    await createWorkspace(bootProvisioning(world).ports, request);
    const reserved = world.recorder.logs.writes.filter((write) => write.collection === collection);
    expect(reserved.length).toBeGreaterThan(0);
    const firstSent = Number(world.provider.sends()[0]?.at);
    for (const { at } of reserved.filter(({ expectedRevision }) => expectedRevision === null))
      expect(Number(at)).toBeLessThan(firstSent);
  });

  it('takes a declined creation back in the documented order and leaves a tombstone', async () => {
    const { world, answer } = await create(
      { paymentMethodId: 'pm_card_chargeCustomerFail' },
      { listeners: ['storage', 'search-index'] },
    );
    expect(answer).toMatchObject({ kind: 'refused', code: 'card_declined' });
    expect(steps(world).slice(-2)).toEqual(['cancel_now', 'delete_customer']);
    expect(world.heard.map(({ listener, event }) => `${listener} ${event}`)).toEqual([
      'storage TENANT_BEING_PROVISIONED',
      'search-index TENANT_BEING_PROVISIONED',
      'storage TENANT_DELETED',
      'search-index TENANT_DELETED',
    ]);
    expect(world.attempt()).toMatchObject({
      status: 'cancelled',
      rollback: { code: 'card_declined' },
      reservations: { state: 'settled' },
    });
    expect(world.marker()).toMatchObject({ provisioningState: 'cancelled', closedAt: expect.any(Date) });
    expect(world.published.map(({ subject }) => subject)).toEqual(['workspace.cancelled']);
  });

  it('gives a declined trial back, so that the person may try again', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    const { ports } = bootProvisioning(world);
    world.provider.failNext('card_declined', { step: 'attach_payment_method' });
    expect(await createWorkspace(ports, creationRequest())).toMatchObject({ kind: 'refused', code: 'card_declined' });
    expect(world.trials().map(({ tenantId, timeline }) => [tenantId, timeline.map(({ what }) => what)])).toEqual([
      [null, ['reserved', 'released_cancelled']],
      [null, ['reserved', 'released_cancelled']],
    ]);
    expect((await createWorkspace(ports, creationRequest({ tenantId: 'tenant-2' }))).kind).toBe('committed');
    expect(world.attempt('tenant-2')).toMatchObject({ trialDays: 14 });
  });

  it('keeps everything when a deletion listener fails: nothing is removed', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    let calls = 0;
    world.listenerAnswers.set('storage', () =>
      (calls += 1) === 1
        ? { ok: true, value: { done: true } }
        : refused({ code: 'refused', serverCode: 'disk_full', message: 'canary-of-extras' }),
    );
    expect(
      (await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_card_chargeCustomerFail' }))).kind,
    ).toBe('unresolved');
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'closure_incomplete' },
    });
    expect(JSON.stringify(world.attempt())).not.toContain('canary');
    expect(steps(world)).not.toContain('cancel_now');
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment', closedAt: expect.any(Date) });
  });

  it.each([
    ['refuses', refused({ code: 'refused' as const, serverCode: 'quota', message: 'no' })],
    ['does not answer in time', refused({ code: 'timeout' as const, message: 'late' })],
    ['answers what no reader understands', { ok: true as const, value: { fine: 'perhaps' } }],
  ])('stops before the payment when a listener %s, and calls no other', async (_how, answer) => {
    const world = await createProvisioningWorld({ listeners: ['storage', 'search-index'] });
    world.listenerAnswers.set('storage', () => answer);
    expect((await createWorkspace(bootProvisioning(world).ports, creationRequest())).kind).toBe('unresolved');
    expect(world.heard).toHaveLength(1);
    expect(steps(world)).not.toContain('pay_invoice');
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'listener_failed' },
    });
    await settle();
    expect(world.published.map(({ subject }) => subject)).toEqual([
      'alert.reconciliation_required.provisioning.provisioning_attempt',
    ]);
  });

  it('refuses a free workspace without a card identity, and a trial without one', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    world.provider.seed({
      paymentMethods: [
        { id: 'pm_debit', customerId: null, cardFingerprint: null },
        { id: 'pm_taken', customerId: 'cus_other', cardFingerprint: 'fp' },
      ],
    });
    const { ports } = bootProvisioning(world);
    expect(
      await createWorkspace(ports, creationRequest({ plan: freePlan, paymentMethodId: 'pm_debit' })),
    ).toMatchObject({ code: 'card_identity_unknown' });
    expect(await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_taken' }))).toMatchObject({
      code: 'payment_method_not_usable',
    });
    expect(await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_absent' }))).toMatchObject({
      code: 'payment_method_not_usable',
    });
    expect(world.attempts()).toEqual([]);
    await createWorkspace(ports, creationRequest({ paymentMethodId: 'pm_debit' }));
    expect(world.attempt()).toMatchObject({ status: 'committed', trialDays: 0 });
  });

  it('bounds how many workspaces one account starts', async () => {
    const world = await createProvisioningWorld({ limits: { creationsPerUser: 2 } });
    const { ports } = bootProvisioning(world);
    const start = (tenantId: string) => createWorkspace(ports, creationRequest({ tenantId }));
    expect((await start('t-1')).kind).toBe('committed');
    expect((await start('t-2')).kind).toBe('committed');
    expect(await start('t-3')).toMatchObject({ code: 'rate_limited' });
    world.clock.advance(3_600_001);
    expect((await start('t-4')).kind).toBe('committed');
  });

  it('does not begin the same id twice', async () => {
    const { ports } = await create();
    expect(await createWorkspace(ports, creationRequest())).toMatchObject({ code: 'tenant_id_taken' });
  });

  it('gives the trial to the first of one e-mail in other letter case, with tags, or of one card', async () => {
    const world = await createProvisioningWorld({ limits: { trialDays: 14 } });
    world.provider.seed({
      paymentMethods: ['a', 'b', 'c'].map((name) => ({
        id: `pm_${name}`,
        customerId: null,
        cardFingerprint: `fp_${name === 'c' ? 'a' : name}`,
      })),
    });
    const { ports } = bootProvisioning(world);
    const start = async (tenantId: string, email: string, paymentMethodId: string) => {
      await createWorkspace(ports, creationRequest({ tenantId, user: { id: 'user-1', email }, paymentMethodId }));
      return world.attempt(tenantId)?.trialDays;
    };
    expect(await start('t-1', 'Ada+first@Example.com', 'pm_a')).toBe(14);
    expect(await start('t-2', 'ada@example.COM', 'pm_b')).toBe(0);
    expect(await start('t-3', 'other@example.com', 'pm_c')).toBe(0);
    expect(
      world.trials().find(({ timeline }) => timeline.at(-1)?.what === 'released_not_eligible')?.tenantId,
    ).toBeNull();
  });
});

describe('every provider call of a creation', () => {
  const calls = [
    'create_customer',
    'attach_payment_method',
    'set_default_payment_method',
    'create_subscription',
    'pay_invoice',
  ];
  const met = calls.flatMap((step) =>
    providerFaults.map(({ kind, outcome, code }) => [step, kind, outcome, code] as const),
  );

  it.each(met)('%s that meets %s once ends as the taxonomy says', async (step, kind, outcome, code) => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext(kind, { step });
    const answer = await createWorkspace(ports, creationRequest());
    const sent = world.provider.sends().filter((send) => send.step === step);
    if (outcome === 'failed' && code === 'provider_unavailable') {
      // The provider proved that it executed nothing, so the same call is sent again under the same key, and each send
      // is in the record.
      expect(answer.kind).toBe('committed');
      expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect(world.attempt()?.providerCalls.filter((call) => call.step === step)).toHaveLength(sent.length);
      expect(sent).toHaveLength(2);
      return;
    }
    if (step === 'pay_invoice' && code === 'authentication_required') return;
    const mayBePaid = step === 'pay_invoice' && code === 'provider_refused';
    const takenBack = outcome === 'failed' && !mayBePaid;
    expect(answer).toMatchObject(takenBack ? { kind: 'refused', code } : { kind: 'unresolved' });
    expect(world.attempt()?.status).toBe(takenBack ? 'cancelled' : 'reconciliation_required');
    expect(sent).toHaveLength(1);
    expect(world.published.filter(({ subject }) => subject.startsWith('lifecycle.'))).toEqual([]);
    await settle();
    expect(world.published.some(({ subject }) => subject.startsWith('alert.'))).toBe(!takenBack);
  });

  it.each(calls)('%s that is limited for longer takes the creation back, and nothing of it is left', async (step) => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext('rate_limited', { step }, 4);
    // The rollback also reaches the rate limit, and continues when the limit is lifted.
    world.provider.failNext('rate_limited', { step: 'delete_customer' }, 3);
    expect(await createWorkspace(ports, creationRequest())).toMatchObject({
      kind: 'refused',
      code: 'provider_unavailable',
    });
    expect(world.attempt()).toMatchObject({ status: 'cancelled', reservations: { state: 'settled' } });
    const made = steps(world).includes('create_customer');
    expect(steps(world).at(-1)).toBe(made ? 'delete_customer' : undefined);
    await settle();
    expect(world.published.map(({ subject }) => subject).filter((subject) => subject.startsWith('alert.'))).toEqual([]);
  });

  it('stops while the provider cannot be reached to take a creation back', async () => {
    const world = await createProvisioningWorld();
    const { ports } = bootProvisioning(world);
    world.provider.failNext('rate_limited', { step: 'attach_payment_method' }, 4);
    world.provider.failNext('rate_limited', { step: 'delete_customer' }, 8);
    expect((await createWorkspace(ports, creationRequest())).kind).toBe('unresolved');
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'closure_incomplete' },
    });
  });

  it('of a double click with one payment method commits the first and takes the second back', async () => {
    const world = await createProvisioningWorld();
    world.provider.seed({ paymentMethods: [{ id: 'pm_one', customerId: null, cardFingerprint: 'fp' }] });
    const { ports } = bootProvisioning(world);
    const click = (tenantId: string) =>
      createWorkspace(ports, creationRequest({ tenantId, paymentMethodId: 'pm_one' }));
    const both = await Promise.all(['tenant-1', 'tenant-2'].map(click));
    await settle();
    expect(both.map(({ kind }) => kind).sort()).toEqual(['committed', 'refused']);
    expect(both.find(({ kind }) => kind === 'refused')).toMatchObject({ code: 'provider_refused' });
    expect(steps(world).filter((step) => step === 'delete_customer')).toHaveLength(1);
    expect(world.published.map(({ subject }) => subject).filter((subject) => subject.startsWith('alert.'))).toEqual([]);
  });
});
