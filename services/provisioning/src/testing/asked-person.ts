/** The person whom the provider asks to confirm a first payment, and the required consequences of each answer. */
import type { ProvisioningWorld } from './provisioning-world';

export type Person = 'confirms' | 'does nothing' | 'ends the subscription' | 'pays after its end';

/** The invoice of a payment that waits for its person, who knows the provider's page from then on. */
export async function firstInvoice(world: ProvisioningWorld) {
  const path = world.provider.sends().find(({ step, fault }) => step === 'pay_invoice' && !fault)?.path ?? '';
  const invoice = await world.provider.retrieveInvoice(path.split('/')[3] ?? '');
  return invoice.outcome === 'succeeded' ? invoice.value : undefined;
}

export async function answerProvider(world: ProvisioningWorld, person: Person | undefined): Promise<void> {
  const invoice = await firstInvoice(world);
  if (!person || invoice?.status !== 'open') return;
  if (person === 'confirms') world.provider.confirmPayment(invoice.id);
  else if (person === 'does nothing') world.provider.expirePayment(invoice.id);
  else await endSubscription(world);
  if (person === 'pays after its end') world.provider.confirmPayment(invoice.id);
}

async function soldSubscription(world: ProvisioningWorld) {
  const read = await world.provider.retrieveSubscription(world.attempt()?.handles.subscriptionId ?? '');
  return read.outcome === 'succeeded' ? read.value : undefined;
}

/** Ended at the provider beside the platform: its invoice stays open and can still be paid. */
async function endSubscription(world: ProvisioningWorld): Promise<void> {
  const sold = await soldSubscription(world);
  if (!sold || sold.status === 'canceled') return;
  const currentPeriodEnd = sold.currentPeriodEnd ?? new Date(0);
  world.provider.seed({ subscriptions: [{ ...sold, status: 'canceled', currentPeriodEnd }] });
}

/** Creations that did not end as the person ended their payment. */
export async function unfollowedPayment(world: ProvisioningWorld): Promise<string[]> {
  const [attempt, invoice] = [world.attempt(), await firstInvoice(world)];
  if (!attempt || !invoice || attempt.resolution) return [];
  const stopped = attempt.status === 'reconciliation_required';
  const ended = (await soldSubscription(world))?.status === 'canceled';
  if (ended && invoice.status === 'paid' && attempt.status === 'committed')
    return [`${attempt._id}: its subscription ended before it was paid, and it is committed`];
  // Without a recorded confirmation, or with a rollback, it is interrupted work, of which people are alerted.
  if (ended && attempt.status === 'awaiting_payment' && attempt.confirmation && !attempt.rollback)
    return [`${attempt._id}: its subscription has ended, and it still waits for a payment`];
  if (invoice.status === 'paid' && attempt.status !== 'committed' && !stopped)
    return [`${attempt._id}: its first invoice is paid, and it is ${attempt.status}`];
  if (
    invoice.status === 'void' &&
    attempt.confirmation &&
    attempt.status !== 'cancelled' &&
    !stopped &&
    !attempt.rollback
  )
    return [`${attempt._id}: its first invoice is void, and it is ${attempt.status}`];
  return [];
}
