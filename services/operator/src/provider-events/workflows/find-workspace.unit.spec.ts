/** Whose event it is: the object at the provider names the workspace, and the payload only where it cannot be read. */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import type { ProviderReads, ProviderSubscription } from '@platform/payment-provider';
import { subscriptionsCollection } from '../../mirror/store/subscriptions';
import { bootEvents, providerEvent } from '../testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import { handleProviderEvent } from './handle-provider-event';

const unread = async () => ({ outcome: 'unknown', reason: 'no answer', phase: 'bytes_written' }) as const;
const invoice = { id: 'in_1', status: 'open', total: 1_900, hostedUrl: null } as const;
const plain: Omit<ProviderSubscription, 'id' | 'customerId'> = {
  status: 'active',
  collectionPaused: false,
  cancelAtPeriodEnd: false,
  itemId: 'si_1',
  priceId: 'price_pro',
  quantity: 1,
  currentPeriodEnd: null,
  scheduleId: null,
  metadata: {},
};
const foreign = { subscriptionId: 'sub_other', customerId: 'cus_other' };

/** The world of `acme`, and a provider that answers these reads; a read of another object is a fault of the test. */
async function play(type: string, object: ProviderEventMessage['object'], answers: Partial<ProviderReads> = {}) {
  const world = await createOperatorWorld();
  const asked: string[] = [];
  const { events } = bootEvents(world, 1);
  const { provider } = events;
  const retrieveSubscription: ProviderReads['retrieveSubscription'] = (id) => {
    asked.push(id);
    return (id === 'sub_acme' ? provider : { ...provider, ...answers }).retrieveSubscription(id);
  };
  const retrieveInvoice: ProviderReads['retrieveInvoice'] = (id) => {
    asked.push(id);
    return { ...provider, ...answers }.retrieveInvoice(id);
  };
  const watched = { ...provider, ...answers, retrieveSubscription, retrieveInvoice };
  await handleProviderEvent({ ...events, provider: watched }, providerEvent('evt_1', type, object));
  const { status, tenantId, error } = (await events.admissions.findById('evt_1')) as {
    readonly status: string;
    readonly tenantId?: string;
    readonly error?: string;
  };
  return { found: tenantId, status, error, asked };
}

const invoiceOf = (whose: { readonly subscriptionId: string | null; readonly customerId: string }) => ({
  retrieveInvoice: async () => ({ outcome: 'succeeded', value: { ...invoice, ...whose } }) as const,
});
const subscriptionOf = (whose: Pick<ProviderSubscription, 'customerId'> & Partial<ProviderSubscription>) => ({
  retrieveSubscription: async (id: string) => ({ outcome: 'succeeded', value: { ...plain, id, ...whose } }) as const,
});

describe('an event of an object that the provider shows', () => {
  it.each<[string, string, ProviderEventMessage['object'], Partial<ProviderReads>, readonly string[]]>([
    [
      'the customer of a subscription',
      'customer.subscription.created',
      { id: 'sub_2' },
      subscriptionOf({ customerId: 'cus_acme' }),
      ['sub_2', 'sub_acme'],
    ],
    [
      'the metadata of a subscription',
      'customer.subscription.created',
      { id: 'sub_2', customer: 'cus_other' },
      subscriptionOf({ customerId: 'cus_other', metadata: { tenantId: 'acme' } }),
      ['sub_2', 'sub_acme'],
    ],
    [
      'the metadata of the event, when the subscription has none',
      'customer.subscription.created',
      { id: 'sub_2', metadata: { tenantId: 'acme' } },
      subscriptionOf({ customerId: 'cus_other' }),
      ['sub_2', 'sub_acme'],
    ],
    [
      'the subscription of an invoice',
      'invoice.paid',
      { id: 'in_1' },
      invoiceOf({ ...foreign, subscriptionId: 'sub_acme' }),
      ['in_1', 'sub_acme'],
    ],
    [
      'the customer of an invoice',
      'invoice.paid',
      { id: 'in_1' },
      invoiceOf({ subscriptionId: null, customerId: 'cus_acme' }),
      ['in_1', 'sub_acme'],
    ],
    [
      'the metadata of an invoice event',
      'invoice.paid',
      { id: 'in_1', metadata: { tenantId: 'acme' } },
      invoiceOf(foreign),
      ['in_1', 'sub_acme'],
    ],
    [
      'the invoice of a credit note',
      'credit_note.created',
      { id: 'cn_1', invoice: 'in_1' },
      invoiceOf({ ...foreign, customerId: 'cus_acme' }),
      ['in_1', 'sub_acme'],
    ],
    ['the customer itself', 'customer.updated', { id: 'cus_acme' }, {}, ['sub_acme']],
  ])('is of the workspace that is found by %s', async (_by, type, object, answers, reads) => {
    expect(await play(type, object, answers)).toEqual({ found: 'acme', status: 'success', asked: reads });
  });

  it.each<[string, ProviderEventMessage['object'], Partial<ProviderReads>]>([
    ['invoice.paid', { id: 'in_1', customer: 'cus_acme' }, invoiceOf(foreign)],
    [
      'customer.subscription.created',
      { id: 'sub_2', customer: 'cus_acme' },
      subscriptionOf({ customerId: 'cus_other' }),
    ],
    ['customer.updated', { id: 'cus_other', customer: 'cus_acme' }, {}],
  ])('%s is of no workspace when only its payload names one', async (type, object, answers) => {
    expect(await play(type, object, answers)).toMatchObject({
      found: undefined,
      status: 'skipped',
      error: 'no workspace has this subscription or customer',
    });
  });

  it.each<[string, ProviderEventMessage['object'], Partial<ProviderReads>]>([
    ['invoice.paid', { id: 'in_1' }, invoiceOf({ subscriptionId: 'sub_acme', customerId: 'cus_acme' })],
    ['customer.subscription.updated', { id: 'sub_acme', customer: 'cus_acme' }, {}],
    ['customer.updated', { id: 'cus_acme' }, {}],
  ])('%s is not skipped while the record of its workspace cannot be read', async (type, object, answers) => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    const rows = world.store.collection(subscriptionsCollection);
    const [row] = rows.all();
    rows.put({ ...row!, status: 'of a newer release' });
    await handleProviderEvent(
      { ...events, provider: { ...events.provider, ...answers } },
      providerEvent('evt_1', type, object),
    );
    expect(await events.admissions.findById('evt_1')).toMatchObject({ status: 'failed' });
  });

  it('is of a workspace that is written while it is looked for', async () => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    let late = true;
    const find: typeof events.subscriptions.find = async (filter, options) => {
      const found = late ? [] : await events.subscriptions.find(filter, options);
      late = false;
      return found;
    };
    const ports = { ...events, subscriptions: { ...events.subscriptions, find } };
    await handleProviderEvent(ports, providerEvent('evt_1', 'customer.updated', { id: 'cus_acme' }));
    expect(await events.admissions.findById('evt_1')).toMatchObject({ status: 'success', tenantId: 'acme' });
  });

  it('is of the workspace of its subscription, when its customer is that of another one', async () => {
    const world = await createOperatorWorld();
    const { events } = bootEvents(world, 1);
    const acme = world.subscription()!;
    const { revision: _r, createdAt: _c, updatedAt: _u, ...draft } = acme;
    await events.subscriptions.insert({
      ...draft,
      _id: 'aaron',
      provider: { ...acme.provider, subscriptionId: 'sub_a' },
    });
    const provider = { ...events.provider, ...invoiceOf({ subscriptionId: 'sub_acme', customerId: 'cus_acme' }) };
    await handleProviderEvent({ ...events, provider }, providerEvent('evt_1', 'invoice.paid', { id: 'in_1' }));
    expect(await events.admissions.findById('evt_1')).toMatchObject({ status: 'success', tenantId: 'acme' });
  });
});

describe('an event of an object that the provider does not show', () => {
  it.each<[string, string, ProviderEventMessage['object'], readonly string[]]>([
    ['its customer', 'customer.subscription.updated', { id: 'sub_2', customer: 'cus_acme' }, ['sub_2', 'sub_acme']],
    [
      'its metadata',
      'customer.subscription.updated',
      { id: 'sub_2', metadata: { tenantId: 'acme' } },
      ['sub_2', 'sub_acme'],
    ],
    ['its customer', 'invoice.paid', { id: 'in_1', customer: 'cus_acme' }, ['in_1', 'sub_acme']],
    ['its subscription', 'credit_note.created', { id: 'cn_1', subscription: 'sub_acme' }, ['sub_acme']],
    ['its customer', 'charge.refunded', { id: 'ch_1', customer: 'cus_acme' }, ['sub_acme']],
    ['its customer', 'invoice.upcoming', { customer: 'cus_acme' }, ['sub_acme']],
    ['its customer', 'customer.subscription.updated', { customer: 'cus_acme' }, ['sub_acme']],
  ])('is of the workspace that the payload names by %s: %s', async (_by, type, object, reads) => {
    const silent = { retrieveInvoice: unread, retrieveSubscription: unread };
    expect(await play(type, object, silent)).toEqual({ found: 'acme', status: 'success', asked: reads });
  });
});

describe('a renewal that is paid and finds no workspace', () => {
  const renewal = { id: 'in_1', billing_reason: 'subscription_cycle' } as const;

  it.each([
    ['a creation', { provisioningAttempt: 'lost' }],
    ['a checkout', { tenantId: 'lost', operationId: 'op-checkout-001' }],
  ])('fails where its subscription was sold by %s that no record has, as after a restore', async (_by, metadata) => {
    const { status, error } = await play('invoice.paid', { ...renewal, metadata }, invoiceOf(foreign));
    expect({ status, error }).toEqual({
      status: 'failed',
      error: 'no record of the workspace lost exists, and a renewal of its subscription is paid',
    });
  });

  it('fails where its workspace does not name the customer, as when a restore lost the checkout that made it', async () => {
    const metadata = { tenantId: 'acme', operationId: 'op-checkout-001' };
    const object = { ...renewal, customer: 'cus_other', metadata };
    expect(await play('invoice.paid', object, invoiceOf(foreign))).toMatchObject({
      found: 'acme',
      status: 'failed',
      error: 'the record of the workspace does not name customer cus_other, and a renewal of its subscription is paid',
    });
    const own = { ...object, customer: 'cus_acme' };
    expect(await play('invoice.paid', own, invoiceOf(foreign))).toMatchObject({ status: 'success' });
  });

  it.each([
    ['names nothing of the platform', renewal],
    ['was sold by the creation of a workspace on record', { ...renewal, metadata: { provisioningAttempt: 'acme' } }],
    ['has a workspace of another platform', { ...renewal, metadata: { tenantId: 'lost' } }],
    ['is no renewal', { id: 'in_1', billing_reason: 'manual', metadata: { provisioningAttempt: 'lost' } }],
  ])('is skipped where it %s', async (_what, object) => {
    expect(await play('invoice.paid', object, invoiceOf(foreign))).toMatchObject({ status: 'skipped' });
  });
});
