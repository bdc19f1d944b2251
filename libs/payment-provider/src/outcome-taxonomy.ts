/**
 * The one table that turns an answer of the payment provider into an outcome (law 2). The first matching row applies;
 * the last row matches everything, so any unforeseen answer is `unknown`. A definitive refusal needs an error object of
 * the provider in the body: a status line alone may come from an intermediary that had already forwarded the request.
 */
import { failed, unknown, type Failed, type Unknown } from '@platform/kernel';
import type { CallPhase } from './port';

/** How an exchange ended without a complete answer. */
export type TransportFailure = 'refused' | 'name_not_resolved' | 'tls_failed' | 'connection_lost' | 'timeout' | 'other';

/** The provider's error object, reduced to what is safe to store: no message, no card data, no keys. */
export interface ProviderErrorSummary {
  readonly type: string;
  readonly code?: string;
  readonly declineCode?: string;
  readonly param?: string;
}

/** What was observed of one exchange. `decoded` is true when the body was the object that the call expects. */
export interface Exchange {
  readonly phase: CallPhase;
  readonly transportFailure?: TransportFailure;
  readonly httpStatus?: number;
  readonly error?: ProviderErrorSummary;
  readonly decoded?: boolean;
}

export type TaxonomyRowId =
  | 'succeeded'
  | 'not_sent'
  | 'rate_limited'
  | 'unauthenticated'
  | 'forbidden'
  | 'idempotency_mismatch'
  | 'authentication_required'
  | 'card_declined'
  | 'not_found'
  | 'invalid_request'
  | 'key_in_use'
  | 'server_error'
  | 'no_answer'
  | 'unparsable'
  | 'unexpected';

export interface TaxonomyRow {
  readonly id: TaxonomyRowId;
  readonly what: string;
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  /** Code of a failed mutation; see contracts §2. */
  readonly code?: 'provider_unavailable' | 'provider_refused' | 'card_declined' | 'authentication_required';
  readonly retry: string;
  readonly matches: (exchange: Exchange) => boolean;
}

const refusedWith = (status: number) => (exchange: Exchange) =>
  exchange.phase === 'response_read' && exchange.httpStatus === status && exchange.error !== undefined;

/** Codes with which the provider requires that the card holder confirms the payment first. */
const authenticationCodes: ReadonlySet<string> = new Set([
  'authentication_required',
  'invoice_payment_intent_requires_action',
  'subscription_payment_intent_requires_action',
]);

function asksForAuthentication({ error }: Exchange): boolean {
  return [error?.code, error?.declineCode].some((code) => code !== undefined && authenticationCodes.has(code));
}

/** In order of precedence; `docs/errors.md` shows it. */
export const outcomeTaxonomy: readonly TaxonomyRow[] = [
  {
    id: 'succeeded',
    what: '2xx with the object that the call asks for',
    outcome: 'succeeded',
    retry: 'not needed',
    matches: (exchange) =>
      exchange.phase === 'response_read' && isSuccess(exchange.httpStatus) && exchange.decoded === true,
  },
  {
    id: 'not_sent',
    what: 'refused connection, name not resolved, TLS failed, time-out before the first byte: nothing of the request was written',
    outcome: 'failed',
    code: 'provider_unavailable',
    retry: 'yes',
    matches: (exchange) => exchange.phase === 'not_connected' || exchange.phase === 'connected',
  },
  {
    id: 'idempotency_mismatch',
    what: '4xx of type idempotency_error: the key was used with another endpoint or payload',
    outcome: 'unknown',
    retry: 'no: something else ran under our key',
    matches: (exchange) => exchange.phase === 'response_read' && exchange.error?.type === 'idempotency_error',
  },
  {
    id: 'rate_limited',
    what: '429, or 400 with code rate_limit',
    outcome: 'failed',
    code: 'provider_unavailable',
    retry: 'yes, later',
    matches: (exchange) =>
      refusedWith(429)(exchange) || (refusedWith(400)(exchange) && exchange.error?.code === 'rate_limit'),
  },
  {
    id: 'unauthenticated',
    what: '401: the key is not accepted',
    outcome: 'failed',
    code: 'provider_unavailable',
    retry: 'after the cause is fixed',
    matches: refusedWith(401),
  },
  {
    id: 'forbidden',
    what: '403: the key may not do this',
    outcome: 'failed',
    code: 'provider_unavailable',
    retry: 'after the cause is fixed',
    matches: refusedWith(403),
  },
  {
    id: 'authentication_required',
    what: '402: the holder of the card must confirm the payment',
    outcome: 'failed',
    code: 'authentication_required',
    retry: 'no: the person confirms, or the payment expires',
    matches: (exchange) => refusedWith(402)(exchange) && asksForAuthentication(exchange),
  },
  {
    id: 'card_declined',
    what: '402: card error',
    outcome: 'failed',
    code: 'card_declined',
    retry: 'the same key replays this refusal for 24 hours',
    matches: refusedWith(402),
  },
  {
    id: 'not_found',
    what: '404: no such object',
    outcome: 'failed',
    code: 'provider_refused',
    retry: 'only with other values, that is a new id',
    matches: refusedWith(404),
  },
  {
    id: 'invalid_request',
    what: '400: invalid request',
    outcome: 'failed',
    code: 'provider_refused',
    retry: 'only with other values, that is a new id',
    matches: refusedWith(400),
  },
  {
    id: 'key_in_use',
    what: '409: another request is running under our key',
    outcome: 'unknown',
    retry: 'no',
    matches: refusedWith(409),
  },
  {
    id: 'server_error',
    what: '5xx, fresh or replayed under the key',
    outcome: 'unknown',
    retry: 'no',
    matches: (exchange) =>
      exchange.phase === 'response_read' && exchange.httpStatus !== undefined && exchange.httpStatus >= 500,
  },
  {
    id: 'no_answer',
    what: 'connection lost or time-out after the first byte was written',
    outcome: 'unknown',
    retry: 'no',
    matches: (exchange) => exchange.phase === 'bytes_written',
  },
  {
    id: 'unparsable',
    what: 'an answer that is neither the expected object nor an error object of the provider',
    outcome: 'unknown',
    retry: 'no',
    matches: (exchange) => exchange.error === undefined,
  },
  { id: 'unexpected', what: 'any other answer', outcome: 'unknown', retry: 'no', matches: () => true },
];

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** The row of {@link outcomeTaxonomy} for an exchange. Always exists, because the last row matches everything. */
export function classify(exchange: Exchange): TaxonomyRow {
  const row = outcomeTaxonomy.find((candidate) => candidate.matches(exchange));
  return row ?? outcomeTaxonomy[outcomeTaxonomy.length - 1]!;
}

/**
 * The result of a mutation that did not succeed. The texts are the platform's: the provider's messages may quote what
 * was sent.
 */
export function outcomeOf(row: TaxonomyRow, exchange: Exchange): Failed | Unknown {
  const circumstances = describe(exchange);
  if (row.outcome === 'failed' && row.code)
    return failed(row.code, `${row.what} (${circumstances})`, detailOf(row, exchange));
  return unknown(`${row.what} (${circumstances})`);
}

function describe(exchange: Exchange): string {
  const parts = [`phase ${exchange.phase}`];
  if (exchange.transportFailure) parts.push(exchange.transportFailure);
  if (exchange.httpStatus !== undefined) parts.push(`status ${exchange.httpStatus}`);
  if (exchange.error)
    parts.push(
      ...[exchange.error.type, exchange.error.code, exchange.error.declineCode].filter(
        (part): part is string => part !== undefined,
      ),
    );
  if (exchange.error?.param) parts.push(`parameter ${exchange.error.param}`);
  return parts.join(', ');
}

function detailOf(row: TaxonomyRow, exchange: Exchange): Record<string, string> {
  return {
    reason: row.id,
    retry: row.retry,
    ...(exchange.transportFailure && { transportFailure: exchange.transportFailure }),
    ...(exchange.httpStatus !== undefined && { httpStatus: String(exchange.httpStatus) }),
    ...(exchange.error && { providerType: exchange.error.type }),
    ...(exchange.error?.code && { providerCode: exchange.error.code }),
    ...(exchange.error?.declineCode && { declineCode: exchange.error.declineCode }),
    ...(exchange.error?.param && { parameter: exchange.error.param }),
  };
}
