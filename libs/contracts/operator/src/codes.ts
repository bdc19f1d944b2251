/**
 * The gateway's refusals: code, HTTP status, title and message, in one table (contracts §2). Codes are never reused;
 * `docs/errors.md` is checked against this table.
 */
import type { ClosedReason } from './closed-reasons';
import { signInCodes } from './sign-in-codes';

export const operatorCodes = {
  operation_id_reused: {
    status: 409,
    title: 'Operation id reused',
    message:
      'This operation id already stands for other values. Keep the original values, or choose a new id for a new action.',
  },
  operation_running: {
    status: 409,
    title: 'Operation running',
    message: 'An attempt of this operation is admitted. Read the operation; do not send a new id.',
  },
  reconciliation_required: {
    status: 409,
    title: 'Reconciliation required',
    message: 'The outcome of this operation is not known. Stop retrying; resolve it by investigation.',
  },
  retry_window_expired: {
    status: 409,
    title: 'Retry window expired',
    message: 'The operation was created 23 hours ago or earlier and can no longer be retried.',
  },
  transition_pending: {
    status: 409,
    title: 'Transition pending',
    message: 'Another transition holds this subscription. Wait for its outcome.',
  },
  resolved_not_applied: {
    status: 409,
    title: 'Closed by an investigation',
    message:
      'An investigation established that nothing was applied and closed this operation. Choose a new id for a new action.',
  },
  deletion_started: {
    status: 409,
    title: 'Deletion started',
    message: 'This workspace is being deleted; that cannot be undone.',
  },
  already_deleted: {
    status: 409,
    title: 'Already deleted',
    message: 'The workspace has been deleted; there is nothing left to delete.',
  },
  already_suspended: { status: 409, title: 'Already suspended', message: 'The workspace is suspended already.' },
  not_suspended: { status: 409, title: 'Not suspended', message: 'Only a suspended workspace can be reactivated.' },
  plan_already_applied: {
    status: 409,
    title: 'Plan already applied',
    message: 'The workspace is on this plan already.',
  },
  not_an_upgrade: {
    status: 409,
    title: 'Not an upgrade',
    message: 'An immediate change must lead to a more expensive paid plan.',
  },
  no_provider_customer: {
    status: 409,
    title: 'No provider customer',
    message: 'The workspace has no customer at the payment provider.',
  },
  no_provider_subscription: {
    status: 409,
    title: 'No provider subscription',
    message: 'The workspace has no subscription at the payment provider.',
  },
  no_free_access: {
    status: 409,
    title: 'No free access',
    message: 'The workspace has no free access, or not the one that ends at the named date.',
  },
  subscription_ended: {
    status: 409,
    title: 'Subscription ended',
    message: 'It is recorded already that the subscription has ended.',
  },
  subscription_runs: {
    status: 409,
    title: 'Subscription runs',
    message: 'The subscription has not ended at the payment provider.',
  },
  change_not_landed: {
    status: 409,
    title: 'Change not landed',
    message: 'The plan change has not taken effect at the payment provider.',
  },
  plan_not_available: {
    status: 409,
    title: 'Plan not available',
    message: 'The plan does not exist or is not offered.',
  },
  already_cancelled: {
    status: 409,
    title: 'Already cancelled',
    message: 'The subscription is cancelled or ends with its period already.',
  },
  no_open_checkout: {
    status: 409,
    title: 'No open checkout',
    message: 'No checkout of this workspace waits for its payment.',
  },
  no_waiting_payment: {
    status: 409,
    title: 'No waiting payment',
    message: 'No upgrade of this workspace waits for the confirmation of its payment.',
  },
  no_pending_change: { status: 409, title: 'No pending change', message: 'No plan change is pending.' },
  change_already_landed: {
    status: 409,
    title: 'Change not pending any more',
    message:
      'The plan change is not pending at the payment provider any more: it has taken effect, or was taken back there. Read the workspace anew.',
  },
  workspace_suspended: {
    status: 409,
    title: 'Workspace suspended',
    message: 'The workspace is suspended. Reactivate it first.',
  },
  subscription_ending: {
    status: 409,
    title: 'Subscription ending',
    message: 'The subscription is cancelled or ends with its period. It is not charged for another plan.',
  },
  payment_overdue: {
    status: 409,
    title: 'Payment overdue',
    message: 'A payment of this workspace is overdue. It is settled first.',
  },
  plan_change_pending: {
    status: 409,
    title: 'Plan change pending',
    message: 'A plan change is pending for the end of the period and would undo this one. Drop it first.',
  },
  preview_outdated: {
    status: 409,
    title: 'Preview outdated',
    message:
      'The workspace, a plan or the provider is not as the named preview showed it. Preview again and decide anew.',
  },
  partial_effect: {
    status: 409,
    title: 'Partly done',
    message:
      'Some steps have changed something at the payment provider and the others have not. Repeat with the same operation id and the same values to continue.',
  },
  credit_too_large: {
    status: 409,
    title: 'Credit too large',
    message: 'The amount is above the limit of one credit that this platform allows.',
  },
  credit_limit_reached: {
    status: 409,
    title: 'Credit limit reached',
    message:
      'Your role may not credit that much today. Ask a person whose role may, wait for the next day (UTC), or propose the credit for a second person to approve.',
  },
  workspace_closed: {
    status: 403,
    title: 'Workspace closed',
    message: 'Access to this workspace is closed; `access` says why.',
  },
  plan_changed: {
    status: 409,
    title: 'Plan changed',
    message: 'Another person changed this plan at the same time. Read it and decide anew.',
  },
  dry_run_outdated: {
    status: 409,
    title: 'Dry run outdated',
    message:
      'The workspaces on the plan are not those of the named dry run any more. Make a new dry run and decide anew.',
  },
  checkout_in_progress: {
    status: 409,
    title: 'Checkout in progress',
    message: 'A checkout holds this subscription until its session completes or expires.',
  },
  provider_refused: {
    status: 422,
    title: 'Refused by the payment provider',
    message: 'The payment provider refused the request; nothing was changed there.',
  },
  card_declined: {
    status: 402,
    title: 'Card declined',
    message: 'The card was declined. The same operation id repeats this refusal for 24 hours.',
  },
  authentication_required: {
    status: 402,
    title: 'Payment must be confirmed',
    message:
      'The holder of the card must confirm the payment. Where the change can wait for that, the answer is 202 with a confirmUrl; here it cannot, and nothing was changed.',
  },
  confirmation_expired: {
    status: 402,
    title: 'Payment was not confirmed',
    message:
      'The payment was not confirmed before the provider gave it up. Nothing was charged, and nothing was changed.',
  },
  payment_failed: {
    status: 402,
    title: 'Payment failed',
    message:
      'The bank refused the payment later. Nothing was charged, and the plan is as it was. Begin a new checkout.',
  },
  trial_refused: {
    status: 409,
    title: 'Trial refused',
    message:
      'The card has had a trial before. The trial was ended at once, and nothing was charged. Begin a new checkout; it has no trial.',
  },
  provider_unavailable: {
    status: 503,
    title: 'Payment provider unavailable',
    message: 'The payment provider did not execute the request. Retry with the same operation id and the same values.',
  },
  outcome_unknown: {
    status: 502,
    title: 'Outcome unknown',
    message:
      'The payment provider may or may not have executed the request. Stop retrying; read the operation and its evidence.',
  },
  capacity_exhausted: {
    status: 409,
    title: 'Capacity exhausted',
    message: 'This card holds as many free workspaces as it may.',
  },
  card_identity_unknown: {
    status: 422,
    title: 'Card identity unknown',
    message: 'A free workspace needs a card that the payment provider can identify.',
  },
  payment_method_not_usable: {
    status: 422,
    title: 'Payment method not usable',
    message: 'The payment method is unknown at the payment provider or belongs to a customer already.',
  },
  broker_unavailable: {
    status: 503,
    title: 'Broker unavailable',
    message: 'The message broker cannot be asked now. Nothing is lost: messages wait in the database.',
  },
  too_many_streams: {
    status: 503,
    title: 'Too many live streams',
    message: 'Too many browsers listen for changes here. The data itself can be read as always.',
  },
  export_not_configured: {
    status: 503,
    title: 'Export not configured',
    message: 'This gateway has no key to sign cases and proposals with (CASE_SIGNING_KEY).',
  },
  ...signInCodes,
  proposal_refused: {
    status: 409,
    title: 'Proposal refused',
    message: 'The record or the evidence does not bear this resolution; `detail` says what was seen.',
  },
  proposal_outdated: {
    status: 409,
    title: 'Proposal outdated',
    message: 'The proposal was approved already, has expired, or is not the one that was shown. Read it again.',
  },
  second_person_required: {
    status: 403,
    title: 'Second person required',
    message: 'Who proposes something cannot approve it. A second person must.',
  },
  served_elsewhere: {
    status: 404,
    title: 'Served elsewhere',
    message: 'This process serves the reading side of the console and executes nothing. Ask the gateway.',
  },
  peer_unavailable: {
    status: 503,
    title: 'Service unavailable',
    message: 'The service that knows this does not answer now.',
  },
} as const;

export type OperatorCode = keyof typeof operatorCodes;

/** Why a request is refused before any effect. */
export interface Refusal {
  readonly code: OperatorCode;
  /** Instead of the code's message. */
  readonly detail?: string;
  /** Why access is closed, with `workspace_closed`. */
  readonly access?: ClosedReason;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}
