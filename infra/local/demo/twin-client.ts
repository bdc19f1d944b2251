/** The provider twin's control plane: its ledger shows the real effects, and its faults cause the story's failures. */

interface Effect {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly amount?: number;
  readonly objectId: string | null;
}

interface Fault {
  readonly match: { readonly method?: string; readonly path?: string };
  readonly fault: 'lose_answer_after' | 'lose_answer_before' | 'rate_limit' | 'status_500' | 'hold';
  /** How many requests the fault affects; null: until it is removed. */
  readonly times: number | null;
}

export interface TwinClient {
  /** Effects of one operation, oldest first. */
  effects(operationId: string): Promise<readonly Effect[]>;
  /** The provisioning attempt for which the latest customer was created. */
  latestCreation(): Promise<string | undefined>;
  /** Tokenises a card as a browser would; returns the payment method's id. */
  makeCard(number: string): Promise<string>;
  /** Returns the id of the fault. */
  addFault(fault: Fault): Promise<string>;
  /** Releases the requests that a fault holds. */
  release(faultId: string): Promise<void>;
  removeFaults(): Promise<void>;
  /** Advances the provider's time. */
  advance(seconds: number): Promise<void>;
  /** Changes a workspace's subscription as a person at the provider would; returns the id of the event about it. */
  changeSubscription(tenantId: string, form: Readonly<Record<string, string>>): Promise<string>;
  /** Delivers an event again; returns the HTTP statuses of the receiver's answers. */
  redeliver(
    eventId: string,
    mode: 'normal' | 'duplicate' | 'unsigned' | 'wrong_secret' | 'stale_signature',
  ): Promise<readonly (number | null)[]>;
}

/** The twin as the provider: requests that a person with the secret key can make, as forms. */
function createProviderApi(baseUrl: string, providerKey: string) {
  return async <T>(method: string, path: string, form?: Readonly<Record<string, string>>): Promise<T> => {
    const headers = {
      authorization: `Bearer ${providerKey}`,
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    if (!response.ok) throw new Error(`the twin answered ${response.status} to ${method} ${path}`);
    return (await response.json()) as T;
  };
}

/** Features that only a twin has: ledger, faults and redelivery, in JSON and without a key. */
function createControlPlane(baseUrl: string) {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the twin answered ${response.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  };
}

/** `providerKey` is needed only for changes and cards. */
export function createTwinClient(baseUrl: string, providerKey = ''): TwinClient {
  const asPerson = createProviderApi(baseUrl, providerKey);
  const call = createControlPlane(baseUrl);
  return {
    effects: async (operationId) =>
      (await call<{ entries: Effect[] }>('GET', `/_twin/ledger?operationId=${operationId}`)).entries,
    async latestCreation() {
      const { entries } = await call<{ entries: { metadata: { provisioningAttempt?: string } }[] }>(
        'GET',
        '/_twin/ledger?endpoint=POST%20/v1/customers',
      );
      return entries.at(-1)?.metadata.provisioningAttempt;
    },
    makeCard: async (number) =>
      (
        await asPerson<{ id: string }>('POST', '/v1/payment_methods', {
          type: 'card',
          'card[number]': number,
          'card[exp_month]': '12',
          'card[exp_year]': '2040',
          'card[cvc]': '123',
        })
      ).id,
    addFault: async (fault) => (await call<{ id: string }>('POST', '/_twin/faults', fault)).id,
    release: async (id) => void (await call('POST', '/_twin/release', { id })),
    advance: async (seconds) => void (await call('POST', '/_twin/clock', { advanceSeconds: seconds })),
    removeFaults: async () => void (await call('DELETE', '/_twin/faults')),
    async changeSubscription(tenantId, form) {
      const { id } = await asPerson<{ id: string }>('POST', `/v1/subscriptions/sub_${tenantId}`, form);
      const { data } = await asPerson<{ data: { id: string; data: { object: { id: string } } }[] }>(
        'GET',
        '/v1/events?type=customer.subscription.updated&limit=100',
      );
      const found = data.find((event) => event.data.object.id === id);
      if (!found) throw new Error(`the twin tells of no change of ${id}`);
      return found.id;
    },
    redeliver: async (eventId, mode) =>
      (
        await call<{ deliveries: { status: number | null }[] }>('POST', `/_twin/events/${eventId}/redeliver`, { mode })
      ).deliveries.map(({ status }) => status),
  };
}
