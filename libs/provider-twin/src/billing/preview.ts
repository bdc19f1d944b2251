/**
 * Previews: the next invoice, computed by making the change and discarding everything but the invoice. So a preview
 * never differs from the later invoice.
 */
import { clone } from '../clone';
import { errors } from '../http/errors';
import type { Customer, Invoice } from '../tables';
import type { Twin } from '../twin';
import { changeItems, itemsAfter, type ChangeOptions, type ItemChange } from './changes';
import { renew } from './renewal';
import { createSubscription } from './subscriptions';
import { currentPeriod, type ItemFields } from './items';

/** An invoice in the provider's form for one that does not exist yet. */
function asUpcoming(invoice: Readonly<Invoice>): Invoice {
  const due = invoice.amount_due;
  return {
    ...clone(invoice),
    id: `upcoming_${invoice.id}`,
    status: 'draft',
    number: null,
    billing_reason: 'upcoming',
    attempted: false,
    attempt_count: 0,
    amount_paid: 0,
    amount_remaining: due,
    effective_at: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    next_payment_attempt: invoice.created + 3600,
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
  };
}

function rehearsed(twin: Twin, work: () => string | null): Invoice {
  const before = twin.charged();
  const invoice = twin.state.rehearse(() => {
    const made = twin.state.get('invoice', work() ?? '');
    if (!made) throw errors.invalid('No upcoming invoices for customer', undefined, 'invoice_upcoming_none', 404);
    return asUpcoming(made);
  });
  twin.charge(before - twin.charged());
  return invoice;
}

/** The next invoice of a subscription, after the given changes. */
export function previewChange(
  twin: Twin,
  id: string,
  changes: ItemChange[] | undefined,
  options: ChangeOptions & { ends?: boolean },
): Invoice {
  return rehearsed(twin, () => {
    const subscription = twin.state.edit('subscription', id);
    if (['canceled', 'incomplete_expired'].includes(subscription.status)) return null;
    const before = subscription.latest_invoice;
    if (changes) changeItems(twin, subscription, itemsAfter(twin, subscription, changes), options);
    if (subscription.latest_invoice !== before) return subscription.latest_invoice;
    if (options.ends ?? subscription.cancel_at !== null) return null;
    twin.setNow(currentPeriod(subscription).end);
    renew(twin, id);
    return subscription.latest_invoice;
  });
}

/** The first invoice of a subscription that does not exist yet. */
export function previewStart(
  twin: Twin,
  customer: Readonly<Customer>,
  items: ItemFields[],
  trialEnd: number | null,
): Invoice {
  return rehearsed(
    twin,
    () => createSubscription(twin, { customer, items, trialEnd, behaviour: 'default_incomplete' }).latest_invoice,
  );
}
