/**
 * The reference model's state: what the specification lets be true of operations, subscriptions, the provider and the
 * messages about access. It imports nothing of the product; it is what the product is judged by.
 */

export type Outcome = 'succeeded' | 'failed' | 'unknown';
export type Transition = 'created' | 'suspended' | 'reactivation_requested';
export type Status = 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'reconciliation_required';

/** A provider call as the operation's record keeps it; without an outcome no executor has written what came of it. */
export interface Call {
  readonly key: string;
  readonly attempt: number;
  readonly outcome?: Outcome;
}

export interface Operation {
  readonly tenant: string;
  readonly lifecycle: Transition | null;
  /** Only a deletion passes a deletion marker. */
  readonly deletes: boolean;
  /** Action and values, in one text. */
  readonly values: string;
  readonly bornAt: number;
  readonly status: Status;
  readonly attempts: number;
  /** The executor of the last attempt may still act. */
  readonly alive: boolean;
  readonly calls: readonly Call[];
  /** When the request came in that the last attempt serves. */
  readonly servedAsk: number | null;
  readonly resolved: boolean;
  /** Final statuses that the record has had, for the theorems. */
  readonly ends: readonly string[];
}

/** What the provider knows of one idempotency key, and what was written down for it. */
export interface Key {
  readonly operation: string;
  readonly payload: string;
  readonly calls: number;
  readonly requests: number;
  readonly inFlight: number;
  readonly refused: number;
  readonly effects: number;
  /** Requests for what had taken effect, sent when the provider may have forgotten it. */
  readonly late: number;
  readonly firstAt: number | null;
}

export interface Workspace {
  readonly access: 'open' | 'closed';
  /** The suspension that has closed it, until a reactivation has every receipt. */
  readonly suspendedBy: string | null;
  readonly holder: string | null;
  readonly deletion: string | null;
}

export interface Message {
  readonly tenant: string;
  readonly transition: Transition;
  /** Consumers that were registered for it when it left. */
  readonly required: readonly string[];
  /** Consumers whose receipt, waiver or skip is on record. */
  readonly done: readonly string[];
  readonly settled: boolean;
}

export interface World {
  readonly now: number;
  readonly operations: Readonly<Record<string, Operation>>;
  /** When those requests for an operation came in that have no answer yet. */
  readonly asks: Readonly<Record<string, readonly number[]>>;
  readonly keys: Readonly<Record<string, Key>>;
  readonly workspaces: Readonly<Record<string, Workspace>>;
  readonly messages: Readonly<Record<string, Message>>;
  /** Transitions for which each consumer is registered. */
  readonly consumers: Readonly<Record<string, readonly Transition[]>>;
  /** Creations whose marker says that they are complete. */
  readonly committed: readonly string[];
  /** What must never have happened, noted when it does: the theorems ask for it. */
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
  /** The provider does it, refuses it, answers as it did before, or never gets it. */
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
  /** A receipt, a waiver or a skip that was on record is gone. */
  | { readonly kind: 'undeliver'; readonly operation: string; readonly consumer: string }
  | { readonly kind: 'settle'; readonly operation: string }
  | { readonly kind: 'register'; readonly consumer: string; readonly transitions: readonly Transition[] }
  | { readonly kind: 'pass' }
);

export type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

export const newWorkspace: Workspace = { access: 'open', suspendedBy: null, holder: null, deletion: null };

export const emptyWorld: World = {
  now: 0,
  operations: {},
  asks: {},
  keys: {},
  workspaces: {},
  messages: {},
  consumers: {},
  committed: [],
  scars: [],
};

export const hour = 3_600_000;
/** Specification §8. */
export const retryWindow = 23 * hour;
/** The least time for which the provider knows a key. */
export const keyLife = 24 * hour;

export const ended = (status: Status): boolean => status === 'succeeded' || status === 'failed';

export function isOpen({ outcome }: Call): boolean {
  return outcome === undefined || outcome === 'unknown';
}

/** Every consumer that had to answer has, or it is on record that it need not. */
export function isAnswered(message: Message | undefined): boolean {
  return message !== undefined && message.required.every((consumer) => message.done.includes(consumer));
}
