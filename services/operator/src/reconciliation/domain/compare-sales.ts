/**
 * Invoices that no action of the platform makes: the first one of a subscription, which a creation or a checkout
 * requested, and renewals, which the provider makes by itself. Pure. A renewal is expected as long as that subscription
 * pays for the workspace and the workspace's access is open.
 */
import { formatMoney } from '@platform/contracts-operator';
import type { ProviderIssuedInvoice } from '@platform/payment-provider/effects';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from '../../operations/domain/operation';
import type { Seen } from './difference';
import { isWithin, type Period } from './period';

interface SalesFacts {
  readonly subscription: Subscription;
  readonly operations: readonly Operation[];
  readonly invoices: readonly ProviderIssuedInvoice[];
}

export function compareSales({ subscription, operations, invoices }: SalesFacts, period: Period): Seen[] {
  const charged = invoices.filter(({ total, status }) => total !== 0 && (status === 'paid' || status === 'open'));
  const within = (each: ProviderIssuedInvoice) => isWithin(period, each.createdAt);
  return [
    ...firstInvoices(
      subscription,
      operations,
      charged.filter(({ reason }) => reason === 'subscription_create'),
    ).filter(({ invoice }) => within(invoice)),
    ...charged
      .filter(({ reason }) => reason === 'subscription_cycle')
      .filter(within)
      .flatMap((invoice) => {
        const why = unexpectedRenewal(subscription, operations, invoice);
        return why === null ? [] : [{ invoice, kind: 'renewal_unexpected' as const, inPlatform: why }];
      }),
  ].map(({ invoice, ...found }) => ({ ...about(subscription._id, invoice), ...found }));
}

interface Found extends Pick<Seen, 'kind' | 'inPlatform' | 'operationId'> {
  readonly invoice: ProviderIssuedInvoice;
}

function about(
  tenantId: string,
  { id: objectId, reason, total: amountCents, currency, createdAt }: ProviderIssuedInvoice,
): Pick<Seen, 'tenantId' | 'objectId' | 'money' | 'atProvider'> {
  const what = reason === 'subscription_create' ? 'First invoice' : 'Renewal';
  const money = { amountCents, currency };
  const atProvider = `${what} ${objectId} of ${formatMoney(money)}, made ${createdAt.toISOString()}`;
  return { tenantId, objectId, money, atProvider };
}

/** A creation names its attempt and a checkout its operation; each sells one subscription. */
function firstInvoices(
  subscription: Subscription,
  operations: readonly Operation[],
  invoices: readonly ProviderIssuedInvoice[],
): Found[] {
  const sold = new Set<string>();
  const inOrder = [...invoices].sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return inOrder.flatMap((invoice): Found[] => {
    const { provisioningAttempt, operationId } = invoice.subscriptionMetadata;
    const asked = provisioningAttempt ?? operationId;
    if (asked === undefined && isTakenOver(subscription, invoice)) return [];
    if (asked === undefined)
      return [{ invoice, kind: 'made_outside', inPlatform: 'It names no creation and no checkout of the platform.' }];
    const earlier = sold.has(asked);
    sold.add(asked);
    if (earlier) {
      const inPlatform = `One subscription was sold by ${asked}, and this is the first invoice of another.`;
      return [{ invoice, kind: 'effect_twice', inPlatform, ...(operationId !== undefined && { operationId }) }];
    }
    if (provisioningAttempt !== undefined) return [];
    const operation = operations.find(({ _id, tenantId: whose }) => _id === asked && whose === subscription._id);
    const found = checkoutOf(operation, asked);
    return found ? [{ invoice, operationId: asked, ...found }] : [];
  });
}

/** An imported workspace is paid for by a subscription that was sold before the platform had a record of it. */
function isTakenOver({ provider, createdAt }: Subscription, invoice: ProviderIssuedInvoice): boolean {
  return invoice.subscriptionId === provider.subscriptionId && invoice.createdAt < createdAt;
}

function checkoutOf(operation: Operation | undefined, id: string): Pick<Seen, 'kind' | 'inPlatform'> | null {
  if (operation?.action !== 'checkout')
    return { kind: 'effect_without_entry', inPlatform: `The journal has no checkout ${id} of this workspace.` };
  return operation.status === 'failed' && !operation.resolution
    ? { kind: 'effect_of_failed', inPlatform: `Checkout ${id} is recorded as failed.` }
    : null;
}

/** By these the workspace is paid for otherwise; the record does not keep by what it was paid for before. */
const replacing: readonly Operation['action'][] = ['checkout', 'grant_free_access'];

function unexpectedRenewal(
  { provider, access, status, isComplimentary }: Subscription,
  operations: readonly Operation[],
  { subscriptionId, createdAt }: ProviderIssuedInvoice,
): string | null {
  const replacedLater = (each: Operation) =>
    replacing.includes(each.action) && each.status === 'succeeded' && each.effectiveAt > createdAt;
  if (provider.subscriptionId === undefined || provider.subscriptionId !== subscriptionId)
    return operations.some(replacedLater)
      ? null
      : isComplimentary
        ? 'Access of the workspace is granted; no subscription pays for it.'
        : `The workspace pays by ${provider.subscriptionId ?? 'no subscription'}.`;
  return access.state === 'closed' && access.since < createdAt
    ? `The workspace is ${status} and closed since ${access.since.toISOString()}.`
    : null;
}
