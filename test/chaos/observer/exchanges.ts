/**
 * The proxies' observations in the checker's form: answers to callers, requests to the provider, answers to its events.
 */
import { createHash } from 'node:crypto';
import { contractOf, operationActions } from '@platform/contracts-operator';
import { canonicalJson } from '@platform/kernel';
import type { AnswerEvidence, Evidence } from '@platform/testing';
import type { Exchange } from './recording-proxy';
import { versionAt, type Versions } from './versions';

const digestOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Two actions may share an address and differ by their method. */
const byAddress: ReadonlyMap<string, { readonly action: string; readonly values: object }> = new Map(
  operationActions.map((action) => {
    const { method, segment, values } = contractOf(action);
    return [`${method} ${segment}`, { action, values }] as const;
  }),
);

/** The observer's own reading of a request, which does not use the product's fingerprint. */
export function fingerprintOf(tenantId: string, action: string, values: Readonly<Record<string, unknown>>): string {
  return digestOf({ tenantId, action, values });
}

/** The deletion has the address of the workspace itself. */
const actionPath = /^\/api\/saas\/workspaces\/([^/?]+)(?:\/([^?]+))?$/;

/** Answers to requests that name an operation; a request without an answer promised nothing. */
export function answersOf(exchanges: readonly Exchange[]): AnswerEvidence[] {
  return exchanges.flatMap(({ method, path, body, answer }): AnswerEvidence[] => {
    const [found, tenantId = '', segment = ''] = actionPath.exec(path) ?? [];
    const known = found === undefined ? undefined : byAddress.get(`${method} ${segment}`);
    const request = parsed(body);
    const operationId = request['operationId'];
    if (!known || !answer || typeof operationId !== 'string') return [];
    const values = Object.fromEntries(
      Object.keys(known.values).flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])),
    );
    const code = parsed(answer.body)['code'];
    return [
      {
        operationId,
        fingerprint: fingerprintOf(tenantId, known.action, values),
        status: answer.status,
        ...(typeof code === 'string' && { code }),
        at: answer.at,
      },
    ];
  });
}

/** What a caller could know of the answer: only a refusal of the provider is a failure, and silence is no answer. */
function outcomeOf({ answer }: Exchange): 'succeeded' | 'failed' | 'unknown' {
  if (!answer || answer.status >= 500) return 'unknown';
  return answer.status < 300 ? 'succeeded' : 'failed';
}

/** The key contains operation and step; the payment of a creation uses the key that names the creation. */
export function ownerOf(idempotencyKey: string): { readonly operationId: string; readonly step: string } {
  const [first = '', second = ''] = idempotencyKey.split(':');
  return first === 'workspace-created'
    ? { operationId: second, step: 'pay_invoice' }
    : { operationId: first, step: second };
}

const keyOf = ({ headers }: Exchange): string => String(headers['idempotency-key'] ?? '');

export function sendsOf(exchanges: readonly Exchange[]): NonNullable<Evidence['sends']> {
  return exchanges
    .filter((exchange) => exchange.method === 'POST' && keyOf(exchange) !== '')
    .map((exchange) => ({
      ...ownerOf(keyOf(exchange)),
      idempotencyKey: keyOf(exchange),
      outcome: outcomeOf(exchange),
      at: exchange.at,
      payloadDigest: digestOf([exchange.path, exchange.body]),
    }));
}

/**
 * When the request with this number of the provider was sent: for one key, both observers saw the same requests in the
 * same order.
 */
export function createDepartures(
  exchanges: readonly Exchange[],
  requests: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly idempotencyKey: string | null;
  }[],
): (requestId: string) => number | undefined {
  const nameOf = (method: string, path: string, key: string | null): string => key || `${method} ${path.split('?')[0]}`;
  const seen = new Map<string, number[]>();
  for (const exchange of exchanges) {
    const name = nameOf(exchange.method, exchange.path, keyOf(exchange));
    seen.set(name, [...(seen.get(name) ?? []), exchange.at]);
  }
  const departures = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { id, method, path, idempotencyKey } of requests) {
    const name = nameOf(method, path, idempotencyKey);
    const place = counts.get(name) ?? 0;
    counts.set(name, place + 1);
    const at = seen.get(name)?.[place];
    if (at !== undefined) departures.set(id, at);
  }
  return (requestId) => departures.get(requestId);
}

/** Each delivery of an event with the receiver's record at the time of its answer. */
export function eventAnswersOf(
  exchanges: readonly Exchange[],
  versions: Versions,
): ReadonlyMap<string, readonly { readonly status: number; readonly resultThen: string }[]> {
  const records = versions.of('billing_webhook', 'payment_provider_webhook_events');
  const answers = new Map<string, { status: number; resultThen: string }[]>();
  for (const { body, answer } of exchanges) {
    const eventId = parsed(body)['id'];
    if (!answer || typeof eventId !== 'string') continue;
    const then = versionAt(records.get(eventId), answer.at)?.['result'];
    const one = { status: answer.status, resultThen: typeof then === 'string' ? then : 'absent' };
    answers.set(eventId, [...(answers.get(eventId) ?? []), one]);
  }
  return answers;
}
