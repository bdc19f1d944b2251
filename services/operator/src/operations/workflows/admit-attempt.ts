/** The admission of an attempt of a record that exists: a retry, or the first attempt of an intent (workflows §1). */
import type { Refusal } from '@platform/contracts-operator';
import { writeFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { actionOf, type ActionContext } from '../domain/actions';
import type { Asked } from '../domain/beginning';
import { admitAttempt, fail, recordCall } from '../domain/journal';
import { judgeAttempt } from '../domain/judge-action';
import type { FailedOperation, Operation, PendingOperation, RunningOperation } from '../domain/operation';
import { partialEffect } from '../domain/partial-effect';
import type { OperationAnswer } from './operation-answer';
import { operationKey } from './operation-key';
import { endRefused, errorOf, firstEffect, performAttempt } from './perform-attempt';
import type { OperatorPorts } from './ports';

export type Retried = PendingOperation | FailedOperation;

/**
 * Step 4: admits exactly one executor. Everything after this line belongs to the admitted attempt. The store could not
 * tell two drafts of one process apart, so a process tries one attempt at a time.
 */
export function attempt(
  ports: OperatorPorts,
  stored: Retried,
  context: ActionContext,
  asked: Asked,
): Promise<OperationAnswer> {
  const key = operationKey(stored._id);
  if (ports.work.find(key)) return Promise.resolve(runningElsewhere(stored));
  return ports.work.run(key, ({ retryPolicy }) => admit({ ...ports, retryPolicy }, stored, context, asked));
}

const notAdmitted: OperationAnswer = {
  kind: 'store_unavailable',
  detail: 'The attempt could not be admitted; no effect was begun. Read the operation before repeating it.',
};

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
  const refused = judgeAttempt(action, stored, stored.attempts, context);
  const checkpoint = refused || stored.checkpoint ? undefined : action.checkpoint(context);
  const draft = admitAttempt(stored, ports.executor, ports.clock.now(), checkpoint, asked);
  if (refused) return recordRefusal(ports, stored, draft, refused);
  // Without a transition, one write admits the attempt and records its first call.
  const first = action.transition ? null : firstEffect(ports, action, context.subscription, draft);
  const next = first ? recordCall(draft, first.record) : draft;
  const admitted = await writeFenced(ports.operations, stored, next, [], ports.retryPolicy);
  if (admitted.kind === 'unknown') return notAdmitted;
  if (admitted.kind === 'lost') return runningElsewhere(stored);
  return performAttempt(ports, action, admitted.record as RunningOperation, context, first);
}

/** An attempt that is refused before it does anything: one write records it with its end. */
async function recordRefusal(
  ports: OperatorPorts,
  stored: Retried,
  draft: Checked<RunningOperation>,
  refusal: Refusal,
): Promise<OperationAnswer> {
  const error = partialEffect(draft, errorOf(refusal));
  const written = await writeFenced(
    ports.operations,
    stored,
    fail({ ...stored, ...draft }, error, ports.clock.now()),
    [],
    ports.retryPolicy,
  );
  if (written.kind === 'unknown') return notAdmitted;
  if (written.kind === 'lost') return runningElsewhere(stored);
  return endRefused(ports, written, refusal);
}
