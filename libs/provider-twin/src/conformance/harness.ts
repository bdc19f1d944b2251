/**
 * The parts that the suites share: a running twin, the official SDK connected to it, and a judge that checks every body
 * between them.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { startProviderTwin, type TwinOptions } from '../index';
import { violations } from './validate';

export interface Harness {
  url: string;
  stripe: Stripe;
  /** Calls the control plane; throws when it refuses. */
  control<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  /** Complaints of the judge so far. */
  complaints: string[];
  close(): Promise<void>;
}

/** The official SDK against a twin; with a list, the judge writes its complaints there. */
export function sdkFor(url: string, complaints?: string[]): Stripe {
  const judge: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    if (body !== undefined)
      complaints?.push(
        ...violations(body, response.status).map((each) => `${init?.method ?? 'GET'} ${String(input)}: ${each}`),
      );
    return response;
  };
  const { hostname, port } = new URL(url);
  const config: Stripe.StripeConfig = {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  };
  return new Stripe(
    'sk_test_twin',
    complaints ? { ...config, httpClient: Stripe.createFetchHttpClient(judge) } : config,
  );
}

export async function openHarness(options: Partial<TwinOptions> = {}): Promise<Harness> {
  const twin = await startProviderTwin({ port: 0, ...options });
  const complaints: string[] = [];
  return {
    url: twin.url,
    stripe: sdkFor(twin.url, complaints),
    complaints,
    async control<T>(method: string, path: string, body?: unknown) {
      const response = await fetch(`${twin.url}${path}`, {
        method,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
    close: () => twin.close(),
  };
}

export interface Receiver {
  url: string;
  received: { body: string; signature: string | undefined }[];
  /** Resolves when at least `count` requests have arrived. */
  waitFor(count: number): Promise<void>;
  /** The receiver's answer from now on; with null it does not answer. */
  answer(status: number | null): void;
  close(): Promise<void>;
}

/** A webhook receiver that keeps what it receives. */
export async function openReceiver(): Promise<Receiver> {
  const received: Receiver['received'] = [];
  const waiting: { count: number; resume: () => void }[] = [];
  let status: number | null = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const signature = request.headers['stripe-signature'];
      received.push({
        body: Buffer.concat(chunks).toString('utf8'),
        signature: Array.isArray(signature) ? signature[0] : signature,
      });
      if (status !== null) response.writeHead(status).end();
      for (const each of waiting.filter(({ count }) => received.length >= count)) each.resume();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async waitFor(count) {
      if (received.length >= count) return;
      await new Promise<void>((resume) => waiting.push({ count, resume }));
    },
    answer: (next) => void (status = next),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The error that a call must end with. */
export async function refusal(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

/** A plan and a customer with a card, as most suites need them. */
export async function customerWithCard(
  stripe: Stripe,
  card = 'pm_card_visa',
): Promise<{ customer: string; method: string }> {
  const { id: customer } = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada' });
  const { id: method } = await stripe.paymentMethods.attach(card, { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } });
  return { customer, method };
}

export async function monthlyPrice(
  stripe: Stripe,
  cents: number,
  interval: 'month' | 'year' = 'month',
): Promise<string> {
  const product = await stripe.products.create({ name: `Plan ${cents}` });
  return (
    await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: cents, recurring: { interval } })
  ).id;
}

export const daySeconds = 86_400;

export const advance = (harness: Harness, days: number): Promise<unknown> =>
  harness.control('POST', '/_twin/clock', { advanceSeconds: days * daySeconds });
