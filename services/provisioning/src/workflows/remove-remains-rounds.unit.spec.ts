/** One round over the remains of a creation: what it reads, what it sends once, and what it records. */
import { losingWrites } from '@platform/durable/testing';
import { failed, refused, unknown } from '@platform/kernel';
import { settle } from '@platform/testing';
import type { PaymentProvider } from '@platform/payment-provider';
import { newRemains, remainsSteps, type OpenRemains } from '../domain/remains';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  tenant,
  type WorldOptions,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import type { ProvisioningPorts } from './ports';
import { reconcile } from './reconcile';
import { endReservations, removeRemains } from './remove-remains';
import { attemptInvestigation } from './resolve-attempt';

type Read = 'retrieveInvoice' | 'retrieveSubscription' | 'retrieveCustomer';
const reads: readonly Read[] = ['retrieveInvoice', 'retrieveSubscription', 'retrieveCustomer'];

async function planned(options?: WorldOptions, change: Parameters<typeof creationRequest>[0] = {}) {
  const world = await createProvisioningWorld(options);
  world.listenerAnswers.set('storage', () => refused({ code: 'timeout', message: 'late' }));
  await createWorkspace(bootProvisioning(world).ports, creationRequest(change));
  const { ports } = bootProvisioning(world, 2);
  const plan = await attemptInvestigation.plan(ports, {
    id: tenant,
    outcome: 'not_applied',
    executorStopped: 'its host was shut down',
    providerObject: null,
    by: 'ops@example.com',
  });
  if (!plan.ok) throw new Error(plan.error);
  return { world, ports, plan: plan.value };
}

/** A creation that is resolved as not applied, with its objects at the provider. */
async function left(options?: WorldOptions, change: Parameters<typeof creationRequest>[0] = {}) {
  const { world, ports, plan } = await planned(options, change);
  expect(await attemptInvestigation.record(ports, plan)).toMatchObject({ ok: true });
  const before = world.provider.sends().length;
  const asked: string[] = [];
  const watched = Object.fromEntries(
    reads.map((read) => [
      read,
      (id: string) => {
        asked.push(read);
        return world.provider[read](id);
      },
    ]),
  ) as Pick<PaymentProvider, Read>;
  return {
    world,
    ports: { ...ports, provider: { ...world.provider, ...watched } },
    asked,
    remains: () => world.remains() as OpenRemains,
    sent: () =>
      world.provider
        .sends()
        .slice(before)
        .map(({ step }) => step),
  };
}

const round = async (ports: ProvisioningPorts) => {
  const remains = await ports.remains.findById(tenant);
  if (!remains) throw new Error('there are no remains');
  await removeRemains(ports, remains);
};

describe('a round over the remains of a creation', () => {
  it('sends its calls in the name of the creation, logs and counts them, and alerts no person', async () => {
    const { world, ports, remains } = await left();
    const counted: string[] = [];
    const meter = { ...ports.meter, providerAnswered: (...given: string[]) => void counted.push(given.join(' ')) };
    await round({ ...ports, meter });
    await settle();
    expect(remains()).toMatchObject({ status: 'removed', removedAt: expect.any(Date) as Date });
    expect(world.provider.ledger().slice(-2)).toMatchObject([
      { step: 'cancel_now', operationId: tenant },
      { step: 'delete_customer', operationId: tenant },
    ]);
    expect(counted).toEqual(['cancel_now succeeded', 'delete_customer succeeded']);
    const about = { kind: 'provisioning_attempt', id: tenant, tenantId: tenant };
    expect(world.logged).toContainEqual({ ...about, step: 'cancel_now' });
    expect(world.logged).toContainEqual({ ...about, step: 'delete_customer' });
    expect(world.published.filter(({ id }) => id.includes('remains_kept'))).toEqual([]);
  });

  it.each<[Read, readonly string[]]>([
    ['retrieveInvoice', []],
    ['retrieveSubscription', []],
    ['retrieveCustomer', ['cancel_now']],
  ])('sends nothing that depends on %s while that is not answered', async (read, before) => {
    const { ports, remains, sent } = await left();
    const stored = remains();
    await round({ ...ports, provider: { ...ports.provider, [read]: async () => unknown('away') } });
    expect(sent()).toEqual(before);
    expect(remains()).toMatchObject({
      status: 'open',
      providerCalls: before.map((step) => ({ step, outcome: 'succeeded' })),
    });
    if (before.length === 0) expect(remains()).toEqual(stored);
    await round(ports);
    expect(sent()).toEqual(['cancel_now', 'delete_customer']);
    expect(remains()).toMatchObject({ status: 'removed' });
  });

  it.each<[Read, readonly string[]]>([
    ['retrieveInvoice', ['cancel_now', 'delete_customer']],
    ['retrieveSubscription', ['delete_customer']],
    ['retrieveCustomer', ['cancel_now']],
  ])('goes on when the provider has no such object for %s', async (read, steps) => {
    const { ports, remains, sent } = await left();
    await round({ ...ports, provider: { ...ports.provider, [read]: async () => failed('not_found', 'no such') } });
    expect(sent()).toEqual(steps);
    expect(remains()).toMatchObject({ status: 'removed' });
  });

  it.each([
    ['incomplete_expired', 'removed', ['delete_customer']],
    ['canceled', 'removed', ['delete_customer']],
    ['active', 'kept', []],
    ['past_due', 'kept', []],
    ['unpaid', 'kept', []],
    ['paused', 'kept', []],
  ] as const)('ends no subscription that is %s: the rest is %s', async (status, end, steps) => {
    const { ports, remains, sent } = await left();
    const retrieveSubscription: PaymentProvider['retrieveSubscription'] = async (id) => {
      const answer = await ports.provider.retrieveSubscription(id);
      return answer.outcome === 'succeeded' ? { ...answer, value: { ...answer.value, status } } : answer;
    };
    await round({ ...ports, provider: { ...ports.provider, retrieveSubscription } });
    expect(sent()).toEqual(steps);
    const keptBecause = `Subscription ${remains().handles.subscriptionId} is ${status}.`;
    expect(remains()).toMatchObject({ status: end, ...(end === 'kept' && { keptBecause }) });
  });

  it('reads no object that the creation did not have', async () => {
    const free = await left({}, { plan: freePlan });
    await round(free.ports);
    expect([free.asked, free.sent()]).toEqual([['retrieveCustomer', 'retrieveCustomer'], ['delete_customer']]);
    const whole = await left();
    const { subscriptionId = '' } = whole.remains().handles;
    const attempt = whole.world.attempt();
    if (!attempt) throw new Error('there is no attempt');
    const other = newRemains({ ...attempt, tenantId: 'tenant-2', handles: { subscriptionId } });
    const inserted = await whole.ports.remains.insert(other);
    if (inserted.outcome !== 'applied') throw new Error(inserted.outcome);
    await removeRemains(whole.ports, inserted.record);
    expect([whole.asked, whole.sent()]).toEqual([['retrieveSubscription', 'retrieveSubscription'], ['cancel_now']]);
    expect(whole.world.remains('tenant-2')).toMatchObject({ status: 'removed' });
  });

  it('sends a call that is refused for now three times at most', async () => {
    const { world, ports, remains, sent } = await left();
    world.provider.failNext('rate_limited', { step: 'cancel_now' }, 10);
    await round(ports);
    expect(sent()).toEqual(['cancel_now', 'cancel_now', 'cancel_now']);
    const refusedCall = { step: 'cancel_now', outcome: 'failed' };
    expect(remains()).toMatchObject({ status: 'open', providerCalls: [refusedCall, refusedCall, refusedCall] });
  });

  it('records that the answer of a call was lost, and how far the request got', async () => {
    const { world, ports, remains } = await left();
    world.provider.failNext('lost_answer_after_effect', { step: 'cancel_now' });
    await round(ports);
    expect(remains()).toMatchObject({
      status: 'open',
      providerCalls: [{ step: 'cancel_now', outcome: 'unknown', phase: 'bytes_written' }],
    });
  });

  it('sends nothing when another process has written the record meanwhile', async () => {
    const { ports, remains, sent } = await left();
    const read = remains();
    await ports.remains.mutate(read, remainsSteps.keep<OpenRemains>(read, {}));
    const written = remains();
    await removeRemains(ports, read);
    expect(sent()).toEqual([]);
    expect(remains()).toEqual(written);
  });

  it('sends nothing that the store does not record first', async () => {
    const { world, ports, remains, sent } = await left();
    const read = remains();
    world.store.setAvailable(false);
    await removeRemains(ports, read);
    world.store.setAvailable(true);
    expect(sent()).toEqual([]);
    expect(remains()).toEqual(read);
  });

  it('reads nothing of a record that has ended', async () => {
    const { ports, remains, asked } = await left();
    await round(ports);
    const ended = remains();
    asked.length = 0;
    await round(ports);
    expect(asked).toEqual([]);
    expect(remains()).toEqual(ended);
  });
});

describe('remains that are kept', () => {
  it('are announced at once, with the reason and the creation that they belong to', async () => {
    const { world, ports, remains } = await left();
    world.provider.confirmPayment(remains().handles.invoiceId ?? '');
    await round(ports);
    await settle();
    expect(world.published.filter(({ id }) => id.includes('remains_kept'))).toMatchObject([
      {
        subject: 'alert.reconciliation_required.provisioning.provisioning_attempt',
        body: {
          kind: 'provisioning_attempt',
          id: tenant,
          tenantId: tenant,
          reason: expect.stringMatching(/^Invoice in_\S+ is paid\. .*a person decides/) as string,
        },
      },
    ]);
    expect(await ports.remains.outbox.pending(10)).toEqual([]);
  });
});

describe('the reservations of a creation that was resolved as not applied', () => {
  it('are held until its remains are noted, once, and are then given back', async () => {
    const { world, ports, plan } = await planned({}, { plan: freePlan });
    const notNoting = { ...ports, remains: losingWrites(ports.remains) };
    expect(await attemptInvestigation.record(notNoting, plan)).toMatchObject({ ok: true });
    expect(await reconcile(notNoting)).toMatchObject({ settled: 0 });
    const attempt = world.attempt();
    expect(attempt).toMatchObject({ status: 'cancelled', reservations: { state: 'held' } });
    expect([world.remains(), world.capacity()[0]?.allocations.length]).toEqual([undefined, 1]);
    if (!attempt) throw new Error('there is no attempt');
    const notSettling = { ...ports, attempts: losingWrites(ports.attempts) };
    expect(await endReservations(notSettling, attempt)).toBe(false);
    const noted = world.remains();
    expect(noted).toMatchObject({ status: 'open' });
    expect(await endReservations(ports, attempt)).toBe(true);
    expect(world.remains()).toEqual(noted);
    expect(world.attempt()).toMatchObject({ reservations: { state: 'settled' } });
    expect(world.capacity()[0]?.allocations).toEqual([]);
  });
});
