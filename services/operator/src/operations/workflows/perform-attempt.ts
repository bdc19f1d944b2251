/** An attempt from its admission to its end or to the wait for others: transition, effects, journal, clear (workflows §1). */
import { writeHeld } from '@platform/durable/effects';
import { readPatiently, writeFenced, type Written } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { operatorCodes, type Refusal } from '@platform/contracts-operator';
import type { ActionContext, ActionDefinition } from '../domain/actions';
import { deletionEntries, lifecycleEntry } from '../domain/announcements';
import { awaitDeletion, awaitReceipts, fail } from '../domain/journal';
import { judgeAttempt } from '../domain/judge-action';
import type { Operation, OperationError, RunningOperation } from '../domain/operation';
import { partialEffect } from '../domain/partial-effect';
import { admitTransition, type Subscription } from '../../mirror/domain/subscription';
import { contextOf } from './action-context';
import { heldBy, letPaymentBeConfirmed } from './await-payment';
import { completeOperation, followed } from './complete-operation';
import { concluded, lost } from './journal-outcome';
import { mirrorAtOnce } from './mirror-at-once';
import type { OperationAnswer } from './operation-answer';
import { effectsOf, holdOf, type OperationHold } from './operation-effects';
import { performEffects, prepareRecorded, type RecordedEffect } from './perform-effects';
import type { OperatorPorts } from './ports';
import { withoutEndedTransition } from './without-ended-transition';

/** The first call of an attempt that needs no transition, to be recorded by the write that admits the attempt. */
export function firstEffect(
  ports: OperatorPorts,
  action: ActionDefinition,
  subscription: Subscription,
  draft: Checked<RunningOperation>,
): RecordedEffect | null {
  const [step] = action.effects(subscription, draft);
  return step === undefined || 'from' in step ? null : prepareRecorded(ports, draft._id, step);
}

/** Everything after the write that admitted the attempt. */
export async function performAttempt(
  ports: OperatorPorts,
  action: ActionDefinition,
  running: RunningOperation,
  context: ActionContext,
  first: RecordedEffect | null,
): Promise<OperationAnswer> {
  const taken = await takeTransition(ports, action, running, context);
  return taken.kind === 'taken' ? perform(ports, action, running, taken.subscription, first) : taken.answer;
}

type Taken =
  | { readonly kind: 'taken'; readonly subscription: Subscription }
  | { readonly kind: 'ended'; readonly answer: OperationAnswer };

const transitionRaces = 8;

/**
 * Step 5: the action's transition, if it has one, over the very record by which the attempt was judged. After a lost
 * race the attempt is judged again, as the admission judged it.
 */
async function takeTransition(
  ports: OperatorPorts,
  action: ActionDefinition,
  operation: RunningOperation,
  { subscription }: ActionContext,
): Promise<Taken> {
  if (!action.transition) return { kind: 'taken', subscription };
  const hold = holdOf(operation);
  let read = subscription;
  for (let race = 0; race < transitionRaces; race += 1) {
    const transition = {
      operationId: operation._id,
      kind: action.transition,
      attempt: operation.attempts.length,
      requestedAt: operation.createdAt,
    };
    const next = admitTransition(read, transition, action.onAdmitted?.(read, operation, ports.clock.now()) ?? {});
    const written = await writeFenced(ports.subscriptions, read, next, [], ports.retryPolicy);
    if (written.kind === 'written') return { kind: 'taken', subscription: written.record };
    if (written.kind === 'unknown')
      return ended({
        kind: 'store_unavailable',
        detail: `No effect was begun: the subscription's transition could not be recorded (${written.reason}). The operation stays running until it is investigated.`,
      });
    if (!written.record) return ended(await refusedAttempt(ports, hold, { code: 'deletion_started' }));
    // The race may have been lost to an investigation, and then nothing is left to do here.
    const stored = await readPatiently(ports.retryPolicy, () => ports.operations.findById(operation._id));
    if (stored?.revision !== operation.revision) return ended(await lost(ports, stored));
    const taken = written.record;
    const judged = await readPatiently(ports.retryPolicy, async () =>
      contextOf(
        ports,
        action,
        operation,
        await withoutEndedTransition(ports, { ...operation, operationId: operation._id }, taken),
      ),
    );
    const refusal = judgeAttempt(action, operation, operation.attempts, judged);
    if (refusal) return ended(await refusedAttempt(ports, hold, refusal));
    read = judged.subscription;
  }
  return ended(
    await refusedAttempt(ports, hold, {
      code: 'transition_pending',
      detail: 'The subscription changed too often to admit a transition. Retry with the same operation id.',
    }),
  );
}

/**
 * Ends an attempt before any effect of it. When the refusal shows that the provider has a change that the mirror lacks,
 * the mirror is refreshed.
 */
async function refusedAttempt(ports: OperatorPorts, hold: OperationHold, refusal: Refusal): Promise<OperationAnswer> {
  const { working } = hold;
  const next = fail(working, partialEffect(working, errorOf(refusal)), ports.clock.now());
  return endRefused(ports, await writeHeld(effectsOf(ports), hold, next), refusal);
}

/** What follows the write of a refusal. */
export async function endRefused(
  ports: OperatorPorts,
  written: Written<Operation>,
  refusal: Refusal,
): Promise<OperationAnswer> {
  const answer = await concluded(ports, written);
  if (written.kind === 'written' && refusal.code === 'change_already_landed') await mirrorAtOnce(ports, written.record);
  return answer;
}

/** A refusal as the journal keeps it. */
export function errorOf({ code, detail, access }: Refusal): OperationError {
  return { code, message: detail ?? operatorCodes[code].message, ...(access && { detail: { access } }) };
}

function ended(answer: OperationAnswer): Taken {
  return { kind: 'ended', answer };
}

/** Step 6: the effects before the lifecycle message, then the message; or, without one, straight to the end. */
async function perform(
  ports: OperatorPorts,
  action: ActionDefinition,
  running: RunningOperation,
  subscription: Subscription,
  first: RecordedEffect | null,
): Promise<OperationAnswer> {
  if (running.lifecycle?.settledAt) return finishAfterReceipts(ports, action, running, subscription);
  if (action.startedWith) return ports.starters[action.startedWith](ports, running);
  const performed = await performEffects(ports, running, action.effects(subscription, running), first);
  if (performed.kind === 'ended') return performed.answer;
  const { hold, answers } = performed;
  const held = heldBy(hold.working, answers);
  if (held) return letPaymentBeConfirmed(ports, hold, held);
  if (!action.announces) return followed(ports, await completeOperation(ports, hold, subscription, answers));
  const operation = hold.working;
  const now = ports.clock.now();
  const { next, entries } =
    action.announces === 'deletion'
      ? { next: awaitDeletion(operation, now), entries: deletionEntries(operation, subscription, now) }
      : {
          next: awaitReceipts(operation, action.announces, now),
          entries: [lifecycleEntry(operation, action.announces, now)],
        };
  const written = await writeHeld(effectsOf(ports), hold, next, entries);
  if (written.kind === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: `The provider's part is done, but it could not be recorded (${written.reason}). Read the operation; do not choose a new id.`,
    };
  if (written.kind === 'written') {
    ports.meter.operationReached(operation.action, written.record.status);
    ports.log.info({ operationId: operation._id, transition: action.announces }, 'a lifecycle message is announced');
  }
  return lost(ports, written.record);
}

/** The effects that wait for every receipt; also the start of a retry whose receipts arrived before its failure. */
export async function finishAfterReceipts(
  ports: OperatorPorts,
  action: ActionDefinition,
  running: RunningOperation,
  subscription: Subscription,
): Promise<OperationAnswer> {
  const performed = await performEffects(ports, running, action.effectsAfterReceipts?.(subscription, running) ?? []);
  if (performed.kind === 'ended') return performed.answer;
  return completeOperation(ports, performed.hold, subscription, performed.answers);
}
