/**
 * Every way in which a send can fail, as rows that the crash sweep enumerates: the caller's answer and whether the
 * effect happened. A row exists with and without the effect wherever the caller cannot distinguish the two.
 */
import type { Exchange, TaxonomyRowId } from '../outcome-taxonomy';

export type ProviderFaultKind =
  | 'connection_refused'
  | 'name_not_resolved'
  | 'tls_failed'
  | 'timeout_before_bytes'
  | 'rate_limited'
  | 'unauthenticated'
  | 'forbidden'
  | 'invalid_request'
  | 'not_found'
  | 'card_declined'
  | 'authentication_required'
  | 'key_in_use'
  | 'idempotency_mismatch'
  | 'server_error'
  | 'server_error_after_effect'
  | 'lost_answer_before_effect'
  | 'lost_answer_after_effect'
  | 'timeout_before_effect'
  | 'timeout_after_effect'
  | 'unparsable'
  | 'unparsable_after_effect';

export interface ProviderFault {
  readonly kind: ProviderFaultKind;
  readonly row: TaxonomyRowId;
  /** The adapter's required answer. */
  readonly outcome: 'failed' | 'unknown';
  readonly code?: string;
  /** Whether the provider executed the request. */
  readonly effect: 'done' | 'not_done';
  /** Whether the provider keeps this answer under the idempotency key and replays it for 24 hours. */
  readonly keptUnderKey: boolean;
  readonly exchange: Exchange;
}

const error = (type: string, code?: string, declineCode?: string) => ({
  type,
  ...(code && { code }),
  ...(declineCode && { declineCode }),
});

function notSent(kind: ProviderFaultKind, exchange: Exchange): ProviderFault {
  return {
    kind,
    row: 'not_sent',
    outcome: 'failed',
    code: 'provider_unavailable',
    effect: 'not_done',
    keptUnderKey: false,
    exchange,
  };
}

function refusal(
  kind: ProviderFaultKind,
  row: TaxonomyRowId,
  code: string,
  httpStatus: number,
  summary: Exchange['error'],
  keptUnderKey = false,
): ProviderFault {
  return {
    kind,
    row,
    outcome: 'failed',
    code,
    effect: 'not_done',
    keptUnderKey,
    exchange: { phase: 'response_read', httpStatus, error: summary },
  };
}

function ambiguous(
  kind: ProviderFaultKind,
  row: TaxonomyRowId,
  effect: 'done' | 'not_done',
  exchange: Exchange,
  keptUnderKey = false,
): ProviderFault {
  return { kind, row, outcome: 'unknown', effect, keptUnderKey, exchange };
}

/** All rows, in the order in which the sweep tries them. */
export const providerFaults: readonly ProviderFault[] = [
  notSent('connection_refused', { phase: 'not_connected', transportFailure: 'refused' }),
  notSent('name_not_resolved', { phase: 'not_connected', transportFailure: 'name_not_resolved' }),
  notSent('tls_failed', { phase: 'not_connected', transportFailure: 'tls_failed' }),
  notSent('timeout_before_bytes', { phase: 'not_connected', transportFailure: 'timeout' }),
  refusal('rate_limited', 'rate_limited', 'provider_unavailable', 429, error('invalid_request_error', 'rate_limit')),
  refusal(
    'unauthenticated',
    'unauthenticated',
    'provider_unavailable',
    401,
    error('invalid_request_error', 'api_key_expired'),
  ),
  refusal('forbidden', 'forbidden', 'provider_unavailable', 403, error('invalid_request_error')),
  refusal(
    'invalid_request',
    'invalid_request',
    'provider_refused',
    400,
    error('invalid_request_error', 'parameter_invalid_integer'),
  ),
  refusal('not_found', 'not_found', 'provider_refused', 404, error('invalid_request_error', 'resource_missing')),
  refusal(
    'card_declined',
    'card_declined',
    'card_declined',
    402,
    error('card_error', 'card_declined', 'insufficient_funds'),
    true,
  ),
  refusal(
    'authentication_required',
    'authentication_required',
    'authentication_required',
    402,
    error('card_error', 'invoice_payment_intent_requires_action'),
    true,
  ),
  ambiguous('key_in_use', 'key_in_use', 'not_done', {
    phase: 'response_read',
    httpStatus: 409,
    error: error('invalid_request_error', 'idempotency_key_in_use'),
  }),
  ambiguous('idempotency_mismatch', 'idempotency_mismatch', 'not_done', {
    phase: 'response_read',
    httpStatus: 400,
    error: error('idempotency_error'),
  }),
  ambiguous(
    'server_error',
    'server_error',
    'not_done',
    { phase: 'response_read', httpStatus: 500, error: error('api_error') },
    true,
  ),
  ambiguous(
    'server_error_after_effect',
    'server_error',
    'done',
    { phase: 'response_read', httpStatus: 500, error: error('api_error') },
    true,
  ),
  ambiguous('lost_answer_before_effect', 'no_answer', 'not_done', {
    phase: 'bytes_written',
    transportFailure: 'connection_lost',
  }),
  ambiguous('lost_answer_after_effect', 'no_answer', 'done', {
    phase: 'bytes_written',
    transportFailure: 'connection_lost',
  }),
  ambiguous('timeout_before_effect', 'no_answer', 'not_done', { phase: 'bytes_written', transportFailure: 'timeout' }),
  ambiguous('timeout_after_effect', 'no_answer', 'done', { phase: 'bytes_written', transportFailure: 'timeout' }),
  ambiguous('unparsable', 'unparsable', 'not_done', { phase: 'response_read', httpStatus: 200 }),
  ambiguous('unparsable_after_effect', 'unparsable', 'done', { phase: 'response_read', httpStatus: 200 }),
];

/** The row of a kind. */
export function providerFault(kind: ProviderFaultKind): ProviderFault {
  return providerFaults.find((fault) => fault.kind === kind)!;
}
