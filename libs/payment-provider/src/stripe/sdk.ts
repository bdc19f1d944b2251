/** The only import of the SDK. Its retries, telemetry and own HTTP client are all off; see the observing client. */
import Stripe from 'stripe';

/** A newer SDK does not compile until its version has been compared with this one, here and in the twin. */
export const providerApiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';

export type StripeSdk = Stripe;
export type SdkHttpClient = NonNullable<Stripe.StripeConfig['httpClient']>;
export type SdkHttpResponse = Awaited<ReturnType<SdkHttpClient['makeRequest']>>;
export type SdkRequestOptions = Stripe.RequestOptions;

/** The parameters of the endpoints that the effects use, so that a wrong one does not compile. */
export interface SdkParams {
  readonly subscriptionUpdate: Stripe.SubscriptionUpdateParams;
  readonly subscriptionCreate: Stripe.SubscriptionCreateParams;
  readonly scheduleCreate: Stripe.SubscriptionScheduleCreateParams;
  readonly scheduleUpdate: Stripe.SubscriptionScheduleUpdateParams;
  readonly balanceTransactionCreate: Stripe.CustomerCreateBalanceTransactionParams;
  readonly customerCreate: Stripe.CustomerCreateParams;
  readonly customerUpdate: Stripe.CustomerUpdateParams;
  readonly paymentMethodAttach: Stripe.PaymentMethodAttachParams;
  readonly checkoutSessionCreate: Stripe.Checkout.SessionCreateParams;
}

export interface SdkOptions {
  readonly secretKey: string;
  /** Origin of another server with the provider's interface (the twin); absent for the real provider. */
  readonly apiBase?: string;
  readonly timeoutMs: number;
  /** Absent: the SDK's own client, for requests that are not calls of the platform. */
  readonly httpClient?: SdkHttpClient;
}

/** A client of the account of `secretKey`; opens no connection. */
export function openSdk({ secretKey, apiBase, timeoutMs, httpClient }: SdkOptions): StripeSdk {
  const base = apiBase === undefined ? undefined : new URL(apiBase);
  const secure = base === undefined || base.protocol === 'https:';
  return new Stripe(secretKey, {
    apiVersion: providerApiVersion,
    ...(httpClient && { httpClient }),
    timeout: timeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    ...(base && {
      host: base.hostname.replace(/[[\]]/g, ''),
      port: base.port === '' ? (secure ? 443 : 80) : Number(base.port),
      protocol: secure ? 'https' : 'http',
    }),
  });
}

/** The SDK's webhook verification; it needs no client and no key of the account. */
export const sdkWebhooks = Stripe.webhooks;

/** True for a signature that does not match, false for a payload that cannot be parsed. */
export function isSignatureError(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeSignatureVerificationError;
}
