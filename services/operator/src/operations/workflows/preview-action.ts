/**
 * A preview of an action: judged as a first request would be now, by the same rules in the same order, on the same
 * records. Nothing is written: no intent, no transition, no effect. The records may change before the action is taken.
 */
import { formatMoney, type ActionPreview, type OperatorCode } from '@platform/contracts-operator';
import { actionOf } from '../domain/actions';
import { firstRefusal } from '../domain/first-request';
import { refusalOf } from '../domain/judge-action';
import type { OperationRequest } from '../domain/operation';
import { amountsOf, chargeInWords, chargeOf, consequencesOf, keepsPeriod, previewDigestOf } from '../domain/preview';
import { contextOf } from './action-context';
import type { OperatorPorts } from './ports';
import { creditLeft } from './take-credit-part';
import { asIfCleared } from './without-ended-transition';

export interface PreviewedAction extends Omit<ActionPreview, 'refusal'> {
  readonly refusal: {
    readonly code: OperatorCode | 'invalid_request';
    /** Replaces the code's own message. */
    readonly detail?: string;
    readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
  } | null;
}

const nothingNow = 'The provider would invoice nothing now.';

export type PreviewPorts = Pick<
  OperatorPorts,
  | 'subscriptions'
  | 'plans'
  | 'provider'
  | 'limits'
  | 'clock'
  | 'operations'
  | 'databaseNow'
  | 'retryPolicy'
  | 'creditLimits'
>;

/** Null when there is no such workspace. Throws StoreUnavailableError. */
export async function previewAction(ports: PreviewPorts, request: OperationRequest): Promise<PreviewedAction | null> {
  const found = await ports.subscriptions.findById(request.tenantId);
  if (!found) return null;
  const subscription = await asIfCleared(ports, request, found);
  const action = actionOf(request.action);
  // The preview's sentences name prices, so plans are read even for actions that are not judged by them.
  const context = await contextOf(ports, { ...action, readsPlans: true }, request, subscription);
  const credit = await creditLeft(ports, request, subscription.planId);
  const refusal =
    firstRefusal(request, ports.limits, ports.clock.now(), context.plan?.currency) ??
    credit?.refusal ??
    refusalOf(action, request.operationId, context);
  const change = refusal ? null : (action.charges?.(context) ?? null);
  const charge = change && (await ports.provider.previewPriceChange(change));
  // An invoice without an instant of proration is that of the next period. A change to another interval begins a period.
  const told = charge?.outcome === 'succeeded' ? charge.value : null;
  const invoice = told?.prorationDate === null ? null : told;
  return {
    previewDigest: previewDigestOf(request, { ...context, ...(invoice && { charge: invoice }) }),
    consequences: [
      ...consequencesOf(action, context),
      ...(charge ? [told && !invoice && keepsPeriod(context) ? nothingNow : chargeInWords(invoice)] : []),
      ...(credit ? [`You may credit ${formatMoney(credit.left)} today, this one included.`] : []),
    ],
    amounts: {
      ...amountsOf(action, context),
      ...(credit && { creditLeft: credit.left }),
      ...(invoice && { charge: chargeOf(invoice, context) }),
    },
    refusal,
  };
}
