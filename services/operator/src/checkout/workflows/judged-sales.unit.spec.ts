/** How the state of a sale at the provider is judged: it is valid, it waits, or it is not valid. */
import type {
  PaymentProvider,
  ProviderCheckoutSession,
  ProviderInvoice,
  ProviderSubscription,
} from '@platform/payment-provider';
import type { AwaitingReceiptsOperation } from '../../operations/domain/operation';
import { beginCheckout, free } from '../testing/checkout-world';
import type { CheckoutPorts } from './checkout-ports';
import { judgeSale } from './judge-sale';
import type { WaitingCheckout } from './read-checkout';

interface Sale {
  readonly session?: Partial<ProviderCheckoutSession>;
  /** The status of the sold subscription. */
  readonly status?: ProviderSubscription['status'];
  readonly invoice?: ProviderInvoice['status'] | 'unread';
  readonly bankRefused?: boolean;
}

const unread = { outcome: 'unknown', reason: 'no answer', phase: 'bytes_written' } as const;
const notAsked = () => Promise.reject(new Error('this is not read at the provider'));

/** A sale with these facts, and its judgement on changed ports. */
async function judge({ session = {}, status, invoice, bankRefused = false }: Sale, trial = 0) {
  const { world, events, sessionId } = await beginCheckout(free, {
    trial: async () => ({ kind: 'decided', days: trial }),
  });
  const sold = world.provider.completeCheckout(sessionId, { ...(status && { status }) });
  const operation = world.operations()[0] as AwaitingReceiptsOperation;
  const waiting: WaitingCheckout = {
    session: { ...sold, ...session },
    operation,
    subscription: world.subscription()!,
    recorded: operation.checkout!,
  };
  const invoiceOf = (id: string, state: ProviderInvoice['status']): ProviderInvoice => ({
    id,
    customerId: 'cus_acme',
    subscriptionId: sold.subscriptionId,
    status: state,
    total: 1_900,
    hostedUrl: null,
  });
  const retrieveInvoice: PaymentProvider['retrieveInvoice'] = async (id) =>
    invoice === undefined || invoice === 'unread' ? unread : { outcome: 'succeeded', value: invoiceOf(id, invoice) };
  const provider = { ...world.provider, retrieveInvoice: invoice ? retrieveInvoice : notAsked };
  return {
    events,
    waiting,
    provider,
    by: (change: Partial<CheckoutPorts> = {}) => judgeSale({ ...events, provider, ...change }, waiting, bankRefused),
  };
}

const unpaid = { paymentStatus: 'unpaid', invoiceId: 'in_1' } as const;
const sold = { kind: 'sold' };
const waits = { kind: 'waits', waitsFor: 'payment' };
const unreadable = { kind: 'waits', waitsFor: 'provider' };
const refused = { kind: 'refused', error: { code: 'payment_failed' } };

describe('the payment of a sale', () => {
  it.each<[Sale, object]>([
    [{ status: 'active' }, sold],
    [{ status: 'trialing' }, sold],
    [{ status: 'past_due' }, sold],
    [{ status: 'paused' }, sold],
    [{ status: 'incomplete' }, waits],
    [{ session: unpaid, invoice: 'paid', status: 'past_due' }, sold],
    [{ session: unpaid, invoice: 'open', status: 'past_due' }, waits],
    [{ status: 'canceled' }, sold],
    [{ status: 'incomplete_expired' }, sold],
    [{ status: 'unpaid' }, sold],
    [{ session: unpaid, invoice: 'open', status: 'canceled' }, refused],
    [{ session: unpaid, invoice: 'open', status: 'incomplete_expired' }, refused],
    [{ session: unpaid, invoice: 'open', status: 'unpaid' }, refused],
    [{ session: unpaid, invoice: 'paid', status: 'canceled' }, sold],
    [{ session: unpaid, invoice: 'unread', status: 'canceled' }, unreadable],
    [{ session: unpaid, invoice: 'unread', bankRefused: true }, unreadable],
    [{ session: { ...unpaid, invoiceId: null }, bankRefused: true }, refused],
    [{ session: { ...unpaid, paymentStatus: 'paid' } }, sold],
    [{ session: unpaid, invoice: 'paid' }, sold],
    [{ session: unpaid, invoice: 'paid', status: 'trialing' }, sold],
    [{ session: unpaid, invoice: 'paid', status: 'incomplete' }, waits],
    [{ session: unpaid, invoice: 'paid', bankRefused: true }, sold],
    [{ session: unpaid, invoice: 'open' }, waits],
    [{ session: unpaid, invoice: 'open', bankRefused: true }, refused],
    [{ session: unpaid, invoice: 'void' }, refused],
    [{ session: unpaid, invoice: 'uncollectible' }, refused],
    [{ session: unpaid, invoice: 'unread' }, waits],
    [{ session: { ...unpaid, invoiceId: null } }, waits],
  ])('with %j is judged %j', async (sale, expected) => {
    expect(await (await judge(sale)).by()).toMatchObject(expected);
  });

  it('is left to the executor when the provider has no such subscription', async () => {
    const { provider, by } = await judge({});
    const retrieveSubscription = async () =>
      ({ outcome: 'failed', kind: 'refused', code: 'gone', message: 'gone' }) as never;
    expect(await by({ provider: { ...provider, retrieveSubscription } })).toEqual(sold);
  });
});

describe('the trial of a sale', () => {
  const held = async () => ({ kind: 'decided', days: 0, held: true }) as const;

  it('is not asked for when none was sold', async () => {
    expect(await (await judge({})).by({ reserveTrial: held })).toEqual(sold);
  });

  it('is refused to a card that has had one', async () => {
    expect(await (await judge({}, 14)).by({ reserveTrial: held })).toMatchObject({
      kind: 'refused',
      error: { code: 'trial_refused' },
    });
  });

  it('is not refused any more when it has ended, because the card was charged', async () => {
    const { by } = await judge({ status: 'active' }, 14);
    expect(await by({ reserveTrial: held })).toEqual(sold);
  });

  it('is bound to no card when the session names none, and the provider is not asked', async () => {
    const { provider, by } = await judge({ session: { paymentMethodId: null } }, 14);
    expect(await by({ provider: { ...provider, retrievePaymentMethod: notAsked } })).toEqual(sold);
  });

  it('is bound to no card where no service keeps trials', async () => {
    const { events, waiting, provider } = await judge({}, 14);
    const { reserveTrial: _absent, ...ports } = events;
    const asking = { ...provider, retrievePaymentMethod: notAsked };
    expect(await judgeSale({ ...ports, provider: asking }, waiting, false)).toEqual(sold);
  });

  it('is bound to no card of a person without an address', async () => {
    const { events, waiting, provider } = await judge({}, 14);
    const operation = { ...waiting.operation, actor: { id: 'owner' } };
    const asking = { ...provider, retrievePaymentMethod: notAsked };
    expect(await judgeSale({ ...events, provider: asking }, { ...waiting, operation }, false)).toEqual(sold);
  });

  it('is bound to no payment method that is no card', async () => {
    const { provider, by } = await judge({}, 14);
    const retrievePaymentMethod: PaymentProvider['retrievePaymentMethod'] = async (id) => ({
      outcome: 'succeeded',
      value: { id, customerId: 'cus_acme', cardFingerprint: null },
    });
    expect(await by({ provider: { ...provider, retrievePaymentMethod }, reserveTrial: held })).toEqual(sold);
  });

  it('waits while the card cannot be read', async () => {
    const { provider, by } = await judge({}, 14);
    expect(await by({ provider: { ...provider, retrievePaymentMethod: async () => unread } })).toEqual({
      kind: 'waits',
      waitsFor: 'trial_decision',
    });
  });
});
