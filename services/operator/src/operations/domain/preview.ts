/**
 * What an action would do to a workspace in its current state, in words and amounts, and why it would be refused. Pure.
 */
import { digestOf } from '@platform/kernel';
import {
  formatMoney,
  formatPrice,
  type ActionFacts,
  type ActionField,
  type ActionPreview,
  type Money,
} from '@platform/contracts-operator';
import type { ProviderChangePreview } from '@platform/payment-provider/effects';
import type { Plan } from '../../catalogue/domain/plan';
import { providerState } from './actions/action';
import type { ActionContext, ActionDefinition } from './actions';
import type { OperationRequest } from './operation';

/**
 * Identifies what was judged and shown: a different digest means that workspace, plans, values or figures differ. Where
 * the provider would invoice, the instant from which it prorates follows the digest after a dot, so that preview and
 * action use the same instant.
 */
export function previewDigestOf(
  { tenantId, action, values }: Pick<OperationRequest, 'tenantId' | 'action' | 'values'>,
  { subscription, plan, target, atProvider, targetPrice, charge }: ActionContext,
): string {
  const invoice = charge === 'unavailable' ? undefined : charge;
  const digest = digestOf({
    tenantId,
    action,
    values,
    subscription: subscription.revision,
    plan: plan && { id: plan._id, revision: plan.revision },
    target: target && { id: target._id, revision: target.revision },
    atProvider,
    targetPrice,
    invoice,
  });
  return invoice && invoice.prorationDate !== null ? `${digest}.${invoice.prorationDate}` : digest;
}

/** The instant, in Unix seconds, from which the previewed change is prorated; undefined where none was invoiced. */
export function prorationDateIn(previewDigest: string | undefined): number | undefined {
  const date = previewDigest?.split('.')[1];
  return date === undefined ? undefined : Number(date);
}

/** The sentences of the action's public half, about this workspace and these values. */
export function consequencesOf(action: ActionDefinition, context: ActionContext): string[] {
  const { subscription, plan, values } = context;
  const facts: ActionFacts = {
    workspace: subscription.workspaceName,
    plan: planInWords(subscription.planId, plan),
    price: plan ? formatPrice({ ...plan, ...timesQuantity(moneyOf(plan), context) }) : 'an unknown price',
    subscribed: subscription.provider.subscriptionId !== undefined && subscription.status !== 'cancelled',
    values: Object.fromEntries(
      Object.entries(action.values).flatMap(([name, field]) => {
        const value = values[name];
        return value === undefined ? [] : [[name, inWords(field, value, context)]];
      }),
    ),
  };
  return [...action.consequences(facts)];
}

/** The amounts that the catalog knows. */
export function amountsOf(action: ActionDefinition, { plan, target, values }: ActionContext): ActionPreview['amounts'] {
  const [cents] = Object.entries(action.values).flatMap(([name, { kind }]) => (kind === 'amount' ? values[name] : []));
  return {
    ...(plan && { planNow: moneyOf(plan) }),
    ...(target && { planThen: moneyOf(target) }),
    ...(plan && typeof cents === 'number' && { credit: { amountCents: cents, currency: plan.currency } }),
  };
}

/** The invoice that the provider would make now, and makes when the action names this preview. */
export function chargeOf(
  { currency, total, tax, startingBalance, endingBalance, amountDue }: ProviderChangePreview,
  context: ActionContext,
): NonNullable<ActionPreview['amounts']['charge']> {
  const { subscription, target } = context;
  return {
    currency,
    prorationCents: total - tax,
    taxCents: tax,
    totalCents: total,
    fromBalanceCents: endingBalance - startingBalance,
    dueCents: amountDue,
    // Of other items the catalog has no price.
    ...(target && !providerState(context)?.sellsMore && { nextInvoice: timesQuantity(moneyOf(target), context) }),
    ...(subscription.currentPeriodEnd &&
      !beginsPeriod(context) && { nextInvoiceAt: subscription.currentPeriodEnd.toISOString() }),
  };
}

/**
 * Whether the running period goes on. It does not where the new price is paid in another interval: the provider begins a
 * period and invoices it at once. Of a trial it changes nothing. Intervals that are not known may be others.
 */
export function keepsPeriod({ subscription, plan, target }: ActionContext): boolean {
  if (subscription.status === 'trialing') return true;
  const [now, then] = [plan?.billedEvery, target?.billedEvery];
  return now !== undefined && now.interval === then?.interval && now.count === then.count;
}

/** True where both intervals are known. */
function beginsPeriod(context: ActionContext): boolean {
  const { plan, target } = context;
  return Boolean(plan?.billedEvery && target?.billedEvery) && !keepsPeriod(context);
}

export function chargeInWords(invoice: ProviderChangePreview | null): string {
  if (!invoice) return 'The payment provider did not say what it would charge now.';
  const { currency, total, amountDue, startingBalance, endingBalance } = invoice;
  const money = (amountCents: number) => formatMoney({ amountCents, currency });
  const used = endingBalance - startingBalance;
  const settled =
    used > 0
      ? `, take ${money(used)} from the balance`
      : used < 0 && total < 0
        ? `, credit ${money(-used)} to the balance`
        : used < 0
          ? `, add ${money(-used)} that the balance owes`
          : '';
  return `The provider would invoice ${money(total)} now${settled} and charge ${money(amountDue)}.`;
}

/** A plan's price is that of one unit, and the provider invoices as many as the subscription has. */
function timesQuantity({ amountCents, currency }: Money, context: ActionContext): Money {
  const quantity = providerState(context)?.quantity ?? context.subscription.provider.quantity ?? 1;
  return { amountCents: amountCents * quantity, currency };
}

function moneyOf({ amountCents, currency }: Plan) {
  return { amountCents, currency };
}

function planInWords(planId: string, plan: Plan | null): string {
  return plan ? `${planId} (${formatPrice(plan)})` : `${planId} (not in the catalog)`;
}

function inWords({ kind }: ActionField, value: string | number | boolean, { plan, target }: ActionContext): string {
  switch (kind) {
    case 'plan':
      return planInWords(String(value), target);
    case 'amount':
      return plan
        ? formatMoney({ amountCents: Number(value), currency: plan.currency })
        : `${String(value)} minor units of a currency that is not known`;
    case 'instant':
      return `${new Date(String(value)).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    case 'text':
    case 'address':
    case 'confirmation':
      return String(value);
  }
}
