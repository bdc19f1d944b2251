/**
 * Rules that apply only to a first request, as the public half of each action states them. A repeat is answered from
 * the record, even when the date has since passed or the platform's limit was lowered.
 */
import {
  contractOf,
  formatMoney,
  type FirstRequestLimits,
  type FirstRequestRule,
  type OperatorCode,
} from '@platform/contracts-operator';
import type { OperationRequest } from './operation';

export interface FirstRefusal {
  readonly code: OperatorCode | 'invalid_request';
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

/** The first rule of the action that its values break, or null. A limit is named in the currency, where it is known. */
export function firstRefusal(
  { action, tenantId, values }: Pick<OperationRequest, 'action' | 'tenantId' | 'values'>,
  limits: FirstRequestLimits,
  now: Date,
  currency?: string,
): FirstRefusal | null {
  for (const rule of contractOf(action).firstRequest) {
    const message = broken(rule, values[rule.value], { tenantId, limits, now, currency });
    if (message !== null) return { code: rule.code, errors: [{ pointer: `/${rule.value}`, message }] };
  }
  return null;
}

interface Circumstances {
  readonly tenantId: string;
  readonly limits: FirstRequestLimits;
  readonly now: Date;
  readonly currency: string | undefined;
}

function broken(
  rule: FirstRequestRule,
  value: unknown,
  { tenantId, limits, now, currency }: Circumstances,
): string | null {
  switch (rule.mustBe) {
    case 'at_most': {
      const limit = limits[rule.limit];
      if (typeof value !== 'number' || value <= limit) return null;
      return `must be at most ${currency === undefined ? limit : formatMoney({ amountCents: limit, currency })}`;
    }
    // Checked where the credit's part is reserved.
    case 'within_the_day':
      return null;
    case 'the_workspace':
      return value === tenantId ? null : 'must be the id of the workspace in the address';
    case 'in_the_future':
      return typeof value === 'string' && new Date(value).getTime() <= now.getTime() ? 'must be in the future' : null;
  }
}
