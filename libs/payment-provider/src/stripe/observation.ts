/**
 * What one call did on the network, recorded while it happens. It is passed through the SDK with the request's own
 * headers, so concurrent calls on one SDK never mix their evidence; asynchronous context would do the same, but makes
 * every promise of the process slower.
 */
import type { TransportFailure } from '../outcome-taxonomy';
import type { CallPhase } from '../port';

/** What must be true of the bytes before they are written; null for reads, which have no intent. */
export interface SendPermit {
  readonly method: string;
  readonly path: string;
  readonly payloadDigest: string;
}

export interface Observation {
  readonly permit: SendPermit | null;
  /** Requests passed to the network; never more than one. */
  attempts: number;
  phase: CallPhase;
  httpStatus?: number;
  requestId?: string;
  transportFailure?: TransportFailure;
  /** The complete body, after it was read. */
  body?: string;
  /** An error of this library that was caught before anything was written. */
  broken?: Error;
}

const observed = new WeakMap<object, Observation>();

/** Marks the headers of a request as those of an observed call. */
export function observeRequest(headers: object, observation: Observation): void {
  observed.set(headers, observation);
}

/** The observation of the call with these headers; undefined for a request outside of a call. */
export function observationOf(headers: object): Observation | undefined {
  return observed.get(headers);
}

/** An observation without content. */
export function createObservation(permit: SendPermit | null): Observation {
  return { permit, attempts: 0, phase: 'not_connected' };
}
