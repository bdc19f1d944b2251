/**
 * Which service owns the effect of an event. The first invoice of a subscription belongs to the creation that made it,
 * every other change to the operator's mirror; a type without a handler is recorded and skipped (workflows §6).
 */
import type { ProviderEventOwner } from '@platform/contracts-provisioning';

const operatorTypes: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'credit_note.created',
  'credit_note.voided',
  'charge.refund.updated',
  'customer.updated',
]);
const invoiceTypes: ReadonlySet<string> = new Set([
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.finalized',
]);

/** Event types that the endpoint at the provider must send, in alphabetical order. */
export const handledTypes: readonly string[] = [...operatorTypes, ...invoiceTypes].sort();

/** Null when no service handles the type. */
export function ownerOf(type: string, billingReason: unknown): ProviderEventOwner | null {
  if (operatorTypes.has(type)) return 'operator';
  if (!invoiceTypes.has(type)) return null;
  return billingReason === 'subscription_create' ? 'provisioning' : 'operator';
}
