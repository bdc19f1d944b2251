/** The suite's own receiver, to which an endpoint of the account, or the provider's command line, sends events. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceivedEvent } from '../payment-provider.harness';
import type { AccountApi } from './account-api';

export interface WebhookPlace {
  /** The port on the loopback address; 0 takes a free one. */
  readonly port: number;
  /** The address at which the provider reaches the receiver; absent: the receiver's own address. */
  readonly publicUrl?: string;
  /** The secret of a running forwarder (the provider's command line); no endpoint is created then. */
  readonly forwarderSecret?: string;
}

export interface WebhookReceiver {
  next(type: string, about: (object: Announced['data']['object']) => boolean): Promise<ReceivedEvent>;
  close(): Promise<void>;
}

const patienceMs = 60_000;

/** Creates an endpoint in the account unless events are forwarded, and removes it at the end. */
export async function receiveWebhooks(api: AccountApi, place: WebhookPlace): Promise<WebhookReceiver> {
  const arrived: { readonly payload: Buffer; readonly signature: string; readonly event: Announced }[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.end('{}');
      const payload = Buffer.concat(chunks);
      const event = announced(payload);
      if (event) arrived.push({ payload, signature: String(request.headers['stripe-signature'] ?? ''), event });
      waiting.forEach((look) => look());
    });
  });
  await new Promise<void>((resolve) => server.listen(place.port, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const endpoint =
    place.forwarderSecret === undefined
      ? await api.ask<{ id: string; secret: string }>('POST', '/v1/webhook_endpoints', {
          url: place.publicUrl ?? own,
          enabled_events: ['customer.subscription.updated'],
        })
      : null;
  const secret = place.forwarderSecret ?? endpoint!.secret;
  return {
    next: (type, about) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = arrived.find(({ event }) => event.type === type && about(event.data.object));
          if (!found) return;
          waiting.delete(look);
          clearTimeout(timer);
          resolve({ payload: found.payload, signature: found.signature, secret });
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`no such ${type} arrived within ${patienceMs / 1_000} s`));
        }, patienceMs);
        waiting.add(look);
        look();
      }),
    close: async () => {
      if (endpoint) await api.ask('DELETE', `/v1/webhook_endpoints/${endpoint.id}`);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Announced {
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

function announced(payload: Buffer): Announced | null {
  try {
    return JSON.parse(payload.toString('utf8')) as Announced;
  } catch {
    return null;
  }
}
