/**
 * The payment provider behind the port, through the official SDK. The SDK encodes and knows the endpoints; what an
 * answer means is decided by our own observation of the exchange and the one table of outcomes, never by its errors.
 */
import { silentLog, type Log, type Tracing } from '@platform/kernel';
import { billingCalls } from './billing-calls';
import { checkoutCalls } from './checkout-calls';
import { creationCalls } from './creation-calls';
import { createCalls } from './observed-calls';
import { createObservingHttpClient } from './observing-http-client';
import { readCalls } from './read-calls';
import { openSdk } from './sdk';
import type { StripeProvider } from './opened-provider';
import { traceProvider } from './trace-provider';

export interface StripeProviderOptions {
  readonly secretKey: string;
  /** Origin of the provider twin; absent for the real provider. */
  readonly apiBase?: string;
  /** Bounds a whole exchange, from the name's resolution to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly log?: Log;
  /** Records each call as a step. */
  readonly tracing?: Tracing;
  /** PEM of the authorities to trust instead of Node's own. */
  readonly trustedAuthorities?: string;
}

/** Opens no connection until the first call. */
export function createStripeProvider(options: StripeProviderOptions): StripeProvider {
  const { trustedAuthorities } = options;
  const httpClient = createObservingHttpClient(trustedAuthorities === undefined ? {} : { trustedAuthorities });
  const sdk = openSdk({ ...options, httpClient });

  const { prepare, read } = createCalls(options.secretKey, options.log ?? silentLog);

  const provider: StripeProvider = {
    ...billingCalls(sdk, prepare),
    ...creationCalls(sdk, prepare),
    ...checkoutCalls(sdk, prepare),
    ...readCalls(sdk, read),
    close: () => httpClient.close(),
  };
  return options.tracing?.recording ? traceProvider(provider, options.tracing) : provider;
}
