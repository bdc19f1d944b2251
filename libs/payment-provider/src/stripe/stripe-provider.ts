/**
 * The payment provider behind the port, through the official SDK. The SDK encodes and knows the endpoints; what an
 * answer means is decided by our own observation of the exchange and the one table of outcomes, never by its errors.
 */
import { assert, failed, silentLog, succeeded, unknown, type Log, type Outcome, type Tracing } from '@platform/kernel';
import { classify, outcomeOf, type Exchange } from '../outcome-taxonomy';
import type { CallAnswer, CallEvidence, PaymentProvider, PreparedCall } from '../port';
import {
  balanceTransactionRequest,
  cancelAtPeriodEndRequest,
  cancelNowRequest,
  changePriceRequest,
  createScheduleRequest,
  pathId,
  pauseCollectionRequest,
  previewPriceChangeQuestion,
  releaseScheduleRequest,
  resumeCollectionRequest,
  schedulePriceRequest,
  type MutationRequest,
} from '../requests';
import { checkoutCalls, decodeCheckoutSession } from './checkout-calls';
import { creationCalls, type Prepare } from './creation-calls';
import { decodeChangePreview, decodeInvoice, decodePaymentMethod } from './creation-objects';
import { createObservation, observeRequest, type Observation } from './observation';
import { createObservingHttpClient } from './observing-http-client';
import {
  decodeBalanceTransaction,
  decodeCustomer,
  decodeError,
  decodeList,
  decodeSchedule,
  decodeSubscription,
} from './provider-objects';
import { openSdk, type SdkRequestOptions, type StripeSdk } from './sdk';
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

export interface StripeProvider extends PaymentProvider {
  /** Closes idle connections. */
  close(): void;
}

const listLimit = 100;

function exchangeOf(observation: Observation, decoded: boolean): Exchange {
  const error = decodeError(observation.body);
  return {
    phase: observation.phase,
    decoded,
    ...(observation.transportFailure && { transportFailure: observation.transportFailure }),
    ...(observation.httpStatus !== undefined && { httpStatus: observation.httpStatus }),
    ...(error && { error }),
  };
}

function evidenceOf(observation: Observation, objectId: string | undefined): CallEvidence {
  return {
    phase: observation.phase,
    ...(observation.requestId !== undefined && { requestId: observation.requestId }),
    ...(observation.httpStatus !== undefined && { httpStatus: observation.httpStatus }),
    ...(objectId !== undefined && { objectId }),
  };
}

/** Runs one SDK call under observation; what the SDK throws is dropped, because the observation says it better. */
async function observe<T>(
  observation: Observation,
  call: () => Promise<unknown>,
  decode: (answer: unknown) => T | undefined,
): Promise<T | undefined> {
  let answer: unknown;
  let thrown: unknown;
  try {
    answer = await withoutStack(call);
  } catch (error) {
    thrown = error;
  }
  if (observation.broken) throw observation.broken;
  assert(observation.attempts === 1, `the SDK sent nothing: ${thrown instanceof Error ? thrown.name : 'no error'}`);
  return thrown === undefined ? decode(answer) : undefined;
}

/** The SDK captures a stack per call for errors that nobody reads here, since the observation says it better. */
function withoutStack<T>(call: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function mutationsOf(sdk: StripeSdk, prepare: Prepare) {
  return {
    pauseCollection: (intent, subscriptionId) => {
      const request = pauseCollectionRequest(intent, subscriptionId);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    resumeCollection: (intent, subscriptionId) => {
      const request = resumeCollectionRequest(intent, subscriptionId);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    changePrice: (intent, change) => {
      const request = changePriceRequest(intent, change);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(change.subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    cancelAtPeriodEnd: (intent, subscriptionId) => {
      const request = cancelAtPeriodEndRequest(intent, subscriptionId);
      return prepare(
        request,
        (settings) => sdk.subscriptions.update(subscriptionId, request.body, settings),
        decodeSubscription,
      );
    },
    cancelNow: (intent, subscriptionId) =>
      prepare(
        cancelNowRequest(intent, subscriptionId),
        (settings) => sdk.subscriptions.cancel(subscriptionId, {}, settings),
        decodeSubscription,
      ),
    createSchedule: (intent, subscriptionId) => {
      const request = createScheduleRequest(intent, subscriptionId);
      return prepare(request, (settings) => sdk.subscriptionSchedules.create(request.body, settings), decodeSchedule);
    },
    schedulePrice: (intent, change) => {
      const request = schedulePriceRequest(intent, change);
      return prepare(
        request,
        (settings) => sdk.subscriptionSchedules.update(change.scheduleId, request.body, settings),
        decodeSchedule,
      );
    },
    releaseSchedule: (intent, scheduleId) =>
      prepare(
        releaseScheduleRequest(intent, scheduleId),
        (settings) => sdk.subscriptionSchedules.release(scheduleId, {}, settings),
        decodeSchedule,
      ),
    createBalanceTransaction: (intent, transaction) => {
      const request = balanceTransactionRequest(intent, transaction);
      return prepare(
        request,
        (settings) => sdk.customers.createBalanceTransaction(transaction.customerId, request.body, settings),
        decodeBalanceTransaction,
      );
    },
  } satisfies Partial<PaymentProvider>;
}

/** Opens no connection until the first call. */
export function createStripeProvider(options: StripeProviderOptions): StripeProvider {
  const { log = silentLog, trustedAuthorities } = options;
  const httpClient = createObservingHttpClient(trustedAuthorities === undefined ? {} : { trustedAuthorities });
  const sdk = openSdk({ ...options, httpClient });

  /** What the SDK is told for one call: no retries, and whose evidence its request is. */
  const observed = (observation: Observation): SdkRequestOptions => ({
    maxNetworkRetries: 0,
    authenticator: async ({ headers }) => {
      Object.assign(headers, { Authorization: `Bearer ${options.secretKey}` });
      observeRequest(headers, observation);
    },
  });

  function prepare<T extends { readonly id: string }>(
    { description }: MutationRequest,
    call: (settings: SdkRequestOptions) => Promise<unknown>,
    decode: (answer: unknown) => T | undefined,
  ): PreparedCall<T> {
    let sent = false;
    return {
      description,
      send: async (): Promise<CallAnswer<T>> => {
        assert(!sent, `call ${description.idempotencyKey} was already sent`);
        sent = true;
        const observation = createObservation(description);
        const value = await observe(
          observation,
          () => call({ ...observed(observation), idempotencyKey: description.idempotencyKey }),
          decode,
        );
        const exchange = exchangeOf(observation, value !== undefined);
        const row = classify(exchange);
        const evidence = evidenceOf(observation, value?.id);
        log.debug(
          {
            step: description.step,
            path: description.path,
            idempotencyKey: description.idempotencyKey,
            row: row.id,
            outcome: row.outcome,
            ...evidence,
          },
          'provider call',
        );
        return row.outcome === 'succeeded' && value !== undefined
          ? { ...succeeded(value), evidence }
          : { ...outcomeOf(row, exchange), evidence };
      },
    };
  }

  async function read<T>(
    call: (settings: SdkRequestOptions) => Promise<unknown>,
    decode: (answer: unknown) => T | undefined,
  ): Promise<Outcome<T>> {
    const observation = createObservation(null);
    const value = await observe(observation, () => call(observed(observation)), decode);
    const exchange = exchangeOf(observation, value !== undefined);
    const row = classify(exchange);
    if (row.outcome === 'succeeded' && value !== undefined) return succeeded(value);
    if (exchange.error?.code === 'resource_missing')
      return failed('not_found', 'the payment provider has no such object');
    const { outcome: _outcome, ...rest } = outcomeOf(row, exchange);
    return unknown('reason' in rest ? rest.reason : rest.message);
  }

  const provider: StripeProvider = {
    ...mutationsOf(sdk, prepare),
    ...creationCalls(sdk, prepare),
    retrieveCustomer: (id) => read((settings) => sdk.customers.retrieve(pathId(id), {}, settings), decodeCustomer),
    retrieveSubscription: (id) =>
      read((settings) => sdk.subscriptions.retrieve(pathId(id), {}, settings), decodeSubscription),
    retrievePaymentMethod: (id) =>
      read((settings) => sdk.paymentMethods.retrieve(pathId(id), {}, settings), decodePaymentMethod),
    retrieveInvoice: (id) => read((settings) => sdk.invoices.retrieve(pathId(id), {}, settings), decodeInvoice),
    previewPriceChange: (change) =>
      read(
        (settings) => sdk.invoices.createPreview(previewPriceChangeQuestion(change), settings),
        (answer) => decodeChangePreview(change.subscriptionId, answer),
      ),
    listBalanceTransactions: (id) =>
      read(
        async (settings) => sdk.customers.listBalanceTransactions(pathId(id), { limit: listLimit }, settings),
        (page) => decodeList(page, decodeBalanceTransaction),
      ),
    listSubscriptions: (id) =>
      read(
        async (settings) => sdk.subscriptions.list({ customer: pathId(id), status: 'all', limit: listLimit }, settings),
        (page) => decodeList(page, decodeSubscription),
      ),
    listSchedules: (id) =>
      read(
        async (settings) => sdk.subscriptionSchedules.list({ customer: pathId(id), limit: listLimit }, settings),
        (page) => decodeList(page, decodeSchedule),
      ),
    ...checkoutCalls(sdk, prepare),
    retrieveCheckoutSession: (id) =>
      read(
        (settings) => sdk.checkout.sessions.retrieve(pathId(id), { expand: ['subscription'] }, settings),
        decodeCheckoutSession,
      ),
    close: () => httpClient.close(),
  };
  return options.tracing?.recording ? traceProvider(provider, options.tracing) : provider;
}
