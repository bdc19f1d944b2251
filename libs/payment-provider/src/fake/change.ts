/** What the fake's account answers to a mutation: a change to apply, or the provider's refusal. */
import type { ProviderErrorSummary } from '../outcome-taxonomy';

/** A change that can be refused by the account's state: nothing is touched before `apply`. */
export type Change<T> =
  | { readonly apply: () => T }
  | { readonly refusal: { readonly httpStatus: number; readonly error: ProviderErrorSummary } };

export const missing = (param: string) => ({
  refusal: { httpStatus: 404, error: { type: 'invalid_request_error', code: 'resource_missing', param } },
});
export const invalid = (param: string, code?: string) => ({
  refusal: { httpStatus: 400, error: { type: 'invalid_request_error', ...(code && { code }), param } },
});
