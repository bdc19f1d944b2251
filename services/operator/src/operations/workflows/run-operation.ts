/**
 * The spine of every operation (workflows §1): intent, attempt, transition, effects, journal, clear. No step is taken
 * before the one that fences it is acknowledged, and no step is ever repeated because time has passed.
 */
import { writeHeld } from '@platform/durable/effects';
import { readPatiently, writeFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { operatorCodes, type Refusal } from '@platform/contracts-operator';
import { actionOf, type ActionContext, type ActionDefinition } from '../domain/actions';
import { decideAdmission } from '../domain/admission';
import { firstRefusal } from '../domain/first-request';
import { judgeAttempt } from '../domain/judge-action';
import { admitAttempt, awaitDeletion, awaitReceipts, newIntent, recordCall, type Asked } from '../domain/journal';
import { deletionEntries, lifecycleEntry } from '../domain/announcements';
import type {
  FailedOperation,
  Operation,
  OperationRequest,
  PendingOperation,
  RunningOperation,
} from '../domain/operation';
import { admitTransition, type Subscription } from '../../mirror/domain/subscription';
import { contextOf } from './action-context';
import { heldBy, letPaymentBeConfirmed } from './await-payment';
import { completeOperation, followed } from './complete-operation';
import { clearAfterJournal, journalFailure, lost } from './journal-outcome';
import { answerOf, type OperationAnswer } from './operation-answer';
import { partialEffect } from '../domain/partial-effect';
import { mirrorAtOnce } from './mirror-at-once';
import { effectsOf, holdOf, type OperationHold } from './operation-effects';
import { operationKey } from './operation-key';
import { performEffects, prepareRecorded, type RecordedEffect } from './perform-effects';
import type { OperatorPorts } from './ports';
import { judgeCreditLimit } from './take-credit-part';

/**
 * Runs a validated request to its end, or says why not; `accepted` is called once its intent is durable. Throws
 * StoreUnavailableError only while nothing has begun.
 */
export async function runOperation(
  ports: OperatorPorts,
  request: OperationRequest,
  accepted: () => void = () => {},
): Promise<OperationAnswer> {
  const stored = await ports.operations.findById(request.operationId);
  if (stored) {
    accepted();
    return continueStored(ports, stored, request);
  }
  const subscription = await ports.subscriptions.findById(request.tenantId);
  if (!subscription) return { kind: 'no_such_workspace' };
  const refusal = firstRefusal(request, ports.limits, ports.clock.now());
  if (refusal) return { kind: 'not_acceptable', refusal };
  const limit = await judgeCreditLimit(ports, request, subscription.planId, 1);
  if (limit.refused) return limit.refused;
  const intent = newIntent(request, limit.approval);
  // The judgement only reads, so it need not wait for the durable intent.
  const [insertion, context] = await Promise.all([
    ports.operations.insert(intent),
    contextOf(ports, actionOf(request.action), intent, subscription),
  ]);
  if (insertion.outcome === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: 'The intent could not be recorded; nothing has happened. Repeat with the same operation id.',
    };
  accepted();
  if (insertion.outcome === 'applied') return attempt(ports, insertion.record as PendingOperation, context, request);
  if (!insertion.existing)
    return {
      kind: 'store_unavailable',
      detail: 'The record of this operation could not be read; nothing was begun by this request.',
    };
  return continueStored(ports, insertion.existing, request);
}

async function continueStored(
  ports: OperatorPorts,
  stored: Operation,
  request: OperationRequest,
): Promise<OperationAnswer> {
  const judgedByWindow = stored.status === 'failed' || stored.status === 'pending';
  const now = judgedByWindow ? await ports.databaseNow() : ports.clock.now();
  const admission = decideAdmission(stored, request, now);
  if (stored.tenantId !== request.tenantId && !(await ports.subscriptions.findById(request.tenantId)))
    return { kind: 'no_such_workspace' };
  switch (admission.kind) {
    case 'stored_success':
      await clearAfterJournal(ports, admission.operation);
      return followed(ports, { kind: 'succeeded', operation: admission.operation });
    case 'unfinished':
      return answerOf(admission.operation);
    case 'refuse':
      // The process that ended the operation may have disappeared before the transition was cleared.
      if (stored.status === 'failed') await clearAfterJournal(ports, stored);
      return { kind: 'refused', refusal: admission.refusal, operation: admission.operation };
    case 'resume':
      return resume(ports, admission.operation, request);
    case 'create':
      return { kind: 'store_unavailable', detail: 'The record of this operation has disappeared.' };
  }
}

type Retried = PendingOperation | FailedOperation;

async function resume(ports: OperatorPorts, stored: Retried, request: OperationRequest): Promise<OperationAnswer> {
  const subscription = await ports.subscriptions.findById(stored.tenantId);
  if (!subscription) return { kind: 'no_such_workspace' };
  // The approval of two people was recorded with the intent, and applies to its repeats.
  const { refused } = stored.approval
    ? {}
    : await judgeCreditLimit(ports, request, subscription.planId, stored.attempts.length + 1);
  if (refused) return refused;
  return attempt(ports, stored, await contextOf(ports, actionOf(stored.action), stored, subscription), request);
}

/**
 * Step 4: admits exactly one executor. Everything after this line belongs to the admitted attempt. The store could not
 * tell two drafts of one process apart, so a process tries one attempt at a time.
 */
function attempt(
  ports: OperatorPorts,
  stored: Retried,
  context: ActionContext,
  asked: Asked,
): Promise<OperationAnswer> {
  const key = operationKey(stored._id);
  if (ports.work.find(key)) return Promise.resolve(runningElsewhere(stored));
  return ports.work.run(key, ({ retryPolicy }) => admit({ ...ports, retryPolicy }, stored, context, asked));
}

function runningElsewhere(operation: Operation): OperationAnswer {
  return { kind: 'refused', refusal: { code: 'operation_running' }, operation };
}

async function admit(
  ports: OperatorPorts,
  stored: Retried,
  context: ActionContext,
  asked: Asked,
): Promise<OperationAnswer> {
  const action = actionOf(stored.action);
  const refused = judgeAttempt(action, stored, stored.attempts, context) !== null;
  const checkpoint = refused || stored.checkpoint ? undefined : action.checkpoint?.(context);
  const draft = admitAttempt(stored, ports.executor, ports.clock.now(), checkpoint, asked);
  // Without a transition, one write admits the attempt and records its first call.
  const first = refused || action.transition ? null : firstEffect(ports, action, context.subscription, draft);
  const next = first ? recordCall(draft, first.record) : draft;
  const admitted = await writeFenced(ports.operations, stored, next, [], ports.retryPolicy);
  if (admitted.kind === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: 'The attempt could not be admitted; no effect was begun. Read the operation before repeating it.',
    };
  if (admitted.kind === 'lost') return runningElsewhere(stored);
  const running = admitted.record as RunningOperation;
  const taken = await takeTransition(ports, action, running, context);
  return taken.kind === 'taken' ? perform(ports, action, running, taken.subscription, first) : taken.answer;
}

function firstEffect(
  ports: OperatorPorts,
  action: ActionDefinition,
  subscription: Subscription,
  draft: Checked<RunningOperation>,
): RecordedEffect | null {
  const [step] = action.effects(subscription, draft);
  return step === undefined || 'from' in step ? null : prepareRecorded(ports, draft._id, step);
}

type Taken =
  | { readonly kind: 'taken'; readonly subscription: Subscription }
  | { readonly kind: 'ended'; readonly answer: OperationAnswer };

const transitionRaces = 8;

/** Step 5: the fences, the preconditions and, where the action has one, its transition, in one fenced write. */
async function takeTransition(
  ports: OperatorPorts,
  action: ActionDefinition,
  operation: RunningOperation,
  context: ActionContext,
): Promise<Taken> {
  const hold = holdOf(operation);
  let judged = context;
  for (let race = 0; race < transitionRaces; race += 1) {
    const read = judged.subscription;
    const refusal = judgeAttempt(action, operation, operation.attempts.slice(0, -1), judged);
    if (refusal) return ended(await refusedAttempt(ports, hold, refusal));
    if (!action.transition) return { kind: 'taken', subscription: read };
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
    judged = await readPatiently(ports.retryPolicy, () => contextOf(ports, action, operation, taken));
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
  const { code, detail, access } = refusal;
  const error = { code, message: detail ?? operatorCodes[code].message, ...(access && { detail: { access } }) };
  const answer = await journalFailure(ports, hold, partialEffect(hold.working, error));
  if (code === 'change_already_landed') await mirrorAtOnce(ports, hold.working);
  return answer;
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
