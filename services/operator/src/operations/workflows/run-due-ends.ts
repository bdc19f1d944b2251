/**
 * Starts the operations that are due by date. Any number of replicas may do so at once: each judges an operation first,
 * as a preview does, and writes nothing for one that would be refused, or whose debt has been paid. The operation's id
 * admits one executor, and the normal workflow does the rest. The operation of a process that disappears stays
 * `running` until people investigate it, like every other operation.
 */
import type { OperatorCode } from '@platform/contracts-operator';
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import type { Subscription } from '../../mirror/domain/subscription';
import { mirrorSubscription } from '../../mirror/workflows/mirror-subscription';
import { actionOf } from '../domain/actions';
import {
  dueEndsOf,
  judgeGeneration,
  noOverduePolicy,
  requestFor,
  type DueEnd,
  type OverduePolicy,
} from '../domain/due-end';
import { refusalOf } from '../domain/judge-action';
import type { OperationRequest } from '../domain/operation';
import { contextOf } from './action-context';
import type { OperatorPorts } from './ports';
import { runOperation } from './run-operation';

/** Dates of a workspace at which something becomes due; each has an index. */
const dates = ['freeUntil', 'cancelsAt', 'pendingPlan.at', 'overdueSince'] as const;

export interface DueEndsReport {
  readonly started: number;
  readonly succeeded: number;
}

/** One round over everything that is due. Throws StoreUnavailableError. */
export async function runDueEnds(
  ports: OperatorPorts,
  stopping?: () => boolean,
  overdue: OverduePolicy = noOverduePolicy,
): Promise<DueEndsReport> {
  const now = await ports.databaseNow();
  let [started, succeeded] = [0, 0];
  for (const date of dates)
    for await (const subscription of walk(ports.subscriptions, { [date]: { $lte: now } }, { sort: [date, '_id'] }))
      await apart(ports.subscriptions, subscription._id, async () => {
        for (const end of dueEndsOf(subscription, now, overdue)) {
          if (stopping?.()) return;
          const request = await startable(ports, subscription, end, now);
          if (!request || !(await isStillOwed(ports, subscription, end, now, overdue))) continue;
          started += 1;
          const { kind } = await runOperation(ports, request);
          // A suspension waits for receipts.
          if (kind === 'succeeded' || kind === 'unfinished') succeeded += 1;
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

/**
 * Whether the provider still shows the debt for which access would close: the event of its payment may be late or lost.
 * While the provider does not answer, that is not known, and a later round asks again.
 */
async function isStillOwed(
  ports: OperatorPorts,
  subscription: Subscription,
  { action }: DueEnd,
  now: Date,
  overdue: OverduePolicy,
): Promise<boolean> {
  if (action !== 'suspend') return true;
  const { kind } = await mirrorSubscription(ports, subscription._id, subscription);
  if (kind === 'gone' || kind === 'no_subscription') return true;
  const mirrored = kind === 'mirrored' ? await ports.subscriptions.findById(subscription._id) : null;
  return mirrored !== null && dueEndsOf(mirrored, now, overdue).some((end) => end.action === action);
}

/** The provider shows that what was due has not come about. */
const withdrawn: ReadonlySet<string> = new Set<OperatorCode>(['subscription_runs', 'change_not_landed']);

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
  // A person may have withdrawn it at the provider. The mirror follows, or this date would stay due for ever.
  if (refusal && withdrawn.has(refusal.code)) await mirrorSubscription(ports, subscription._id, subscription);
  return refusal ? null : request;
}
