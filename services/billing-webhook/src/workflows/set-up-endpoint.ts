/**
 * The webhook endpoint at the provider as this service needs it: its address, the event types that have an owner, the
 * pinned version of the interface. Differences are reported first and changed only on request.
 */
import { createHash } from 'node:crypto';
import type { WebhookEndpoint, WebhookEndpoints } from '@platform/payment-provider';
import { handledTypes } from '../domain/route-event';

export type EndpointPlan =
  | { readonly kind: 'right'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'change'; readonly endpoint: WebhookEndpoint; readonly differs: readonly string[] }
  /** `others`: endpoints at the same address with another API version, which the provider cannot change. */
  | { readonly kind: 'create'; readonly others: readonly WebhookEndpoint[] };

/** Pure: decides what to do with the endpoints of the account. */
export function planEndpoint(all: readonly WebhookEndpoint[], url: string, version: string): EndpointPlan {
  const here = all.filter((one) => one.url === url);
  const endpoint = here.find(({ apiVersion }) => apiVersion === version);
  if (!endpoint) return { kind: 'create', others: here };
  const types = new Set(endpoint.eventTypes);
  const wanted = new Set(handledTypes);
  const missing = handledTypes.filter((type) => !types.has(type));
  const needless = endpoint.eventTypes.filter((type) => !wanted.has(type));
  const differs = [
    ...(endpoint.enabled ? [] : ['it is disabled']),
    ...(missing.length > 0 ? [`not sent: ${missing.join(', ')}`] : []),
    ...(needless.length > 0 ? [`sent and not handled: ${needless.join(', ')}`] : []),
  ];
  return differs.length === 0 ? { kind: 'right', endpoint } : { kind: 'change', endpoint, differs };
}

export interface SetUpPorts {
  readonly endpoints: WebhookEndpoints;
  readonly version: string;
  /** Stores the secret where no other user can read it. Also called with null, before anything is created. */
  readonly keepSecret: (secret: string | null) => void;
  /** The secret is wanted in a file that does not exist; only an endpoint that is made now has one to give. */
  readonly awaitsSecret: boolean;
  readonly print: (line: string) => void;
}

/**
 * Resolves with whether the endpoint is as required. Rejects with the provider's message, or when the secret cannot be
 * stored.
 */
export async function setUpEndpoint(ports: SetUpPorts, url: string, apply: boolean): Promise<boolean> {
  const { endpoints, version, print } = ports;
  const plan = planEndpoint(await endpoints.list(), url, version);
  switch (plan.kind) {
    case 'right':
      print(`${plan.endpoint.id} sends ${handledTypes.length} event types of version ${version} to ${url}.`);
      return !apply || hasItsSecret(ports, plan.endpoint);
    case 'change':
      print([`${plan.endpoint.id} at ${url} differs:`, ...plan.differs].join('\n  '));
      if (!apply) return notApplied(print);
      await endpoints.change(plan.endpoint.id, handledTypes);
      print('It is changed. Its secret is the one that it had.');
      return hasItsSecret(ports, plan.endpoint);
    case 'create': {
      for (const { id, apiVersion } of plan.others)
        print(
          `${id} at ${url} has version ${apiVersion ?? 'of the account'}, which cannot be changed. Disable it at the provider once the new endpoint has delivered; until then let the receiver know both secrets (WEBHOOK_SECRETS=new,old).`,
        );
      print(`There is no endpoint of version ${version} at ${url}.`);
      if (!apply) return notApplied(print);
      return make(ports, url, []);
    }
  }
}

/**
 * The key repeats after a lost answer. Within a day the provider repeats its answer to a key even when the endpoint was
 * deleted since; then it is not in the list, and the next key names it.
 */
async function make(ports: SetUpPorts, url: string, gone: readonly string[]): Promise<boolean> {
  const { endpoints, version, keepSecret, print } = ports;
  keepSecret(null);
  const key = createHash('sha256')
    .update([url, version, ...gone].join('\n'))
    .digest('hex');
  const { endpoint, secret } = await endpoints.create({ url, eventTypes: handledTypes, key: `setup:${key}` });
  // A list that does not come must not cost the secret.
  const listed = await endpoints.list().catch(() => [endpoint]);
  if (!listed.some(({ id }) => id === endpoint.id)) {
    if (gone.includes(endpoint.id)) throw new Error(`${endpoint.id} was made and is not in the list of endpoints`);
    return make(ports, url, [...gone, endpoint.id]);
  }
  keepSecret(secret);
  print(`${endpoint.id} is made. Its secret is in the file: give it to the receiver as WEBHOOK_SECRETS.`);
  return true;
}

/** An endpoint may exist without its secret being anywhere: the answer to its creation was lost, or the file was. */
function hasItsSecret({ awaitsSecret, print }: SetUpPorts, { id }: WebhookEndpoint): boolean {
  if (awaitsSecret)
    print(
      `${id} existed before, and no secret was written: the provider shows it in its dashboard alone. Copy it from there, or delete the endpoint there and run the same line again.`,
    );
  return !awaitsSecret;
}

function notApplied(print: (line: string) => void): boolean {
  print('Nothing was changed; --apply does it.');
  return false;
}
