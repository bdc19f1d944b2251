/**
 * What one call did on the network, written down while it happens. It travels through the SDK with the request's own
 * headers, so that concurrent calls on one SDK never mix their evidence; asynchronous context would do the same, but
 * makes every promise of the process dearer.
 */
import type { TransportFailure } from '../outcome-taxonomy';
import type { CallPhase } from '../port';

/** What must be true of the bytes before they are written; null for reads, which carry no intent. */
export interface SendPermit {
  readonly method: string;
  readonly path: string;
  readonly payloadDigest: string;
}

export interface Observation {
  readonly permit: SendPermit | null;
  /** Requests handed to the network; never more than one. */
  attempts: number;
  phase: CallPhase;
  httpStatus?: number;
  requestId?: string;
  transportFailure?: TransportFailure;
  /** The complete body, once read. */
  body?: string;
  /** A bug of ours that was caught before anything was written. */
  broken?: Error;
}

const observed = new WeakMap<object, Observation>();

/** Marks the headers of a request as those of an observed call. */
export function observeRequest(headers: object, observation: Observation): void {
  observed.set(headers, observation);
}

/** The observation of the call that these headers belong to; undefined for a request outside of a call. */
export function observationOf(headers: object): Observation | undefined {
  return observed.get(headers);
}

/** Nothing observed yet. */
export function createObservation(permit: SendPermit | null): Observation {
  return { permit, attempts: 0, phase: 'not_connected' };
}
