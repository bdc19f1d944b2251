/**
 * A workspace as its owner sees it. It does not include the actions of the platform's staff. The invoices come from the
 * provider, for every customer that the workspace has had; when the provider does not answer, the list is unavailable,
 * not empty.
 */
import { actionsStartedBy } from '@platform/contracts-operator';
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider, ProviderIssuedInvoice } from '@platform/payment-provider';
import { cheapestFirst, type Plan } from '../../catalogue/domain/plan';
import { listPlans } from '../../catalogue/workflows/keep-plans';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from '../../operations/domain/operation';
import { judgeActions, type JudgedAction } from '../../directory/domain/judged-actions';
import type { Answered } from '../../directory/workflows/read-workspace';

export interface AccountPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'findById'>;
  readonly operations: Pick<RevisionedCollection<Operation>, 'find'>;
  readonly plans: RevisionedCollection<Plan>;
  readonly provider: Pick<PaymentProvider, 'listInvoices'>;
  readonly clock: Clock;
}

export interface ReadAccount {
  readonly subscription: Subscription;
  readonly plan: Plan | null;
  readonly onSale: readonly Plan[];
  readonly actions: readonly JudgedAction[];
  readonly operations: readonly Operation[];
  readonly invoices: Answered<readonly ProviderIssuedInvoice[]>;
  /** Invoices of a former customer could not be read, so that the list may lack earlier ones. */
  readonly lacksEarlier: boolean;
  readonly asOf: Date;
}

const shownOperations = 50;
const shownInvoices = 100;
/** Number of operations searched for those of owners; operations of other people on the same workspace are skipped. */
const lookedThrough = 200;

/** Null when there is no such workspace. Throws StoreUnavailableError. */
export async function readAccount(ports: AccountPorts, tenantId: string): Promise<ReadAccount | null> {
  const asOf = ports.clock.now();
  const subscription = await ports.subscriptions.findById(tenantId);
  if (!subscription) return null;
  const latest = { sort: { createdAt: -1, _id: -1 }, limit: lookedThrough } as const;
  const [plans, operations, { invoices, lacksEarlier }] = await Promise.all([
    listPlans(ports),
    ports.operations.find({ tenantId }, latest),
    invoicesOf(ports, subscription.provider),
  ]);
  const ofOwners: readonly string[] = actionsStartedBy('workspace_owner');
  const { planId, unlistedPriceId } = subscription;
  const plan = (unlistedPriceId === undefined && plans.find(({ _id }) => _id === planId)) || null;
  const onSale = plans.filter(({ offered }) => offered).sort(cheapestFirst(plan?.currency));
  return {
    subscription,
    plan,
    onSale,
    actions: judgeActions(subscription, onSale, 'workspace_owner'),
    operations: operations.filter(({ action }) => ofOwners.includes(action)).slice(0, shownOperations),
    invoices,
    lacksEarlier,
    asOf,
  };
}

async function invoicesOf(
  { provider }: Pick<AccountPorts, 'provider'>,
  { customerId, formerCustomerIds = [] }: Subscription['provider'],
): Promise<Pick<ReadAccount, 'invoices' | 'lacksEarlier'>> {
  if (customerId === undefined) return { invoices: { state: 'none' }, lacksEarlier: false };
  const [listed, ...former] = await Promise.all(
    [customerId, ...formerCustomerIds].map((id) => provider.listInvoices(id)),
  );
  const lacksEarlier = former.some(({ outcome }) => outcome !== 'succeeded');
  if (listed!.outcome === 'unknown')
    return { invoices: { state: 'unavailable', problem: listed!.reason }, lacksEarlier };
  if (listed!.outcome === 'failed')
    return { invoices: { state: 'unavailable', problem: listed!.message }, lacksEarlier };
  const found = [...listed!.value, ...former.flatMap((read) => (read.outcome === 'succeeded' ? read.value : []))];
  // A draft is not issued yet and may still change.
  const issued = found.filter(({ status }) => status !== 'draft');
  const newestFirst = issued.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return { invoices: { state: 'known', value: newestFirst.slice(0, shownInvoices) }, lacksEarlier };
}
