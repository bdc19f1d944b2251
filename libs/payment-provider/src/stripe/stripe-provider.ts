/**
 * The payment provider behind the port, through the official SDK. The SDK encodes requests and knows the endpoints; the
 * meaning of an answer is decided by this library's observation of the exchange and the one table of outcomes, never by
 * the SDK's errors.
 */
import { silentLog, type Log, type Tracing } from '@platform/kernel';
import { effects, type Effect, type ObjectOf } from '../effects';
import type { CallIntent, PreparedCall } from '../port';
import { preparedCall, requestOf } from '../request';
import { decoders } from './decoders';
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
  /** Limits the time until a call is sent, and again the time from then to the last byte of its answer. */
  readonly timeoutMs: number;
  /** Most calls that are at the provider at a time; further ones wait before they are sent. Default 64. */
  readonly connections?: number;
  readonly log?: Log;
  /** Records each call as a step. */
  readonly tracing?: Tracing;
  /** PEM of the authorities to trust instead of Node's own. */
  readonly trustedAuthorities?: string;
}

/** Opens no connection until the first call. */
export function createStripeProvider(options: StripeProviderOptions): StripeProvider {
  const httpClient = createObservingHttpClient(options);
  const sdk = openSdk({ ...options, httpClient });

  const { transmit, read } = createCalls(options.secretKey, options.log ?? silentLog);

  function prepare<E extends Effect>(intent: CallIntent, effect: E): PreparedCall<ObjectOf<E>> {
    const decode = decoders[effects[effect.step].reads] as (answer: unknown) => ObjectOf<E> | undefined;
    return preparedCall(requestOf(intent, effect), ({ description, params }) =>
      transmit(
        description,
        (settings) => sdk.rawRequest(description.method, description.path, params, settings),
        decode,
      ),
    );
  }

  const provider: StripeProvider = {
    prepare,
    ...readCalls(sdk, read),
    close: () => httpClient.close(),
  };
  return options.tracing?.recording ? traceProvider(provider, options.tracing) : provider;
}
