/**
 * What an action will do, in sentences, before anybody asks for it; and why the gateway would refuse it now. The gateway
 * judges again by the records as they are then: this is a preview, not a promise.
 */
import type { ActionStartedBy, AdminState, Money, PlanView } from '@platform/contracts-operator';
import { formatMoney } from './money';

/** The actions that the console offers: all that the platform's people start. */
export type ActionName = ActionStartedBy<'platform_owner'>;

export interface ActionInput {
  readonly planId?: string | undefined;
  readonly amountCents?: number | null | undefined;
  readonly freeUntil?: string | undefined;
}

export interface Preview {
  readonly does: readonly string[];
  /** Why it would be refused as things stand; empty when nothing speaks against it. */
  readonly refused: readonly string[];
}

function planMoney(plans: readonly PlanView[], planId: string | undefined): Money | null {
  const plan = plans.find((each) => each.planId === planId);
  return plan ? { amountCents: plan.amountCents, currency: plan.currency } : null;
}

/** Refusals that hold for every action that takes the subscription. */
function fences({ transition, deletion }: AdminState): string[] {
  return [
    ...(deletion ? ['The workspace is being deleted.'] : []),
    ...(transition
      ? [`Operation ${transition.operationId} (${transition.kind.replaceAll('_', ' ')}) holds the subscription.`]
      : []),
  ];
}

/** What a preview is made of: the workspace, its plan's price, that of the plan asked for, and what was entered. */
interface Considered {
  readonly state: AdminState;
  readonly suspended: boolean;
  readonly now: Money | null;
  readonly target: Money | null;
  readonly input: ActionInput;
}

/** By name, so that an action without a preview does not compile. */
const previews: { readonly [Name in ActionName]: (considered: Considered) => Preview } = {
  suspend: ({ state, suspended }) => ({
    does: [
      `Closes access to ${state.workspaceName} at once.`,
      'Pauses the collection of payments at the provider.',
      'Tells every required consumer; the operation ends when each receipt is in.',
      'Takes no money and gives none back.',
    ],
    refused: [...fences(state), ...(suspended ? ['It is suspended already.'] : [])],
  }),
  reactivate: ({ state, suspended }) => ({
    does: [
      'Asks every required consumer first; access stays closed until each receipt is in.',
      'Then resumes the collection of payments at the provider.',
      `Opens access to ${state.workspaceName}.`,
    ],
    refused: [...fences(state), ...(suspended ? [] : ['It is not suspended.'])],
  }),
  upgrade_plan: ({ state, now, target, input }) => ({
    does: [
      `Changes the plan from ${state.planId} (${formatMoney(now)} a month) to ${input.planId || '…'} (${formatMoney(target)} a month) now.`,
      'The provider prorates and invoices the difference at once: the customer is charged.',
      'A declined card leaves the plan as it is.',
    ],
    refused: [
      ...fences(state),
      ...(input.planId === state.planId ? ['The workspace is on this plan already.'] : []),
      ...(now && target && target.amountCents <= now.amountCents
        ? ['An immediate change must lead to a more expensive plan.']
        : []),
    ],
  }),
  credit_customer: ({ state, now, input }) => ({
    does: [
      `Adds ${input.amountCents ? formatMoney({ amountCents: input.amountCents, currency: now?.currency ?? 'usd' }) : '…'} to the customer's balance at the provider, once.`,
      'The next invoices are reduced by it. It cannot be taken back here.',
    ],
    refused: [
      ...(state.deletion ? ['The workspace is being deleted.'] : []),
      ...(now ? [] : ['The plan of this workspace is not in the catalog, so the currency is not known.']),
    ],
  }),
  grant_free_access: ({ state, suspended, now, input }) => ({
    does: [
      `Ends the running subscription at the provider now; ${formatMoney(now)} a month are not collected any more.`,
      `Makes ${state.workspaceName} complimentary on ${input.planId || '…'}${input.freeUntil ? ` until ${input.freeUntil}` : ', without an end'}.`,
    ],
    refused: [...fences(state), ...(suspended ? ['It is suspended.'] : [])],
  }),
};

export function previewOf(
  action: ActionName,
  state: AdminState,
  plans: readonly PlanView[],
  input: ActionInput,
): Preview {
  const now = planMoney(plans, state.planId);
  const target = planMoney(plans, input.planId);
  return previews[action]({ state, suspended: state.status === 'suspended', now, target, input });
}
