/**
 * Two books for tests: the ledger contains every effect once, in order; the request log contains every request,
 * including replays and refusals. A test that checks whether anything was done twice reads the ledger.
 */
import { matchesPath } from './faults';
import type { State } from './state';
import type { LedgerEntry, RequestEntry } from './tables';
import type { Twin } from './twin';

const keptRequests = 20_000;

function amountOf(answer: Record<string, unknown>): { amount?: number; currency?: string } {
  const amount = answer.object === 'invoice' ? answer.total : (answer.amount ?? answer.amount_total);
  if (typeof amount !== 'number') return {};
  return { amount, ...(typeof answer.currency === 'string' ? { currency: answer.currency } : {}) };
}

function metadataOf(given: unknown): Record<string, string> {
  return given && typeof given === 'object' ? { ...(given as Record<string, string>) } : {};
}

/** Records one effect in the running transaction. */
export function enterEffect(
  twin: Twin,
  effect: Pick<LedgerEntry, 'method' | 'path' | 'idempotencyKey' | 'requestId' | 'status'> & {
    metadata?: unknown;
    answer: object;
  },
): void {
  const answer = effect.answer as Record<string, unknown>;
  twin.state.add('ledger', {
    id: twin.newId('effect'),
    at: twin.now(),
    method: effect.method,
    path: effect.path,
    idempotencyKey: effect.idempotencyKey,
    metadata: metadataOf(effect.metadata),
    ...amountOf(answer),
    charged: twin.charged(),
    objectId: typeof answer.id === 'string' ? answer.id : null,
    requestId: effect.requestId,
    status: effect.status,
  });
}

/** The ledger, oldest first, filtered by the operation in its metadata or key and by path pattern. */
export function readLedger(
  state: State,
  filter: { operationId?: string | undefined; endpoint?: string | undefined },
): LedgerEntry[] {
  const { operationId, endpoint } = filter;
  const [method, path] = endpoint?.includes(' ') ? endpoint.split(' ', 2) : [undefined, endpoint];
  return [...state.rows('ledger')].filter((entry) => {
    const named =
      operationId === undefined ||
      entry.metadata.operationId === operationId ||
      entry.metadata.provisioningAttempt === operationId ||
      entry.idempotencyKey === operationId ||
      entry.idempotencyKey?.startsWith(`${operationId}:`);
    return named && (!method || entry.method === method) && (!path || matchesPath(path, entry.path));
  });
}

/** Opens the log entry of an arriving request and assigns its id. */
export function logArrival(twin: Twin, arrival: Pick<RequestEntry, 'method' | 'path' | 'idempotencyKey'>): string {
  return twin.state.transact(() => {
    const id = twin.newId('req');
    const count = twin.state.get('counter', 'req')?.n ?? 0;
    if (count > keptRequests)
      for (const oldest of twin.state.rows('request')) {
        twin.state.remove('request', oldest.id);
        break;
      }
    twin.state.add('request', {
      id,
      at: twin.now(),
      ...arrival,
      status: null,
      outcome: 'in_flight',
      fault: null,
      answered: false,
    });
    return id;
  });
}

/** Completes the log entry of a request; runs in its own transaction unless one is running. */
export function logOutcome(state: State, id: string, outcome: Partial<RequestEntry>): void {
  state.transact(() => {
    if (state.get('request', id)) Object.assign(state.edit('request', id), outcome);
  });
}
