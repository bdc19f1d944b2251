/**
 * The provider's side of the suites about its calls: a person's actions there, the sending of its events, and their
 * consequences.
 */
import { checkoutCompletedSchema, checkoutStream } from '@platform/contracts-operator';
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { eventually } from '@platform/testing';

type Delivery = { readonly status: number | null };
type ProviderEventRow = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: { readonly id: string } };
};

export interface ProviderSide {
  /** A command to the twin's control plane. */
  control<T>(path: string, body?: object): Promise<T>;
  /** Changes the subscription of a workspace, as a person does on the provider's own pages. */
  change(tenantId: string, form: Record<string, string>): Promise<unknown>;
  /** Statuses of the answers; null where the twin gave up. */
  redeliver(eventId: string, mode: string): Promise<(number | null)[]>;
  latestEvent(type: string, objectId: string): Promise<string>;
  expectRefused(eventId: string): Promise<void>;
}

export function connectProvider({ twinUrl, providerKey }: { twinUrl: string; providerKey: string }): ProviderSide {
  async function control<T>(path: string, body: object = {}): Promise<T> {
    const response = await fetch(`${twinUrl}/_twin/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async function provider<T>(method: string, path: string, form?: Record<string, string>): Promise<T> {
    const headers = {
      authorization: `Bearer ${providerKey}`,
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const response = await fetch(`${twinUrl}${path}`, {
      method,
      headers,
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  const change = (tenantId: string, form: Record<string, string>) =>
    provider('POST', `/v1/subscriptions/sub_${tenantId}`, form);
  const redeliver = async (eventId: string, mode: string) =>
    (await control<{ deliveries: Delivery[] }>(`events/${eventId}/redeliver`, { mode })).deliveries.map(
      ({ status }) => status,
    );
  /**
   * A refusal is an answer. When the twin gave up, as it may on a busy machine, the outcome is unknown and it sends
   * again.
   */
  async function expectRefused(eventId: string): Promise<void> {
    const status = await eventually(async () => (await redeliver(eventId, 'normal'))[0], {
      describe: 'an answer of the receiver',
    });
    expect(status).toBe(500);
  }

  async function latestEvent(type: string, objectId: string): Promise<string> {
    const { data } = await provider<{ data: ProviderEventRow[] }>('GET', `/v1/events?type=${type}&limit=100`);
    const found = data.find(({ data: { object } }) => object.id === objectId);
    if (!found) throw new Error(`no event ${type} about ${objectId}`);
    return found.id;
  }

  return { control, change, redeliver, latestEvent, expectRefused };
}

/** The notices about completed checkouts to the service that notifies their owners. */
export async function noticesOf(natsUrl: string, operationId: string) {
  const messaging = await connectMessaging({
    url: natsUrl,
    name: 'notices',
    topology: platformTopology(),
    log: silentLog,
  });
  try {
    const seen: unknown[] = [];
    await messaging.ensureDurable({
      stream: checkoutStream,
      durable: 'test-notices',
      filterSubjects: [],
      ackWaitMs: 5_000,
      maxAckPending: 10,
    });
    const expected = (await messaging.streamStates([checkoutStream]))[0]?.messages ?? 0;
    await messaging.consume(
      { stream: checkoutStream, durable: 'test-notices' },
      async ({ body }) => (seen.push(body), { kind: 'ack' }),
    );
    await eventually(() => seen.length >= expected, { describe: 'every notice of the stream' });
    await messaging.removeDurable(checkoutStream, 'test-notices');
    return seen
      .map((body) => checkoutCompletedSchema.parse(body))
      .filter((notice) => notice.operationId === operationId);
  } finally {
    await messaging.close();
  }
}
