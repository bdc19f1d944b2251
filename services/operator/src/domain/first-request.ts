/**
 * What only a first request is judged by. A repeat is answered from the record, also when the date has passed since or the
 * platform's limit was lowered.
 */
import type { OperationRequest } from './operation';

export interface FirstRequestLimits {
  /** Largest single credit, in minor units. */
  readonly creditCents: number;
}

export interface FirstRefusal {
  readonly code: 'invalid_request' | 'credit_too_large';
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

export function firstRefusal(
  { action, values }: OperationRequest,
  limits: FirstRequestLimits,
  now: Date,
): FirstRefusal | null {
  const { amountCents, freeUntil } = values;
  if (action === 'credit_customer' && typeof amountCents === 'number' && amountCents > limits.creditCents) {
    return {
      code: 'credit_too_large',
      errors: [{ pointer: '/amountCents', message: `must be at most ${limits.creditCents}` }],
    };
  }
  if (
    action === 'grant_free_access' &&
    typeof freeUntil === 'string' &&
    new Date(freeUntil).getTime() <= now.getTime()
  ) {
    return { code: 'invalid_request', errors: [{ pointer: '/freeUntil', message: 'must be in the future' }] };
  }
  return null;
}
