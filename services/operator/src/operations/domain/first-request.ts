/**
 * What only a first request is judged by. A repeat is answered from the record, also when the date has passed since or the
 * platform's limit was lowered.
 */
import type { OperationAction } from '@platform/contracts-operator';
import type { OperationRequest, OperationValues } from './operation';

export interface FirstRequestLimits {
  /** Largest single credit, in minor units. */
  readonly creditCents: number;
}

export interface FirstRefusal {
  readonly code: 'invalid_request' | 'credit_too_large';
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

type Rule = (values: OperationValues, limits: FirstRequestLimits, now: Date) => FirstRefusal | null;

/** Every action has a line, so that a new one says whether it has a rule. */
const rules: Readonly<Record<OperationAction, Rule | null>> = {
  suspend: null,
  reactivate: null,
  upgrade_plan: null,
  credit_customer: ({ amountCents }, { creditCents }) =>
    typeof amountCents === 'number' && amountCents > creditCents
      ? {
          code: 'credit_too_large',
          errors: [{ pointer: '/amountCents', message: `must be at most ${creditCents}` }],
        }
      : null,
  grant_free_access: ({ freeUntil }, _limits, now) =>
    typeof freeUntil === 'string' && new Date(freeUntil).getTime() <= now.getTime()
      ? { code: 'invalid_request', errors: [{ pointer: '/freeUntil', message: 'must be in the future' }] }
      : null,
  cancel_subscription: null,
  change_plan_later: null,
  drop_pending_change: null,
  checkout: null,
};

export function firstRefusal(
  { action, values }: OperationRequest,
  limits: FirstRequestLimits,
  now: Date,
): FirstRefusal | null {
  return rules[action]?.(values, limits, now) ?? null;
}
