/** Calls of the SDK under observation: one request per call, no retries, and an outcome by the table. */
import { assert, failed, succeeded, unknown, type Log, type Outcome } from '@platform/kernel';
import { classify, outcomeOf, type Exchange } from '../outcome-taxonomy';
import type { CallAnswer, CallDescription, CallEvidence } from '../port';
import { createObservation, observeRequest, type Observation } from './observation';
import { decodeError } from './provider-objects';
import type { SdkRequestOptions } from './sdk';

/** Sends the described bytes, and nothing else. */
export type Transmit = <T extends { readonly id: string }>(
  description: CallDescription,
  call: (settings: SdkRequestOptions) => Promise<unknown>,
  decode: (answer: unknown) => T | undefined,
) => Promise<CallAnswer<T>>;

export type Read = <T>(
  call: (settings: SdkRequestOptions) => Promise<unknown>,
  decode: (answer: unknown) => T | undefined,
  /** A refusal of the read itself is an answer, `provider_refused`. */
  refusable?: 'may be refused',
) => Promise<Outcome<T>>;

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

/**
 * Runs one SDK call under observation. The SDK's error is dropped, because the observation is more precise; no decoder
 * finds its object in the absent answer.
 */
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
  return decode(answer);
}

/** The SDK captures a stack per call for errors that are not used here, because the observation is more precise. */
function withoutStack<T>(call: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export function createCalls(secretKey: string, log: Log): { readonly transmit: Transmit; readonly read: Read } {
  /** The options of the SDK for one call: no retries, and the observation of its request. */
  const observed = (observation: Observation): SdkRequestOptions => ({
    maxNetworkRetries: 0,
    authenticator: async ({ headers }) => {
      Object.assign(headers, { Authorization: `Bearer ${secretKey}` });
      observeRequest(headers, observation);
    },
  });

  async function transmit<T extends { readonly id: string }>(
    description: CallDescription,
    call: (settings: SdkRequestOptions) => Promise<unknown>,
    decode: (answer: unknown) => T | undefined,
  ): Promise<CallAnswer<T>> {
    const { step, path, idempotencyKey } = description;
    const observation = createObservation(description);
    const value = await observe(observation, () => call({ ...observed(observation), idempotencyKey }), decode);
    const exchange = exchangeOf(observation, value !== undefined);
    const row = classify(exchange);
    const evidence = evidenceOf(observation, value?.id);
    log.debug({ step, path, idempotencyKey, row: row.id, outcome: row.outcome, ...evidence }, 'provider call');
    return row.outcome === 'succeeded' && value !== undefined
      ? { ...succeeded(value), evidence }
      : { ...outcomeOf(row, exchange), evidence };
  }

  async function read<T>(
    call: (settings: SdkRequestOptions) => Promise<unknown>,
    decode: (answer: unknown) => T | undefined,
    refusable?: 'may be refused',
  ): Promise<Outcome<T>> {
    const observation = createObservation(null);
    const value = await observe(observation, () => call(observed(observation)), decode);
    const exchange = exchangeOf(observation, value !== undefined);
    const row = classify(exchange);
    if (row.outcome === 'succeeded' && value !== undefined) return succeeded(value);
    if (exchange.error?.code === 'resource_missing')
      return failed('not_found', 'the payment provider has no such object');
    if (refusable && row.id === 'invalid_request') return failed('provider_refused', row.what);
    const { outcome: _outcome, ...rest } = outcomeOf(row, exchange);
    return unknown('reason' in rest ? rest.reason : rest.message);
  }
  return { transmit, read };
}
