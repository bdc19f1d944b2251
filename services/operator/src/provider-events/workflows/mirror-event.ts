/**
 * Events about subscriptions, invoices, credit notes, refunds and customers: the workspace that the object belongs to is
 * found, and its mirror is made equal to what the provider shows now. The payload only names a workspace to look at: by
 * a subscription that is mirrored, else by the object, which is read again. While a transition is pending nothing is
 * written: the event leaves a durable note, and the mirror is read again when the transition has ended.
 */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { assert } from '@platform/kernel';
import { failedWith, handled, notKnown, skipped, type HandlerOutcome } from '../../operations/domain/event-outcome';
import type { Subscription } from '../../mirror/domain/subscription';
import type { EventPorts } from './event-ports';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import { lookAtPayment } from '../../operations/workflows/await-payment';
import { refreshMirror, requestRefresh } from '../../mirror/workflows/refresh-mirrors';

const subscriptionEvents = 'customer.subscription.';

/** What identifies the workspace of the event, read from the provider's current object. */
interface Subject {
  readonly subscriptionId?: string | null | undefined;
  readonly customerId?: string | null | undefined;
  readonly tenantId?: string | undefined;
}

export async function mirrorEvent(ports: EventPorts, event: ProviderEventMessage): Promise<HandlerOutcome> {
  const workspace = await workspaceOf(ports, event);
  if (!workspace) return ofNoWorkspace(ports, event);
  const mirrored = await mirrorNow(ports, workspace, event.eventId);
  return { ...(paidByStranger(workspace, event) ?? mirrored), tenantId: workspace._id };
}

/**
 * A creation's first payments are over when a renewal is paid, and a record of a workspace is never removed: one that
 * the platform sold for a workspace without a record was lost, as by a restore, and its customer pays on.
 */
async function ofNoWorkspace(
  { subscriptions }: EventPorts,
  { type, object }: ProviderEventMessage,
): Promise<HandlerOutcome> {
  const { provisioningAttempt, tenantId, operationId } = object.metadata ?? {};
  // The names of an account's other subscriptions are not the platform's, so that one of them alone says little.
  const named = provisioningAttempt ?? (operationId === undefined ? undefined : tenantId);
  if (isPaidRenewal({ type, object }) && named !== undefined && !(await subscriptions.findById(named)))
    return failedWith(`no record of the workspace ${named} exists, and a renewal of its subscription is paid`);
  return skipped('no workspace has this subscription or customer');
}

const isPaidRenewal = ({ type, object }: Pick<ProviderEventMessage, 'type' | 'object'>): boolean =>
  type === 'invoice.paid' && object.billing_reason === 'subscription_cycle';

/** The subscription names the workspace, and the comparison of each day reads only the customers that its record names. */
function paidByStranger({ provider }: Subscription, event: ProviderEventMessage): HandlerOutcome | null {
  const { customer } = event.object;
  const { customerId, formerCustomerIds = [] } = provider;
  if (!isPaidRenewal(event) || customer === undefined || [customerId, ...formerCustomerIds].includes(customer))
    return null;
  return failedWith(
    `the record of the workspace does not name customer ${customer}, and a renewal of its subscription is paid`,
  );
}

/** Mirrors now, or leaves a note to mirror later. */
async function mirrorNow(ports: EventPorts, workspace: Subscription, eventId: string): Promise<HandlerOutcome> {
  const { _id: tenantId } = workspace;
  const mirroring = await mirrorSubscription(ports, tenantId, workspace);
  switch (mirroring.kind) {
    case 'mirrored':
      return handled;
    case 'no_workspace':
    case 'no_subscription':
      return skipped('the workspace mirrors no subscription');
    case 'deletion_started':
      return skipped('the workspace is being deleted; ordinary writes are refused');
    case 'gone':
      return failedWith(`the mirrored subscription cannot be found: ${mirroring.reason}`);
    case 'store_unavailable':
      return notKnown(mirroring.reason);
    case 'transition_pending':
    case 'provider_unavailable': {
      if (!(await requestRefresh(ports, tenantId, eventId, mirroring.kind)))
        return notKnown('the note to read the mirror again could not be recorded');
      // The transition may wait for the change that this event reports.
      if (mirroring.kind === 'transition_pending') await lookAtPaymentOf(ports, tenantId);
      // The transition may have ended between the read and the note.
      await refreshMirror(ports, tenantId);
      return handled;
    }
  }
}

async function lookAtPaymentOf(ports: EventPorts, tenantId: string): Promise<void> {
  const transition = (await ports.subscriptions.findById(tenantId))?.transition;
  if (transition) await lookAtPayment(ports, transition.operationId);
}

/** A subscription keeps its workspace, so an event that names a mirrored one needs no reading of its object. */
async function workspaceOf(ports: EventPorts, event: ProviderEventMessage): Promise<Subscription | null> {
  const { type, object } = event;
  const subscriptionId = type.startsWith(subscriptionEvents) ? object.id : object.subscription;
  const mirrored = subscriptionId ? await firstWith(ports, 'provider.subscriptionId', subscriptionId) : null;
  return mirrored ?? findWorkspace(ports, await readSubject(ports, event));
}

/**
 * The payload says which object changed; the object itself is read from the provider. For an unreadable object, the ids
 * in the payload are used.
 */
async function readSubject({ provider }: EventPorts, { type, object }: ProviderEventMessage): Promise<Subject> {
  const subject: Subject = {
    subscriptionId: object.subscription,
    customerId: object.customer,
    tenantId: object.metadata?.tenantId,
  };
  if (!object.id) return subject;
  if (type.startsWith(subscriptionEvents)) {
    const read = await provider.retrieveSubscription(object.id);
    return read.outcome === 'succeeded'
      ? {
          subscriptionId: read.value.id,
          customerId: read.value.customerId,
          tenantId: read.value.metadata['tenantId'] ?? subject.tenantId,
        }
      : { ...subject, subscriptionId: object.id };
  }
  if (type === 'customer.updated') return { customerId: object.id };
  const invoiceId = type.startsWith('invoice.') ? object.id : object.invoice;
  if (!invoiceId) return subject;
  const read = await provider.retrieveInvoice(invoiceId);
  return read.outcome === 'succeeded'
    ? { subscriptionId: read.value.subscriptionId, customerId: read.value.customerId, tenantId: subject.tenantId }
    : subject;
}

/**
 * Throws an InvariantError where a row has the id and cannot be read as a record: lists leave it out, and its event must
 * not pass for one of no workspace.
 */
async function firstWith({ subscriptions }: EventPorts, path: string, id: string): Promise<Subscription | null> {
  const read = async () => (await subscriptions.find({ [path]: id }, { sort: { _id: 1 }, limit: 1 }))[0] ?? null;
  const first = await read();
  if (first || (await subscriptions.count({ [path]: id })) === 0) return first;
  // It may have been written between the list and the count.
  const written = await read();
  assert(written, `the workspace with the ${path} ${id} cannot be read as a record`);
  return written;
}

async function findWorkspace(
  ports: EventPorts,
  { subscriptionId, customerId, tenantId }: Subject,
): Promise<Subscription | null> {
  const bySubscription = subscriptionId ? await firstWith(ports, 'provider.subscriptionId', subscriptionId) : null;
  if (bySubscription) return bySubscription;
  // A checkout's subscription is not mirrored yet while its completion runs; its workspace is found by the metadata
  // that the platform wrote on it.
  const byTenant = tenantId ? await ports.subscriptions.findById(tenantId) : null;
  if (byTenant) return byTenant;
  return customerId ? firstWith(ports, 'provider.customerId', customerId) : null;
}
