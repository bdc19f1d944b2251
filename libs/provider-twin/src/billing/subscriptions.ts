/** How a subscription begins: its first periods, its first invoice, and what happens when that is not paid. */
import { errors } from '../http/errors';
import type { Invoice, Price, Subscription } from '../tables';
import type { Twin } from '../twin';
import { blankSubscription, type PaymentBehaviour, type SubscriptionFields } from './blank-subscription';
import { collect } from './collection';
import { defaultMethodOf } from './invoice-payment';
import { finalise } from './invoices';
import { checkItems } from './items';
import { periodAround } from './periods';
import { setStatus } from './settlement';
import { newSetupIntent } from './setup';
import { periodInvoice } from './subscription-invoices';

function collectFirst(twin: Twin, invoice: Invoice, behaviour: PaymentBehaviour): void {
  if (!defaultMethodOf(twin, invoice))
    throw errors.invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      undefined,
      'resource_missing',
    );
  const attempt = collect(twin, invoice);
  if (attempt.kind === 'succeeded') return;
  // A method whose payment is answered later skips `incomplete`.
  if (attempt.kind === 'processing')
    return setStatus(twin, String(invoice.parent?.subscription_details?.subscription), 'active');
  if (behaviour === 'error_if_incomplete')
    throw attempt.kind === 'declined'
      ? attempt.error.withoutEffects()
      : errors.authenticationNeeded(false, undefined, 'subscription');
}

interface FirstPeriods {
  anchor: number;
  period: { start: number; end: number };
  share: { start: number; end: number } | undefined;
}

function firstPeriods(fields: SubscriptionFields, price: Readonly<Price>, now: number): FirstPeriods {
  const every = price.recurring;
  if (!every) throw errors.missing('items');
  const anchor = fields.anchor ?? fields.trialEnd ?? now;
  if (fields.trialEnd) return { anchor, period: { start: now, end: fields.trialEnd }, share: undefined };
  const whole = periodAround(anchor, every, now);
  if (whole.start === now) return { anchor, period: whole, share: undefined };
  return { anchor, period: { start: now, end: whole.end }, share: whole };
}

function firstInvoice(
  twin: Twin,
  subscription: Subscription,
  first: SubscriptionFields & Pick<FirstPeriods, 'period' | 'share'>,
): Invoice {
  const invoice = periodInvoice(twin, subscription, 'subscription_create', first.period, {
    free: Boolean(first.trialEnd),
    ...(first.share ? { shareOf: first.share } : {}),
  });
  subscription.latest_invoice = invoice.id;
  if (!first.deferred && (subscription.collection_method === 'charge_automatically' || invoice.total === 0))
    finalise(twin, invoice);
  else invoice.automatically_finalizes_at = twin.now() + 3600;
  return invoice;
}

const payable = (twin: Twin, subscription: Readonly<Subscription>): boolean =>
  Boolean(
    subscription.default_payment_method ??
    twin.state.get('customer', subscription.customer)?.invoice_settings.default_payment_method,
  );

/** Starts a subscription and its first invoice. Throws the provider's refusals; then nothing is kept. */
export function createSubscription(twin: Twin, fields: SubscriptionFields): Subscription {
  const price = checkItems(fields.items.map((each) => each.price));
  const { customer } = fields;
  if (customer.currency && customer.currency !== price.currency)
    throw errors.invalid(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${customer.currency}`,
    );
  const now = twin.now();
  const { anchor, period, share } = firstPeriods(fields, price, now);
  const id = fields.id ?? twin.newId('sub');
  const subscription = twin.state.add(
    'subscription',
    blankSubscription(twin, id, fields, price.currency, period, anchor),
  );
  twin.state.edit('customer', customer.id).currency ??= price.currency;
  const skipped = share !== undefined && fields.prorate === false;
  const invoice = skipped ? undefined : firstInvoice(twin, subscription, { ...fields, period, share });
  const behaviour = fields.behaviour ?? 'allow_incomplete';
  if (subscription.status === 'trialing' && !payable(twin, subscription))
    subscription.pending_setup_intent = newSetupIntent(twin, { customer: customer.id, method: null }).id;
  const owed = invoice?.status === 'open' && subscription.collection_method === 'charge_automatically';
  if (owed) subscription.status = 'incomplete';
  twin.emit('customer.subscription.created', subscription);
  if (owed && behaviour !== 'default_incomplete') collectFirst(twin, invoice, behaviour);
  return subscription;
}
