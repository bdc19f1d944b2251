/**
 * Collection of invoices by the clock: finalise a draft after an hour, try to pay it, and retry on the days of the
 * account's rules. The first failure makes the subscription past due; the last one ends it according to the rules.
 */
import type { Invoice } from '../tables';
import type { Twin } from '../twin';
import { cancelSubscription } from './cancellation';
import { collect } from './collection';
import { finalise } from './invoices';
import { setStatus } from './settlement';

const daySeconds = 86_400;

function afterFailure(twin: Twin, invoice: Invoice): void {
  const subscription = invoice.parent?.subscription_details?.subscription;
  const rules = twin.dunning();
  const days = rules.retryDays[invoice.attempt_count - 1];
  if (days !== undefined) {
    const first = invoice.status_transitions.finalized_at ?? twin.now();
    invoice.next_payment_attempt = Math.max(first + days * daySeconds, twin.now() + 1);
    twin.emit('invoice.updated', invoice, { ...invoice, next_payment_attempt: null });
    if (subscription) setStatus(twin, subscription, 'past_due');
    return;
  }
  invoice.next_payment_attempt = null;
  if (!subscription) return;
  if (rules.finally === 'cancel') cancelSubscription(twin, subscription, { reason: 'payment_failed' });
  else setStatus(twin, subscription, rules.finally);
}

function attemptDue(twin: Twin, invoice: Invoice): void {
  const before = invoice.attempt_count;
  const attempt = collect(twin, invoice);
  if (attempt.kind === 'succeeded' || attempt.kind === 'processing') return;
  // An attempt without a method also counts; otherwise it would be due again each second.
  if (invoice.attempt_count === before) Object.assign(invoice, { attempt_count: before + 1, attempted: true });
  afterFailure(twin, invoice);
}

/** Finalises a draft invoice after its hour and tries to collect it. */
export function finaliseDue(twin: Twin, id: string): Invoice {
  const invoice = twin.state.edit('invoice', id);
  finalise(twin, invoice);
  if (invoice.status === 'open' && invoice.collection_method === 'charge_automatically') attemptDue(twin, invoice);
  return invoice;
}

/** Retries an open invoice on its day. */
export function collectDue(twin: Twin, id: string): Invoice {
  const invoice = twin.state.edit('invoice', id);
  attemptDue(twin, invoice);
  return invoice;
}

/** The due date of a sent invoice passed unpaid: its subscription is past due from now on. */
export function overdue(twin: Twin, id: string): Invoice {
  twin.state.add('reminder', { id });
  const invoice = twin.state.edit('invoice', id);
  twin.emit('invoice.overdue', invoice);
  const subscription = twin.state.get('subscription', invoice.parent?.subscription_details?.subscription ?? '');
  if (subscription?.status === 'active') setStatus(twin, subscription.id, 'past_due');
  return invoice;
}
