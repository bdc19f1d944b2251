/**
 * The reference model's state: what the specification allows to be true of operations, subscriptions, the provider and
 * the access messages. It imports no product code, because it judges the product.
 */

import type { AlertEvent, Concern, Creation, CreationEvent, ProviderEvent, ProviderEventEvent } from './further-world';

export type Outcome = 'succeeded' | 'failed' | 'unknown';
export type Transition = 'created' | 'suspended' | 'reactivation_requested';
export type Status = 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'reconciliation_required';

/**
 * A provider call as the operation's record keeps it. Without an outcome, no executor has recorded the call's result.
 */
export interface Call {
  readonly key: string;
  readonly attempt: number;
  readonly outcome?: Outcome;
}

export interface Operation {
  readonly tenant: string;
  readonly lifecycle: Transition | null;
  /** True for a deletion; only a deletion may continue past a deletion marker. */
  readonly deletes: boolean;
  /** Action and values as one text. */
  readonly values: string;
  readonly bornAt: number;
  readonly status: Status;
  readonly attempts: number;
  /** The number of its attempts when it last failed. */
  readonly failedAttempts: number;
  /** The executor of the last attempt may still act. */
  readonly alive: boolean;
  readonly calls: readonly Call[];
  /** When the request that the last attempt serves was received. */
  readonly servedAsk: number | null;
  readonly resolved: boolean;
  /** It goes on without a trial, whatever was reserved for one. */
  readonly forgoes?: boolean;
  /** Another process has ended it by what the provider shows. */
  readonly proven?: boolean;
  /** The final statuses that the record has had, for the theorems. */
  readonly ends: readonly string[];
}

/** What the provider stores for one idempotency key, and what the operation's record keeps for it. */
export interface Key {
  readonly operation: string;
  readonly payload: string;
  readonly calls: number;
  readonly requests: number;
  readonly inFlight: number;
  readonly refused: number;
  readonly effects: number;
  /** Requests that repeated an effect when the provider may have forgotten its key. */
  readonly late: number;
  readonly firstAt: number | null;
}

export interface Workspace {
  readonly access: 'open' | 'closed';
  /** The suspension that closed the workspace; it remains until a reactivation has every receipt. */
  readonly suspendedBy: string | null;
  /** The attempt of that suspension which closed it. */
  readonly suspendedIn: number;
  readonly holder: string | null;
  /** The holder's attempt that took it. */
  readonly heldIn: number;
  readonly deletion: string | null;
}

export interface Message {
  readonly tenant: string;
  readonly transition: Transition;
  /** Consumers that were registered for the message when it was sent. */
  readonly required: readonly string[];
  /** Consumers whose receipt, waiver or skip is recorded. */
  readonly done: readonly string[];
  readonly settled: boolean;
}

export interface World {
  readonly now: number;
  readonly operations: Readonly<Record<string, Operation>>;
  /** When the unanswered requests for each operation were received. */
  readonly asks: Readonly<Record<string, readonly number[]>>;
  readonly keys: Readonly<Record<string, Key>>;
  readonly workspaces: Readonly<Record<string, Workspace>>;
  readonly messages: Readonly<Record<string, Message>>;
  /** The transitions that each consumer is registered for. */
  readonly consumers: Readonly<Record<string, readonly Transition[]>>;
  /** Creations that their marker declares complete. */
  readonly committed: readonly string[];
  readonly creations: Readonly<Record<string, Creation>>;
  /** How often each invoice was paid. */
  readonly payments: Readonly<Record<string, number>>;
  /** Who holds each reservation. */
  readonly reservations: Readonly<Record<string, readonly string[]>>;
  readonly events: Readonly<Record<string, ProviderEvent>>;
  /** What is or was in doubt, by the kind and the id of its record. */
  readonly concerns: Readonly<Record<string, Concern>>;
  /** Events that must never happen, noted when they do; the theorems require that there are none. */
  readonly scars: readonly string[];
}

export type Event = { readonly at: number } & (
  | { readonly kind: 'ask'; readonly operation: string }
  | { readonly kind: 'answer'; readonly operation: string; readonly asked: number }
  | ({ readonly kind: 'intent'; readonly operation: string } & Pick<
      Operation,
      'tenant' | 'lifecycle' | 'deletes' | 'values'
    >)
  /** The identity of a stored intent has changed. */
  | { readonly kind: 'rewrite'; readonly operation: string }
  | { readonly kind: 'attempt'; readonly operation: string }
  | { readonly kind: 'call'; readonly operation: string; readonly key: string; readonly payload: string }
  | { readonly kind: 'outcome'; readonly operation: string; readonly call: number; readonly outcome: Outcome }
  /** A call that was written down is noted as never sent. */
  | { readonly kind: 'withdraw'; readonly operation: string; readonly call: number; readonly key: string }
  | { readonly kind: 'journal'; readonly operation: string; readonly status: Status }
  | { readonly kind: 'resolve'; readonly operation: string; readonly status: 'succeeded' | 'failed' }
  | { readonly kind: 'die'; readonly operation: string }
  | { readonly kind: 'request'; readonly operation: string; readonly key: string; readonly payload: string }
  /** The provider performs the call, refuses it, repeats its earlier answer, or never receives it. */
  | { readonly kind: 'effect' | 'refuse' | 'replay' | 'lose'; readonly key: string }
  | { readonly kind: 'take' | 'clear' | 'mark' | 'unmark'; readonly tenant: string; readonly operation: string }
  | {
      readonly kind: 'access';
      readonly tenant: string;
      readonly state: 'open' | 'closed';
      readonly operation: string | null;
    }
  | { readonly kind: 'commit'; readonly tenant: string }
  | {
      readonly kind: 'announce';
      readonly operation: string;
      readonly tenant: string;
      readonly transition: Transition;
    }
  | { readonly kind: 'deliver'; readonly operation: string; readonly consumer: string }
  /** A recorded receipt, waiver or skip has disappeared. */
  | { readonly kind: 'undeliver'; readonly operation: string; readonly consumer: string }
  | { readonly kind: 'settle'; readonly operation: string }
  | { readonly kind: 'register'; readonly consumer: string; readonly transitions: readonly Transition[] }
  | { readonly kind: 'pass' }
  | CreationEvent
  | ProviderEventEvent
  | AlertEvent
);

export type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

export const newWorkspace: Workspace = {
  ...{ access: 'open', suspendedBy: null, suspendedIn: 0, holder: null, heldIn: 0, deletion: null },
};

export const emptyWorld: World = {
  now: 0,
  operations: {},
  asks: {},
  keys: {},
  workspaces: {},
  messages: {},
  consumers: {},
  committed: [],
  ...{ creations: {}, payments: {}, reservations: {}, events: {}, concerns: {} },
  scars: [],
};

/** Notes what must never happen, once. */
export function noteScar(world: World, text: string): World {
  return world.scars.includes(text) ? world : { ...world, scars: [...world.scars, text].sort() };
}

export const hour = 3_600_000;
/** Specification §8. */
export const retryWindow = 23 * hour;
/** The minimum time for which the provider remembers a key. */
export const keyLife = 24 * hour;

export const ended = (status: Status): boolean => status === 'succeeded' || status === 'failed';

/** Nothing of that attempt goes on: the operation has ended, or it failed in that attempt and a later one goes on. */
export const hasLeft = ({ status, failedAttempts }: Operation, attempt: number): boolean =>
  ended(status) || failedAttempts >= attempt;

export function isOpen({ outcome }: Call): boolean {
  return outcome === undefined || outcome === 'unknown';
}

/** Every required consumer has confirmed, or its exemption is recorded. */
export function isAnswered(message: Message | undefined): boolean {
  return message !== undefined && message.required.every((consumer) => message.done.includes(consumer));
}
