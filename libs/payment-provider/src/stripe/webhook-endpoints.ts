/**
 * The webhook endpoints of the account, for the person who sets a deployment up. No service changes them. An endpoint's
 * version of the interface is fixed when it is created, and its secret is shown only then.
 */
import { z } from 'zod';
import { openSdk, providerApiVersion, type SdkOptions } from './sdk';

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly eventTypes: readonly string[];
  /** Null: the account's version. */
  readonly apiVersion: string | null;
}

export interface WebhookEndpoints {
  /** Returns all endpoints. Rejects with the provider's message. */
  list(): Promise<WebhookEndpoint[]>;
  /** A repeat within a day, after a lost answer, creates no second endpoint and returns the secret again. */
  create(wanted: { readonly url: string; readonly eventTypes: readonly string[]; readonly key: string }): Promise<{
    readonly endpoint: WebhookEndpoint;
    readonly secret: string;
  }>;
  /** Enables the endpoint for these types. */
  change(id: string, eventTypes: readonly string[]): Promise<WebhookEndpoint>;
}

const shape = z.object({
  id: z.string(),
  url: z.string(),
  status: z.string(),
  enabled_events: z.array(z.string()),
  api_version: z.string().nullish(),
});
const secretShape = z.object({ secret: z.string().min(1) });
type EventType = 'customer.updated';

function endpointOf(answer: unknown): WebhookEndpoint {
  const { id, url, status, enabled_events: eventTypes, api_version: version } = shape.parse(answer);
  return { id, url, enabled: status === 'enabled', eventTypes, apiVersion: version ?? null };
}

export function openWebhookEndpoints(options: Omit<SdkOptions, 'httpClient'>): WebhookEndpoints {
  const { webhookEndpoints } = openSdk(options);
  // The provider decides which types exist, and refuses others.
  const typed = (types: readonly string[]) => [...types] as EventType[];
  return {
    async list() {
      const found: WebhookEndpoint[] = [];
      for await (const each of webhookEndpoints.list({ limit: 100 })) found.push(endpointOf(each));
      return found;
    },
    async create({ url, eventTypes, key }) {
      const made = await webhookEndpoints.create(
        {
          url,
          enabled_events: typed(eventTypes),
          api_version: providerApiVersion,
          description: 'Workspace platform: receiver of provider events',
        },
        { idempotencyKey: key },
      );
      return { endpoint: endpointOf(made), secret: secretShape.parse(made).secret };
    },
    async change(id, eventTypes) {
      return endpointOf(await webhookEndpoints.update(id, { enabled_events: typed(eventTypes), disabled: false }));
    },
  };
}
