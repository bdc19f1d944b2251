/**
 * The running half of an action: pure decisions and lists of effects. Its public half, with the name, the address, the
 * order of its refusals and whether it moves money, is in `@platform/contracts-operator/actions` and types this one.
 */
import type { LifecycleTransition } from '@platform/contracts-lifecycle-delivery';
import type { KnownContract, OperationAction, OwnRefusal, Refusal } from '@platform/contracts-operator';
import type { ProviderChangePreview, ProviderPrice, SchedulePhase, ValuesOf } from '@platform/payment-provider/effects';
import type { Effect, EffectAnswer, ProviderStep } from '../effects';
import type { AwaitedPayment, Operation, OperationValues } from '../operation';
import type { Plan } from '../../../catalogue/domain/plan';
import { statusOfProvider } from '../../../mirror/domain/mirror-provider';
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';

/** What preconditions and checkpoints are judged by. Plans are read only for actions that ask for them. */
export interface ActionContext {
  readonly subscription: Subscription;
  readonly values: OperationValues;
  /** The plan that the workspace is on, or null when the catalog has none under that id. */
  readonly plan: Plan | null;
  /** The plan that the request names, or null. */
  readonly target: Plan | null;
  /**
   * What the provider says of the subscription just now, for actions that ask; null when they do not or there is none.
   */
  readonly atProvider: AtProvider | 'unavailable' | null;
  /** The price of the plan that the request names, at the provider, for actions that ask; null when they do not. */
  readonly targetPrice: ProviderPrice | 'unavailable' | 'missing' | null;
  /**
   * The change that waits for its person, for actions that ask: null when there is none, undefined when it was not
   * looked up.
   */
  readonly held: (AwaitedPayment & { readonly operationId: string }) | null | undefined;
  /**
   * The invoice that the action would have made now, or from the instant of the preview that it was decided on; absent
   * for an action that charges nothing and for a request that names no preview.
   */
  readonly charge?: ProviderChangePreview | 'unavailable';
}

/**
 * The subscription, the schedule that manages it, its running phase and the one that is to follow; null where there is
 * none.
 */
export interface AtProvider {
  readonly status: string;
  readonly priceId: string;
  readonly quantity: number;
  readonly scheduleId: string | null;
  readonly running: SchedulePhase | null;
  readonly upcoming: SchedulePhase | null;
}

/** An effect, or one that depends on what the earlier ones answered. */
export type EffectStep =
  | Effect
  /** Null where the earlier answers leave nothing to do. */
  | { readonly step: Effect['step']; readonly from: (answers: readonly EffectAnswer[]) => Effect | null };

/** What effects are made from: fixed by the first attempt, so that every retry sends the same payload. */
type EffectInput = Pick<Operation, '_id' | 'values' | 'checkpoint'>;

/** What performs an attempt in place of a list of effects; the composition root supplies it. */
export type AttemptStarter = 'checkout_session';

/** What follows a recorded success; the composition root supplies it. */
export type SuccessFollower = 'end_of_checkout' | 'end_of_payment';

/** Whether a code refuses: true for its standard message, a string for a specific one. */
type Judgement = (context: ActionContext) => boolean | string;

export interface ActionRun<Action extends OperationAction = OperationAction> {
  /** The steps in order, in words, for the table of docs/workflows.md. */
  readonly inOrder: string;
  /**
   * The answers of other services that the action waits for; null when none. A transition: the lifecycle message that
   * required consumers receipt. `deletion`: the marking of the tenant, and the calls of the deletion listeners.
   */
  readonly announces: LifecycleTransition | 'deletion' | null;
  /** Whether preconditions and checkpoints look at the catalog. */
  readonly readsPlans: boolean;
  /**
   * Whether the provider's subscription is read first: an earlier failure may have left a schedule that no mirror
   * shows.
   */
  readonly readsProvider?: boolean;
  /** Whether the operation that waits for a payment is read. */
  readonly readsHeld?: boolean;
  /** Whether the price of the target plan is read at the provider. */
  readonly readsPrice?: boolean;
  /** Absent: the effects below are performed one after the other. */
  readonly startedWith?: AttemptStarter;
  /**
   * What a success triggers at once, again when the same request is repeated. It would happen later anyway, so the
   * outcome does not depend on it.
   */
  readonly followedBy?: SuccessFollower;
  /** A judgement for each refusal of the public half, which has their order. */
  readonly refuses: { readonly [Code in OwnRefusal<Action>]: Judgement };
  /** The change of price whose invoice the provider previews; null when there is none to preview. */
  charges?(context: ActionContext): ValuesOf<'change_price'> | null;
  /** Provider identities to fix at the first attempt, so that a retry sends the same payload. */
  checkpoint?(context: ActionContext): Readonly<Record<string, string>>;
  /** What of an answer is fixed as well, so that a retry goes on from there. */
  fixes?(answer: EffectAnswer): Readonly<Record<string, string>> | undefined;
  /** Changes that must be durable before any effect, written with the transition. */
  onAdmitted?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** Steps that only prepare the action: their effect does not decide its outcome. */
  readonly makesWay?: readonly ProviderStep[];
  /** Effects before the lifecycle message (or the only ones). */
  effects(subscription: Subscription, operation: EffectInput): readonly EffectStep[];
  /** Effects after every receipt is durable. */
  effectsAfterReceipts?(subscription: Subscription, operation: EffectInput): readonly EffectStep[];
  /** What to mirror once the effects are done, while the transition still exists. */
  mirrored?(
    subscription: Subscription,
    operation: Operation,
    answers: readonly EffectAnswer[],
    now: Date,
  ): SubscriptionPatch;
  /**
   * What the clearing write changes when an investigation recorded `applied`, beyond `onCleared`: decisions of the
   * platform's own. What the provider holds is read from the provider by the refresh that every resolution requests.
   */
  onResolved?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** What the clearing write changes after success. */
  onCleared?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** What the clearing write takes back after a proven failure. */
  onAbandoned?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** The result that the journal keeps; safe to show. */
  result(
    subscription: Subscription,
    operation: Operation,
    answers: readonly EffectAnswer[],
  ): Readonly<Record<string, unknown>>;
}

/** Both halves of an action under its name. */
export interface ActionDefinition extends KnownContract, Omit<ActionRun, 'refuses'> {
  readonly action: OperationAction;
  /** Preconditions beyond the fences, in the order of the public half; the first that refuses, or null. */
  precondition(context: ActionContext): Refusal | null;
}

/** The answer of a step, if it was performed and not skipped. */
export function answerOfStep(answers: readonly EffectAnswer[], step: string): EffectAnswer | undefined {
  return answers.find((answer) => answer.step === step);
}

/** What the provider says of the subscription; undefined when it was not asked or could not answer. */
export function providerState({ atProvider }: ActionContext): AtProvider | undefined {
  return atProvider === 'unavailable' || atProvider === null ? undefined : atProvider;
}

/** Whether the provider shows that the subscription has ended; false when it was not asked or could not answer. */
export function endedAtProvider(context: ActionContext): boolean {
  return statusOfProvider[providerState(context)?.status ?? ''] === 'cancelled';
}

/** A subscription that is cancelled or ends with its period, as the mirror or the provider has it. */
export function isEnding(context: ActionContext): boolean {
  const { cancelsAt, status } = context.subscription;
  return cancelsAt !== undefined || status === 'cancelled' || endedAtProvider(context);
}
