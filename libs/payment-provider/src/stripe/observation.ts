/**
 * What one call did on the network, written down while it happens. It travels with the call through the SDK
 * (asynchronous context), so that concurrent calls on one SDK never mix their evidence.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
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

export const currentObservation = new AsyncLocalStorage<Observation>();

/** Nothing observed yet. */
export function createObservation(permit: SendPermit | null): Observation {
  return { permit, attempts: 0, phase: 'not_connected' };
}
