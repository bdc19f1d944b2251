/**
 * Starts the operations that time brings. Any number of replicas may do so at once: what is due is judged first, as a
 * preview is, so that nothing is written for what would be refused; the operation's id admits one executor; the spine does
 * the rest. A process that disappears leaves its operation running, for people, as with every other operation.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import type { Subscription } from '../../mirror/domain/subscription';
import { actionOf } from '../domain/actions';
import { dueEndsOf, judgeGeneration, requestFor, type DueEnd } from '../domain/due-end';
import { refusalOf } from '../domain/judge-action';
import type { OperationRequest } from '../domain/operation';
import { contextOf } from './action-context';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';

/** Dates of a workspace that bring something; each is an index. */
const dates = ['freeUntil', 'cancelsAt', 'pendingPlan.at'] as const;

export interface DueEndsReport {
  readonly started: number;
  readonly succeeded: number;
}

/** One round over everything that is due. Throws StoreUnavailableError. */
export async function runDueEnds(ports: OperatorPorts, stopping: () => boolean = () => false): Promise<DueEndsReport> {
  const now = await ports.databaseNow();
  let [started, succeeded] = [0, 0];
  for (const date of dates)
    for await (const subscription of walk(ports.subscriptions, { [date]: { $lte: now } }, { sort: [date, '_id'] }))
      await apart(ports.subscriptions, subscription._id, async () => {
        for (const end of dueEndsOf(subscription, now)) {
          if (stopping()) return;
          const request = await startable(ports, subscription, end, now);
          if (!request) continue;
          started += 1;
          if ((await runOperation(ports, request)).kind === 'succeeded') succeeded += 1;
        }
      });
  return { started, succeeded };
}

/** Null while a generation is under way or waits for people. */
async function generationOf(
  { operations }: Pick<OperatorPorts, 'operations'>,
  end: DueEnd,
  now: Date,
): Promise<OperationRequest | null> {
  for (let generation = 1; ; generation += 1) {
    const request = requestFor(end, generation);
    const judged = judgeGeneration(await operations.findById(request.operationId), now);
    if (judged !== 'next') return judged === 'begin' ? request : null;
  }
}

async function startable(
  ports: OperatorPorts,
  subscription: Subscription,
  end: DueEnd,
  now: Date,
): Promise<OperationRequest | null> {
  const request = await generationOf(ports, end, now);
  if (!request) return null;
  const action = actionOf(request.action);
  const refusal = refusalOf(action, request.operationId, await contextOf(ports, action, request, subscription));
  return refusal ? null : request;
}
