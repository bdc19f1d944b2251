/**
 * The ports of the operator's workflows. The composition root supplies them; the crash sweep injects faults into them.
 */
import type { Clock, Executor, Log, OutboxEntry } from '@platform/kernel';
import type { WorkRegister } from '@platform/durable/executors';
import type { CheckedCollection, KeyedMutex, RetryPolicy } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { FirstRequestLimits } from '@platform/contracts-operator';
import type { AttemptStarter, SuccessFollower } from '../domain/actions';
import type { CreditAllowance, CreditDayLimits } from '../domain/credit-allowance';
import type {
  CreditApproval,
  Operation,
  OperationRequest,
  RunningOperation,
  SucceededOperation,
} from '../domain/operation';
import type { Plan } from '../../catalogue/domain/plan';
import type { MirrorRefresh } from '../../mirror/domain/mirror-refresh';
import type { Subscription } from '../../mirror/domain/subscription';
import type { KnownWorkspaces } from './known-workspaces';
import type { OperationAnswer } from './operation-answer';

/**
 * Wakes callers that wait for an operation in this process; an outcome of another replica is read at the end of the
 * wait.
 */
export interface OutcomeNotifier {
  notify(operation: Operation): void;
  /** Calls back at the next notification of this operation; the returned function stops listening. */
  listen(operationId: string, heard: (operation: Operation) => void): () => void;
}

/** Counts outcomes of operations and calls; labels have few values, never an id. */
export interface Meter {
  operationReached(action: string, status: string): void;
  providerAnswered(step: string, outcome: string): void;
}

/**
 * `uncertain`: the request may have been executed, so the trial may be reserved. `not_asked`: proven that no process
 * received it.
 */
export type TrialDecision =
  | {
      readonly kind: 'decided';
      readonly days: number;
      /** For a trial that was already sold: another operation has had a trial with the same card. */
      readonly held?: boolean;
    }
  | { readonly kind: 'uncertain' }
  | { readonly kind: 'not_asked' };

/** The daily credit limits of people, and what they have used. */
export interface CreditLimitPorts {
  readonly allowances: RevisionedCollection<CreditAllowance>;
  readonly perDay: CreditDayLimits;
  /** The approval of a second person for this very request; absent where nothing can be signed. */
  readonly approvalOf?: (
    request: Pick<OperationRequest, 'operationId' | 'tenantId' | 'action' | 'values'>,
    /** Of the workspace's plan now, which may differ from the one that was approved. */
    currency: string,
  ) => Promise<CreditApproval | null>;
}

export interface OperatorPorts {
  readonly operations: CheckedCollection<Operation>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly plans: RevisionedCollection<Plan>;
  readonly refreshes: RevisionedCollection<MirrorRefresh>;
  readonly provider: PaymentProvider;
  /** The database's clock, for the retry window. */
  readonly databaseNow: () => Promise<Date>;
  readonly clock: Clock;
  readonly executor: Executor;
  /** Publishes fresh outbox rows at once; the sweep covers what this misses. */
  readonly publishNow: (operationId: string, entries: readonly OutboxEntry[]) => void;
  readonly notifier: OutcomeNotifier;
  readonly limits: FirstRequestLimits;
  /** Whether the provider has an effect of this operation although no record of it exists; absent: not asked. */
  readonly lostEffect?: (operationId: string) => Promise<boolean>;
  /** Customers that checkouts of the workspace made at the provider and that the records lack; absent: not asked. */
  readonly lostCustomers?: (tenantId: string) => Promise<readonly string[]>;
  /** Absent: only the limit of a single credit applies. */
  readonly creditLimits?: CreditLimitPorts;
  /** What performs an attempt of the actions that do not list their effects beforehand. */
  readonly starters: Readonly<
    Record<AttemptStarter, (ports: OperatorPorts, running: RunningOperation) => Promise<OperationAnswer>>
  >;
  /** What follows the success of an action; never fails. */
  readonly followers: Readonly<
    Record<SuccessFollower, (ports: OperatorPorts, succeeded: SucceededOperation) => Promise<void>>
  >;
  /** Asks provisioning for a trial; absent: no trials are offered. */
  readonly reserveTrial?: (request: {
    readonly tenantId: string;
    readonly operationId: string;
    readonly email: string;
    /** Fingerprints of every card that is known at that moment. */
    readonly cardFingerprints: readonly string[];
    /**
     * Set when a page has sold the trial: these cards are bound to it as well, unless another operation holds one of
     * them.
     */
    readonly begun?: true;
  }) => Promise<TrialDecision>;
  readonly retryPolicy: RetryPolicy;
  /** The work of this process; an attempt runs inside it. */
  readonly work: WorkRegister;
  /** First attempts of one operation in this process. */
  readonly mutex: KeyedMutex;
  /** Which workspaces this process has met, and on which plan. */
  readonly known: KnownWorkspaces;
  readonly meter: Meter;
  readonly log: Log;
}
