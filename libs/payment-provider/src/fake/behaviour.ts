/**
 * How the provider in memory changes its state for each effect: a change to apply, or the provider's refusal. An effect
 * of the table without a behaviour does not compile.
 */
import type { EffectOf, EffectStep, ObjectOf } from '../effects';
import type { ProviderInvoice } from '../objects';
import type { ProviderErrorSummary } from '../outcome-taxonomy';

/** Invoices by id, with the method that should pay each. */
export type Invoices = Map<string, ProviderInvoice & { readonly paymentMethodId: string }>;

export type Metadata = Readonly<Record<string, string>>;

/** A change that the account's state may refuse: nothing is changed before `apply`. */
export type Change<T> =
  | { readonly apply: () => T }
  | { readonly refusal: { readonly httpStatus: number; readonly error: ProviderErrorSummary } };

/** `metadata` are those of the request. */
export type Behaviours<Step extends EffectStep = EffectStep> = {
  readonly [Each in Step]: (effect: EffectOf<Each>, metadata: Metadata) => Change<ObjectOf<{ readonly step: Each }>>;
};

export const missing = (param: string) => ({
  refusal: { httpStatus: 404, error: { type: 'invalid_request_error', code: 'resource_missing', param } },
});
export const invalid = (param: string, code?: string) => ({
  refusal: { httpStatus: 400, error: { type: 'invalid_request_error', ...(code && { code }), param } },
});
