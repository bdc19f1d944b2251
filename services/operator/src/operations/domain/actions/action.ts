/**
 * The implementation half of an action: pure decisions and lists of effects. The public half is in
 * `@platform/contracts-operator/actions`; it holds the name, the address, the order of the refusals and whether the
 * action moves money, and it determines the types here.
 */
import type { LifecycleTransition } from '@platform/contracts-lifecycle-delivery';
import type { KnownContract, OperationAction, OwnRefusal, Refusal } from '@platform/contracts-operator';
import type { ProviderChangePreview, ProviderPrice, SchedulePhase, ValuesOf } from '@platform/payment-provider/effects';
import type { Effect, EffectAnswer, ProviderStep } from '../effects';
import type { AwaitedPayment, Operation, OperationValues } from '../operation';
import type { Plan } from '../../../catalogue/domain/plan';
import { statusOfProvider } from '../../../mirror/domain/mirror-provider';
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';

/** The input of preconditions and checkpoints. Plans are read only for actions that request them. */
export interface ActionContext {
  readonly subscription: Subscription;
  readonly values: OperationValues;
  /** The plan that the workspace is on, or null when the catalog has none under that id. */
  readonly plan: Plan | null;
  /** The plan that the request names, or null. */
  readonly target: Plan | null;
  /**
   * The provider's current state of the subscription, for actions that request it; null for others, and when there is
   * no subscription.
   */
  readonly atProvider: AtProvider | 'unavailable' | null;
  /** The provider's price of the plan that the request names, for actions that request it; null for others. */
  readonly targetPrice: ProviderPrice | 'unavailable' | 'missing' | null;
  /**
   * The change that waits for a person's payment, for actions that request it: null when there is none, undefined when
   * it was not looked up.
   */
  readonly held: (AwaitedPayment & { readonly operationId: string }) | null | undefined;
  /**
   * The invoice that the action would cause now, or from the instant of the preview that the request names. Absent for
   * an action that charges nothing and for a request that names no preview.
   */
  readonly charge?: ProviderChangePreview | 'unavailable';
}

/** The subscription, the schedule that manages it, its current phase and the next one; null where there is none. */
export interface AtProvider {
  readonly status: string;
  /** The price and the quantity of the mirrored item. */
  readonly priceId: string;
  readonly quantity: number;
  /** Whether it has other items beside that one; absent: it has none. */
  readonly sellsMore?: boolean;
  /** Whether it is to end, with its period or on a date. */
  readonly ending: boolean;
  readonly scheduleId: string | null;
  readonly running: SchedulePhase | null;
  readonly upcoming: SchedulePhase | null;
}

/** An effect, or a function that makes it from the answers of the earlier ones. */
export type EffectStep =
  | Effect
  /** Null when the earlier answers leave nothing to do. */
  | { readonly step: Effect['step']; readonly from: (answers: readonly EffectAnswer[]) => Effect | null };

/** The input from which effects are made. The first attempt fixes it, so every retry sends the same payload. */
type EffectInput = Pick<Operation, '_id' | 'values' | 'checkpoint'>;

/** What performs an attempt that has no list of effects; the composition root supplies it. */
export type AttemptStarter = 'checkout_session';

/** What follows a recorded success; the composition root supplies it. */
export type SuccessFollower = 'end_of_checkout' | 'end_of_payment';

/** Whether a code refuses: true for its standard message, a string for a specific one. */
type Judgement = (context: ActionContext) => boolean | string;

export interface ActionRun<Action extends OperationAction = OperationAction> {
  /** The steps in order, as text for the table in docs/workflows.md. */
  readonly inOrder: string;
  /**
   * The answers of other services that the action waits for; null when it waits for none. A transition: the receipts of
   * the required consumers for the lifecycle message. `deletion`: the marking of the tenant, and the calls of the
   * deletion listeners.
   */
  readonly announces: LifecycleTransition | 'deletion' | null;
  /** Whether preconditions and checkpoints read the catalog. */
  readonly readsPlans: boolean;
  /**
   * Whether the provider's subscription is read first: an earlier failure may have left a schedule there that the
   * mirror lacks.
   */
  readonly readsProvider?: boolean;
  /** Whether the operation that waits for a payment is read. */
  readonly readsHeld?: boolean;
  /** Whether the price of the target plan is read at the provider. */
  readonly readsPrice?: boolean;
  /** Absent: the effects below are performed one after the other. */
  readonly startedWith?: AttemptStarter;
  /**
   * What a success triggers at once, and again when the same request is repeated. The regular rounds would do it later,
   * so the outcome does not depend on it.
   */
  readonly followedBy?: SuccessFollower;
  /** A judgement for each refusal of the public half, which defines their order. */
  readonly refuses: { readonly [Code in OwnRefusal<Action>]: Judgement };
  /** The change of price for which the provider previews an invoice; null when there is nothing to preview. */
  charges?(context: ActionContext): ValuesOf<'change_price'> | null;
  /** Provider identities to fix at the first attempt, so that a retry sends the same payload. */
  checkpoint(context: ActionContext): Readonly<Record<string, string>>;
  /**
   * Whether the provider shows another contract than the one that was fixed, so that the fixed payload would undo what
   * was changed there.
   */
  undoes?(context: ActionContext, checkpoint: Readonly<Record<string, string>>): boolean;
  /** What of an answer is fixed as well, so that a retry goes on from there. */
  fixes?(answer: EffectAnswer): Readonly<Record<string, string>> | undefined;
  /** Changes that must be durable before any effect, written with the transition. */
  onAdmitted?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** Steps that only prepare the action; their effect does not decide the outcome. */
  readonly makesWay?: readonly ProviderStep[];
  /** Effects before the lifecycle message, or all effects when there is no message. */
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
   * What the clearing write changes, besides `onCleared`, when an investigation recorded `applied`: decisions of the
   * platform only. The state of the provider is mirrored by the refresh that every resolution requests.
   */
  onResolved?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** What the clearing write changes after success. */
  onCleared?(subscription: Subscription, operation: Operation, now: Date): SubscriptionPatch;
  /** What the clearing write reverts after a proven failure. */
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

/** The provider's state of the subscription; undefined when it was not requested or the provider did not answer. */
export function providerState({ atProvider }: ActionContext): AtProvider | undefined {
  return atProvider === 'unavailable' || atProvider === null ? undefined : atProvider;
}

/** Whether the provider shows that the subscription has ended; false when it was not asked or did not answer. */
export function endedAtProvider(context: ActionContext): boolean {
  const state = providerState(context);
  return state !== undefined && statusOfProvider[state.status] === 'cancelled';
}

/**
 * When the subscription is to end or has ended, as the provider shows it: the mirror may be late, and what it calls
 * cancelled may renew and be charged. A list of possible actions asks no provider and goes by the mirror. Null: it goes
 * on; undefined while the provider does not answer.
 */
export function shownEnd(context: ActionContext): 'to_end' | 'ended' | null | undefined {
  const { atProvider, subscription } = context;
  if (atProvider === 'unavailable') return undefined;
  if (atProvider) return endedAtProvider(context) ? 'ended' : atProvider.ending ? 'to_end' : null;
  return subscription.status === 'cancelled' ? 'ended' : subscription.cancelsAt ? 'to_end' : null;
}

/** Whether a payment is overdue, according to the mirror or the provider. */
export function isOverdue(context: ActionContext): boolean {
  const state = providerState(context);
  return (
    context.subscription.status === 'past_due' || (state !== undefined && statusOfProvider[state.status] === 'past_due')
  );
}

/** Whether the subscription is cancelled or to be ended, according to the mirror or the provider. */
export function isEnding(context: ActionContext): boolean {
  const { cancelsAt, status } = context.subscription;
  const ending = providerState(context)?.ending === true;
  return cancelsAt !== undefined || ending || status === 'cancelled' || endedAtProvider(context);
}
