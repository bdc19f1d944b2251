/** A creation whose first invoice the provider has voided is rolled back, by one executor. */
import { losingWrites } from '@platform/durable/testing';
import { createLatch } from '@platform/testing';
import type { PaymentProvider } from '@platform/payment-provider';
import { awaitingItsPerson, openAttempt } from '../testing/interrupted-creations';
import { bootProvisioning, tenant, type ProvisioningWorld } from '../testing/provisioning-world';
import { commitCreation } from './commit-creation';
import type { ProvisioningPorts } from './ports';
import { reconcileAttempt } from './reconcile';
import { attemptKey } from './work-keys';

async function expired() {
  const stage = await awaitingItsPerson();
  const { world } = stage;
  const attempt = openAttempt(world);
  world.provider.expirePayment(attempt.handles.invoiceId ?? '');
  const sent = world.provider.sends().length;
  const look = (ports: ProvisioningPorts) => reconcileAttempt(ports, openAttempt(world), 'reconciliation');
  return { ...stage, attempt, look, sentSince: () => steps(world).slice(sent) };
}

const steps = (world: ProvisioningWorld) => world.provider.sends().map(({ step }) => step);

type Subscriptions = PaymentProvider['retrieveSubscription'];

const showing = (ports: ProvisioningPorts, retrieveSubscription: Subscriptions): ProvisioningPorts => ({
  ...ports,
  provider: { ...ports.provider, retrieveSubscription },
});

describe('a creation whose payment was not confirmed in time', () => {
  it('is cancelled, with the reason that its person reads', async () => {
    const { world, ports, look } = await expired();
    expect(await look(ports)).toBe('cancelled');
    expect(world.attempt()).toMatchObject({
      status: 'cancelled',
      lastError: {
        code: 'confirmation_expired',
        message: 'The payment was not confirmed in time, and nothing was charged.',
      },
    });
  });

  it.each(['canceled', 'incomplete_expired', 'incomplete'] as const)(
    'has its subscription ended only where the provider has not: %s',
    async (status) => {
      const { ports, look, sentSince } = await expired();
      const read: Subscriptions = async (id) => {
        const found = await ports.provider.retrieveSubscription(id);
        return found.outcome === 'succeeded' ? { ...found, value: { ...found.value, status } } : found;
      };
      await look(showing(ports, read));
      expect(sentSince()[0]).toBe(status === 'incomplete' ? 'cancel_now' : 'delete_customer');
    },
  );

  it('is unknown while the provider does not show the subscription', async () => {
    const { world, ports, attempt, look, sentSince } = await expired();
    const silent: Subscriptions = () => Promise.resolve({ outcome: 'unknown', reason: 'no answer' });
    expect(await look(showing(ports, silent))).toBe('unknown');
    expect(world.attempt()).toEqual(attempt);
    expect(sentSince()).toEqual([]);
  });

  it('is left alone while this process works on it', async () => {
    const { world, ports, attempt, look, sentSince } = await expired();
    const latch = createLatch();
    const working = ports.work.run(attemptKey(tenant), () => latch.wait());
    expect(await look(ports)).toBe('unpaid');
    expect(world.attempt()).toEqual(attempt);
    expect(sentSince()).toEqual([]);
    latch.open();
    await working;
    expect(await look(ports)).toBe('cancelled');
  });

  it('is committed when another process committed it before the rollback began', async () => {
    const { world, ports, attempt, look, sentSince } = await expired();
    const slower: Subscriptions = async (id) => {
      await commitCreation(bootProvisioning(world, 3).ports, { stored: attempt, working: attempt }, 'provider_event');
      return ports.provider.retrieveSubscription(id);
    };
    expect(await look(showing(ports, slower))).toBe('committed');
    expect(world.attempt()).toMatchObject({ status: 'committed', provenBy: 'provider_event' });
    expect(sentSince()).toEqual([]);
  });

  it('is unknown when the rollback stops', async () => {
    const { world, ports, look } = await expired();
    world.provider.failNext('lost_answer_before_effect', { step: 'delete_customer' });
    expect(await look(ports)).toBe('unknown');
    expect(world.attempt()).toMatchObject({ status: 'reconciliation_required' });
  });

  it.each([
    ['its beginning', ({ rollback }: { readonly rollback?: unknown }) => rollback !== undefined],
    ['its end', ({ status }: { readonly status?: unknown }) => status === 'cancelled'],
  ])('is unknown when the rollback cannot record %s', async (_what, loses) => {
    const { world, ports, look } = await expired();
    const attempts = losingWrites(ports.attempts, loses);
    expect(await look({ ...ports, attempts })).toBe('unknown');
    expect(world.attempt()).toMatchObject({ status: 'awaiting_payment' });
  });
});

describe('a creation whose subscription a person ended at the provider while its payment was awaited', () => {
  async function endedByPerson(status: 'canceled' | 'incomplete_expired' = 'canceled') {
    const stage = await awaitingItsPerson();
    const { world, ports } = stage;
    const attempt = openAttempt(world);
    const read = await ports.provider.retrieveSubscription(attempt.handles.subscriptionId ?? '');
    if (read.outcome !== 'succeeded') throw new Error('the subscription cannot be read');
    const { currentPeriodEnd } = read.value;
    world.provider.seed({
      subscriptions: [{ ...read.value, status, ...(currentPeriodEnd && { currentPeriodEnd }) } as never],
    });
    const sent = world.provider.sends().length;
    const look = (changed: Partial<ProvisioningPorts['provider']> = {}) =>
      reconcileAttempt({ ...ports, provider: { ...ports.provider, ...changed } }, openAttempt(world), 'reconciliation');
    return { ...stage, attempt, look, sentSince: () => steps(world).slice(sent) };
  }

  it.each(['canceled', 'incomplete_expired'] as const)(
    'is rolled back when it is %s, after its open invoice is void',
    async (status) => {
      const { world, look, attempt, sentSince } = await endedByPerson(status);
      expect(await look()).toBe('cancelled');
      expect(sentSince()).toEqual(['void_invoice', 'delete_customer']);
      expect(world.attempt()).toMatchObject({
        status: 'cancelled',
        lastError: { code: 'confirmation_expired', message: expect.stringContaining('ended at the payment provider') },
      });
      const invoice = await world.provider.retrieveInvoice(attempt.handles.invoiceId ?? '');
      expect(invoice).toMatchObject({ value: { status: 'void' } });
    },
  );

  it.each([true, false])('has its customer deleted only where that is not done: deleted %s', async (deleted) => {
    const { world, ports, look, attempt } = await endedByPerson();
    const customerId = attempt.handles.customerId ?? '';
    const gone = { operationId: 'op-dashboard' };
    await ports.provider.prepare(gone, { step: 'delete_customer', customerId }).send();
    const retrieveCustomer: PaymentProvider['retrieveCustomer'] = async (id) => {
      const read = await ports.provider.retrieveCustomer(id);
      return read.outcome === 'succeeded' ? { ...read, value: { ...read.value, deleted } } : read;
    };
    expect(await look({ retrieveCustomer })).toBe(deleted ? 'cancelled' : 'unknown');
    expect(world.attempt()).toMatchObject(
      deleted
        ? { status: 'cancelled' }
        : { status: 'reconciliation_required', lastError: { code: 'closure_incomplete' } },
    );
  });

  it('stops for people when its person pays before the invoice is void', async () => {
    const { world, ports, look, attempt } = await endedByPerson();
    const invoiceId = attempt.handles.invoiceId ?? '';
    const paying: PaymentProvider['prepare'] = (intent, effect) => {
      if (effect.step === 'void_invoice') world.provider.confirmPayment(invoiceId);
      return ports.provider.prepare(intent, effect);
    };
    expect(await look({ prepare: paying })).toBe('unknown');
    expect(world.attempt()).toMatchObject({
      status: 'reconciliation_required',
      lastError: { code: 'closure_incomplete' },
    });
  });

  it('stops for people when its customer is deleted and its invoice cannot be voided', async () => {
    const { world, ports, look, attempt, sentSince } = await endedByPerson();
    const customerId = attempt.handles.customerId ?? '';
    await ports.provider.prepare({ operationId: 'op-dashboard' }, { step: 'delete_customer', customerId }).send();
    const paying: PaymentProvider['prepare'] = (intent, effect) => {
      if (effect.step === 'void_invoice') world.provider.confirmPayment(attempt.handles.invoiceId ?? '');
      return ports.provider.prepare(intent, effect);
    };
    expect(await look({ prepare: paying })).toBe('unknown');
    expect(sentSince()).toEqual(['delete_customer', 'void_invoice']);
  });

  it('is left to the next round when its invoice was paid or voided between the two readings', async () => {
    const { world, ports, look, attempt, sentSince } = await endedByPerson();
    const invoiceId = attempt.handles.invoiceId ?? '';
    let reads = 0;
    const retrieveInvoice: PaymentProvider['retrieveInvoice'] = async (id) => {
      const read = await ports.provider.retrieveInvoice(id);
      if ((reads += 1) === 1) world.provider.confirmPayment(invoiceId);
      return read;
    };
    expect(await look({ retrieveInvoice })).toBe('unpaid');
    expect(sentSince()).toEqual([]);
    expect(await look()).toBe('paid_after_end');
  });

  it('is not committed when its person pays afterwards: it stops and alerts people, once', async () => {
    const { world, look, attempt, announced, sentSince } = await endedByPerson();
    world.provider.confirmPayment(attempt.handles.invoiceId ?? '');
    expect(await look()).toBe('paid_after_end');
    const stopped = world.attempt();
    expect(stopped).toMatchObject({ status: 'reconciliation_required', lastError: { code: 'paid_after_end' } });
    expect(stopped?.outbox?.at(-1)).toMatchObject({
      subject: 'alert.reconciliation_required.provisioning.provisioning_attempt',
      body: { tenantId: tenant, reason: expect.stringContaining('its subscription has ended') },
    });
    expect(await look()).toBe('paid_after_end');
    expect(world.attempt()).toEqual(stopped);
    expect(announced.flatMap(({ entries }) => entries)).toHaveLength(1);
    expect(world.marker()).toMatchObject({ provisioningState: 'awaiting_payment' });
    expect(sentSince()).toEqual([]);
  });

  it('waits while the provider does not show its subscription', async () => {
    const { look, sentSince } = await endedByPerson();
    const silent: Subscriptions = () => Promise.resolve({ outcome: 'unknown', reason: 'no answer' });
    expect(await look({ retrieveSubscription: silent })).toBe('unpaid');
    expect(sentSince()).toEqual([]);
  });
});
