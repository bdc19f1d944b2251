/** The owner's terms, where the records use others. */
import type { Account } from '@platform/contracts-operator';
import { contractOf, type OperationAction } from '@platform/contracts-operator/actions';

interface StatePart {
  readonly state: Pick<Account['state'], 'planId' | 'priceNotInCatalog'>;
}

const statusWords: Readonly<Record<Account['state']['status'], string>> = {
  pending_payment: 'Waiting for its first payment',
  active: 'Active',
  trialing: 'In its trial',
  past_due: 'A payment is overdue',
  suspended: 'Suspended',
  cancelled: 'Ended',
};

/**
 * The plan by its name; where the price that is paid belongs to none, that is said, and the last plan that was known.
 */
export function planWords({ plan, state, onSale }: Pick<Account, 'plan' | 'onSale'> & StatePart): string {
  const name = [plan, ...onSale].find((each) => each?.planId === state.planId)?.name ?? state.planId;
  return state.priceNotInCatalog ? `Not one of our plans (the last one was ${name})` : name;
}

/** The owner's current state, in one sentence. */
export function standing({ state }: Pick<Account, 'state'>): string {
  if (state.deletion) return 'This workspace is being deleted.';
  if (state.access.state === 'closed' && state.status !== 'suspended' && state.status !== 'cancelled')
    return `${statusWords[state.status]}. The workspace is closed for now.`;
  return state.cancelsAt !== undefined ? `${statusWords[state.status]} until it ends` : statusWords[state.status];
}

/**
 * What the end of the current period means: it is called paid only where nothing of it is owed or given. Undefined once
 * the subscription has ended, perhaps before its period: a date that lies ahead would promise what is over.
 */
export function periodWords({
  status,
  isComplimentary,
}: Pick<Account['state'], 'status' | 'isComplimentary'>): string | undefined {
  if (status === 'cancelled') return undefined;
  if (status === 'trialing') return 'Trial until';
  return status === 'active' && !isComplimentary ? 'Paid until' : 'Period ends';
}

const ended: Readonly<Record<string, string>> = {
  succeeded: 'Done',
  failed: 'Not done',
  pending: 'Asked for',
  running: 'Under way',
  awaiting_receipts: 'Under way',
  awaiting_payment: 'Waits for your payment',
  reconciliation_required: 'Our team is looking into it',
};

export const outcomeWords = (status: string): string => ended[status] ?? status.replaceAll('_', ' ');

export const actionTitle = (action: string): string => contractOf(action as OperationAction).form.title;
