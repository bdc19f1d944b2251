/**
 * Creations, provider events and doubts in the reference model's state, and the events that change them. It imports
 * nothing, so that the state and its rules can both import it.
 */

export interface Concern {
  /** The outcome of the creation is unknown now. */
  readonly open: boolean;
  readonly told: boolean;
}

export type AlertEvent =
  /** `doubt`: a record has stopped, or is in progress without a living executor, so its outcome is unknown. */
  | { readonly kind: 'doubt' | 'settled_doubt' | 'alert'; readonly about: string }
  /** All parts work again, every sweep has run once, and nothing changes any more. */
  | { readonly kind: 'rest' };

export type MarkerState = 'absent' | 'preparing' | 'awaiting_payment' | 'committed' | 'cancelled';

export interface Creation {
  readonly marker: MarkerState;
  /** No running code commits it any more. */
  readonly closed: boolean;
  /** Rows, billing records and every listener are done. */
  readonly prepared: boolean;
  /** Its first invoice is paid or free. */
  readonly free: boolean;
  readonly invoice: string | null;
  /** What must be reserved before anything is sent. */
  readonly needs: readonly string[];
}

export type CreationEvent =
  | { readonly kind: 'need'; readonly tenant: string; readonly reservations: readonly string[] }
  | { readonly kind: 'prepare'; readonly tenant: string; readonly invoice: string | null; readonly free: boolean }
  | {
      readonly kind: 'marker';
      readonly tenant: string;
      readonly state: MarkerState;
      readonly closed: boolean;
      /** A person has decided it. */
      readonly person: boolean;
    }
  /** Money was taken for an invoice. */
  | { readonly kind: 'pay'; readonly invoice: string }
  /** An end that another process has proof of: the executor has not written what came of its calls. */
  | { readonly kind: 'prove'; readonly operation: string; readonly status: 'succeeded' | 'failed' }
  /** The provider shows that what an open call was to do is done. */
  | { readonly kind: 'shown'; readonly operation: string }
  /** An operation is to go on without a trial; a request for one may still be under way. */
  | { readonly kind: 'forgo'; readonly operation: string }
  | { readonly kind: 'hold' | 'release'; readonly reservation: string; readonly holder: string };

export type EventOutcome = 'success' | 'skipped' | 'failed' | 'unknown';
export type EventResult = 'absent' | 'pending' | 'success' | 'skipped' | 'reconciliation_required';

export interface ProviderEvent {
  readonly result: EventResult;
  /** The executor that its owner has admitted. */
  readonly executor: string | null;
  /** How often its handler has ended, in that executor or another process. */
  readonly runs: number;
  /** The outcome in the owner's record. */
  readonly outcome: EventOutcome | null;
  /** A person has decided it. */
  readonly resolved: boolean;
}

export type ProviderEventEvent =
  | { readonly kind: 'receive'; readonly event: string; readonly result: 'pending' | 'skipped' }
  | { readonly kind: 'admit'; readonly event: string; readonly executor: string }
  /** A process tells what came of an event; `run`: because its handler has come to an end. */
  | {
      readonly kind: 'say';
      readonly event: string;
      readonly by: string;
      readonly outcome: EventOutcome;
      readonly run: boolean;
    }
  | { readonly kind: 'conclude'; readonly event: string; readonly outcome: EventOutcome; readonly person: boolean }
  | {
      readonly kind: 'complete';
      readonly event: string;
      readonly result: Exclude<EventResult, 'absent' | 'pending'>;
      readonly person: boolean;
    }
  /** The provider was answered as for an event that needs no further delivery. */
  | { readonly kind: 'thank'; readonly event: string };
