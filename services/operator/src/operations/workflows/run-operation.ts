/**
 * The spine of every operation (workflows §1): intent, attempt, transition, effects, journal, clear. No step is taken
 * before the one that fences it is acknowledged, and no step is ever repeated because time has passed.
 */
import { actionOf } from '../domain/actions';
import { decideAdmission } from '../domain/admission';
import type { Operation, OperationRequest } from '../domain/operation';
import { contextOf } from './action-context';
import { attempt, type Retried } from './admit-attempt';
import { beginOperation } from './begin-operation';
import { followed } from './complete-operation';
import { clearAfterJournal } from './journal-outcome';
import { answerOf, type OperationAnswer } from './operation-answer';
import type { OperatorPorts } from './ports';
import { readAhead } from './read-ahead';
import { judgeCreditLimit } from './take-credit-part';
import { withoutEndedTransition } from './without-ended-transition';

/**
 * Runs a validated request to its end, or says why not; `accepted` is called once its intent is durable, or an executor
 * keeps trying to make it durable. Throws StoreUnavailableError only while nothing has begun.
 */
export async function runOperation(
  ports: OperatorPorts,
  request: OperationRequest,
  accepted: () => void = () => {},
): Promise<OperationAnswer> {
  const ahead = readAhead(ports, request);
  const stored = await ports.operations.findById(request.operationId);
  if (stored) {
    accepted();
    return continueStored(ports, stored, request);
  }
  const found = await ahead.subscription;
  if (!found) return { kind: 'no_such_workspace' };
  if (await ahead.lostEffect) return lostEffect;
  const subscription = await withoutEndedTransition(ports, request, found);
  const begun = await beginOperation(ports, request, { subscription, plans: ahead.plans }, accepted);
  return begun.kind === 'exists' ? continueStored(ports, begun.operation, request) : begun;
}

/** The journal was restored without this operation, and the provider has its effect: it is not done once more. */
const lostEffect: OperationAnswer = {
  kind: 'not_acceptable',
  refusal: {
    code: 'reconciliation_required',
    errors: [
      {
        pointer: '/operationId',
        message: 'the payment provider has an effect of this id that the records lack, as after a restore',
      },
    ],
  },
};

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
  }
}

async function resume(ports: OperatorPorts, stored: Retried, request: OperationRequest): Promise<OperationAnswer> {
  const found = await ports.subscriptions.findById(stored.tenantId);
  if (!found) return { kind: 'no_such_workspace' };
  const subscription = await withoutEndedTransition(ports, { ...stored, operationId: stored._id }, found);
  // The approval of two people was recorded with the intent. It applies to the repeats of what an attempt has fixed;
  // before that, the currency may be another one than was approved.
  const fixedCurrency = stored.checkpoint?.['currency'];
  const { refused } =
    stored.approval && stored.checkpoint
      ? {}
      : await judgeCreditLimit(ports, { ...request, fixedCurrency }, subscription.planId, stored.attempts.length + 1);
  if (refused) return refused;
  return attempt(ports, stored, await contextOf(ports, actionOf(stored.action), stored, subscription), request);
}
