/**
 * Removes the objects that a creation resolved as not applied has left at the provider: its subscription is ended and
 * its customer deleted, unless money may have been taken. A call with an unknown outcome is never sent again (law 3):
 * the next round reads the provider, which either shows that the object is gone, or leaves the rest to a person
 * (decision 16).
 */
import { callProvider, writeHeld, type EffectPorts, type Hold } from '@platform/durable/effects';
import { decide, type Decision } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { alertEntry } from '@platform/kernel';
import type { CallIntent, PreparedCall } from '@platform/payment-provider';
import type { Attempt } from '../domain/attempt';
import {
  isUnknown,
  leavesRemains,
  newRemains,
  remainsSteps,
  withAnswer,
  withCall,
  type OpenRemains,
  type Remains,
} from '../domain/remains';
import type { ProvisioningPorts } from './ports';
import { settleReservations, type ReservePorts } from './reserve';

type RemainsHold = Hold<Remains, OpenRemains>;

function effectsOf(ports: ProvisioningPorts): EffectPorts<Remains, OpenRemains, Checked<Remains>> {
  return {
    records: ports.remains,
    retryPolicy: ports.retryPolicy,
    clock: ports.clock,
    log: ports.log,
    service: ports.executor.service,
    publishNow: (id, entries) => ports.publishNow('creation_remains', id, entries),
    answered: (step, outcome) => ports.meter.providerAnswered(step, outcome),
    journal: {
      kind: 'provisioning_attempt',
      withCall,
      withAnswer,
      draft: keep,
      stopped: keep,
      tenantOf: ({ tenantId }) => tenantId,
      alertTurn: (_remains, { code }) => code,
    },
  };
}

const keep = (remains: OpenRemains): Checked<OpenRemains> => remainsSteps.keep<OpenRemains>(remains, {});

type EndingPorts = ReservePorts & Pick<ProvisioningPorts, 'remains' | 'retryPolicy'>;

/**
 * Reports the end of an attempt to the reservations, after its objects at the provider are noted: until then, the held
 * reservations make the reconciliation find the attempt. False when it must be repeated.
 */
export async function endReservations(ports: EndingPorts, attempt: Attempt): Promise<boolean> {
  if (leavesRemains(attempt) && !(await noteRemains(ports, attempt))) return false;
  return settleReservations(ports, attempt);
}

async function noteRemains(ports: EndingPorts, attempt: Attempt): Promise<boolean> {
  const insert = (read: Remains | null): Decision<Checked<Remains>, Remains> =>
    read ? { answer: read } : { write: newRemains(attempt) };
  return (await decide(ports, ports.remains, attempt._id, insert, null)).kind !== 'unknown';
}

/** Statuses of a subscription that has collected nothing. */
const unpaid: ReadonlySet<string> = new Set(['incomplete', 'incomplete_expired', 'trialing', 'canceled']);

type Look =
  | { readonly next: () => PreparedCall<unknown>; readonly object: string }
  /** Null: nothing is left. */
  | { readonly keptBecause: string | null }
  | { readonly unknown: string };

/** What the provider shows, and the next call that removes an object. */
async function look({ provider }: ProvisioningPorts, { _id, handles, paymentFree }: OpenRemains): Promise<Look> {
  const intent: CallIntent = { operationId: _id };
  const { customerId, subscriptionId, invoiceId } = handles;
  if (invoiceId && !paymentFree) {
    const invoice = await provider.retrieveInvoice(invoiceId);
    if (invoice.outcome === 'unknown') return { unknown: invoice.reason };
    if (invoice.outcome === 'succeeded' && invoice.value.status === 'paid')
      return { keptBecause: `Invoice ${invoiceId} is paid.` };
  }
  if (subscriptionId) {
    const subscription = await provider.retrieveSubscription(subscriptionId);
    if (subscription.outcome === 'unknown') return { unknown: subscription.reason };
    if (subscription.outcome === 'succeeded') {
      const { status } = subscription.value;
      if (!unpaid.has(status)) return { keptBecause: `Subscription ${subscriptionId} is ${status}.` };
      if (status === 'incomplete' || status === 'trialing')
        return { next: () => provider.prepare(intent, { step: 'cancel_now', subscriptionId }), object: subscriptionId };
    }
  }
  if (!customerId) return { keptBecause: null };
  const customer = await provider.retrieveCustomer(customerId);
  if (customer.outcome === 'unknown') return { unknown: customer.reason };
  return customer.outcome === 'succeeded' && !customer.value.deleted
    ? { next: () => provider.prepare(intent, { step: 'delete_customer', customerId }), object: customerId }
    : { keptBecause: null };
}

/** One read for each of the two objects, and a final one. */
const looks = 3;

/** One round over one record; a record that is still open gets another round later. Throws StoreUnavailableError. */
export async function removeRemains(ports: ProvisioningPorts, remains: Remains): Promise<void> {
  if (remains.status !== 'open') return;
  let hold: RemainsHold = { stored: remains, working: remains };
  for (let turn = 0; turn < looks; turn += 1) {
    const seen = await look(ports, hold.working);
    if ('keptBecause' in seen) return settle(ports, hold, seen.keptBecause);
    if ('unknown' in seen) break;
    const call = seen.next();
    if (isUnknown(hold.working, call.description.step))
      return settle(
        ports,
        hold,
        `It is not known whether ${seen.object} will be removed; the provider still shows it.`,
      );
    const called = await callProvider(effectsOf(ports), hold, call);
    if (called.kind === 'lost' || called.kind === 'not_sent') return;
    hold = called.hold;
    if (called.kind === 'unknown') break;
  }
  // The answer is recorded; the next round reads the provider first.
  if (hold.working !== hold.stored) await writeHeld(effectsOf(ports), hold, keep(hold.working));
}

/** The last write; people are alerted about any object that is kept. */
async function settle(ports: ProvisioningPorts, hold: RemainsHold, keptBecause: string | null): Promise<void> {
  const { clock } = ports;
  const { working } = hold;
  const next =
    keptBecause === null
      ? remainsSteps.move(working, 'removed', { removedAt: clock.now() })
      : remainsSteps.move(working, 'kept', { keptBecause });
  const alerts = keptBecause === null ? [] : [keptAlert(ports, working, keptBecause)];
  await writeHeld(effectsOf(ports), hold, next, alerts);
}

function keptAlert({ clock, executor }: ProvisioningPorts, { _id: id, tenantId }: OpenRemains, because: string) {
  const reason = `${because} The creation is resolved as not applied; a person decides at the provider what is removed or given back.`;
  const { service } = executor;
  return alertEntry({ service, kind: 'provisioning_attempt', id, tenantId, reason, at: clock.now() }, 'remains_kept');
}
