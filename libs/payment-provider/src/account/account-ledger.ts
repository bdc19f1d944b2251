/**
 * What an operation has done at an account, as far as the account shows it: events that contain the idempotency key of
 * their request, and, for effects without an event, the objects that name the operation.
 */
import type { CallDescription, PaymentProvider } from '../port';
import type { AccountApi } from './account-api';

interface LedgerRow {
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly objectId: string | null;
}

interface ListedEvent {
  readonly id: string;
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null } | null;
  readonly data: { readonly object: { readonly id?: string } };
}

interface Prepared {
  readonly operationId: string;
  readonly description: CallDescription;
}

/** By path: the list in which the effects of a call without events are found. */
const listed: readonly (readonly [RegExp, (path: string, sessionOwner: string) => [string, object]])[] = [
  [/\/balance_transactions$/, (path) => [path, {}]],
  [/^\/v1\/checkout\/sessions$/, (_path, customer) => ['/v1/checkout/sessions', { customer }]],
];

export interface AccountLedger {
  /** The provider; its calls are recorded. */
  readonly watched: PaymentProvider;
  effects(operationId: string): Promise<readonly LedgerRow[]>;
}

/** `since` in seconds: older events do not belong to this run. */
export function accountLedger(api: AccountApi, provider: PaymentProvider, since: number): AccountLedger {
  const prepared: Prepared[] = [];
  const sessionOwners = new Map<string, string>();

  async function byList({ operationId, description }: Prepared): Promise<LedgerRow[] | null> {
    const { path, idempotencyKey } = description;
    const found = listed.find(([pattern]) => pattern.test(path));
    if (!found) return null;
    const [list, params] = found[1](path, sessionOwners.get(idempotencyKey) ?? '');
    // A customer that does not exist has no list.
    const objects = await api
      .all<{ readonly id: string; readonly metadata: Readonly<Record<string, string>> }>(list, params)
      .catch(() => []);
    return objects
      .filter(({ metadata }) => metadata['operationId'] === operationId)
      .map(({ id }) => ({ path, idempotencyKey, objectId: id }));
  }

  function byEvents(events: readonly ListedEvent[], { description }: Prepared): LedgerRow[] {
    const { path, idempotencyKey } = description;
    const own = events.filter(({ request }) => request?.idempotency_key === idempotencyKey);
    const requests = [...new Set(own.map(({ request }) => request?.id ?? ''))];
    return requests.map((requestId) => {
      const ids = own.filter(({ request }) => request?.id === requestId).map(({ data }) => data.object.id ?? null);
      return { path, idempotencyKey, objectId: ids.find((id) => id !== null && path.includes(id)) ?? ids[0] ?? null };
    });
  }

  return {
    watched: {
      ...provider,
      prepare: (intent, effect) => {
        const call = provider.prepare(intent, effect);
        const { idempotencyKey } = call.description;
        if (!prepared.some(({ description }) => description.idempotencyKey === idempotencyKey))
          prepared.push({ operationId: intent.operationId, description: call.description });
        if (effect.step === 'create_session') sessionOwners.set(idempotencyKey, effect.customerId);
        return call;
      },
    },
    async effects(operationId) {
      const own = prepared.filter((each) => each.operationId === operationId);
      const events = await api.all<ListedEvent>('/v1/events', { created: { gte: since } });
      const rows = await Promise.all(own.map(async (each) => (await byList(each)) ?? byEvents(events, each)));
      return rows.flat();
    },
  };
}
