/**
 * The provider's error vocabulary: one constructor per documented refusal, each with its status, type, code and
 * param, so that the SDK maps it to the class that its users expect.
 */

type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export interface ErrorBody {
  type: ErrorType;
  code?: string;
  decline_code?: string;
  advice_code?: string;
  network_decline_code?: string;
  doc_url?: string;
  message: string;
  param?: string;
  charge?: string;
  payment_intent?: unknown;
  setup_intent?: unknown;
  payment_method?: unknown;
  payment_method_type?: string;
  request_log_url?: string;
}

/** A refusal in the sent form. `keepsEffects` is true for declines: the failed attempt itself is recorded. */
export class ProviderError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly keepsEffects = false,
  ) {
    super(body.message);
    this.name = 'ProviderError';
  }

  /** The same refusal, for a caller that keeps nothing of the attempt. */
  withoutEffects(): ProviderError {
    return new ProviderError(this.status, this.body);
  }
}

function invalid(message: string, param?: string, code?: string, status = 400): ProviderError {
  return new ProviderError(status, {
    ...(code ? { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` } : {}),
    message,
    ...(param ? { param } : {}),
    type: 'invalid_request_error',
  });
}

export const errors = {
  /** A request that cannot be understood or that the state does not allow. */
  invalid,
  unknownParameters: (names: string[]) =>
    invalid(
      names.length === 1
        ? `Received unknown parameter: ${names[0]}`
        : `Received unknown parameters: ${names.join(', ')}`,
      names[0],
      'parameter_unknown',
    ),
  missing: (param: string) => invalid(`Missing required param: ${param}.`, param, 'parameter_missing'),
  empty: (param: string) =>
    invalid(
      `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
      param,
      'parameter_invalid_empty',
    ),
  /** An id in a path that does not exist (404). */
  noSuch: (kind: string, id: string) => invalid(`No such ${kind}: '${id}'`, 'id', 'resource_missing', 404),
  /** An id in the parameters that does not exist (400). */
  noSuchReference: (kind: string, id: string, param: string) =>
    invalid(`No such ${kind}: '${id}'`, param, 'resource_missing'),
  /** A feature of the provider that the twin deliberately does not have. */
  notOffered: (what: string, param?: string) => invalid(`The provider twin does not offer ${what}.`, param),
  unauthorised: (message: string) => invalid(message, undefined, undefined, 401),
  forbidden: (account: string) =>
    invalid(
      `The provided key does not have access to account '${account.slice(0, 60)}' (or that account does not exist). Application access may have been revoked.`,
      undefined,
      'account_invalid',
      403,
    ),
  rateLimited: () =>
    new ProviderError(429, {
      code: 'rate_limit',
      doc_url: 'https://stripe.com/docs/error-codes/rate-limit',
      message: 'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
      type: 'invalid_request_error',
    }),
  /** A payment that only its card's holder can complete. */
  authenticationNeeded: (keepsEffects: boolean, intent?: object, of: 'invoice' | 'subscription' = 'invoice') =>
    new ProviderError(
      402,
      {
        code: `${of}_payment_intent_requires_action`,
        doc_url: `https://stripe.com/docs/error-codes/${of}-payment-intent-requires-action`,
        message:
          'This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.',
        ...(intent ? { payment_intent: intent } : {}),
        type: 'card_error',
      },
      keepsEffects,
    ),
  api: (message: string) => new ProviderError(500, { message, type: 'api_error' }),
  idempotency: (status: 400 | 409, message: string, code?: string) =>
    new ProviderError(status, { ...(code ? { code } : {}), message, type: 'idempotency_error' }),
};
