/**
 * What a first request is judged by, read beside the record of its operation instead of after it: most ids are new. A
 * guess chooses which plan is read; what is read is as fresh as if it had been asked for later.
 */
import { actionOf } from '../domain/actions';
import type { OperationRequest } from '../domain/operation';
import type { Subscription } from '../../mirror/domain/subscription';
import { plansReadBy, type PlanReads } from './action-context';
import type { OperatorPorts } from './ports';

export interface ReadAhead {
  /** Rejects when the read fails; a caller that does not need the value may ignore it. */
  readonly subscription: Promise<Subscription | null>;
  /** Whether the provider has an effect of this id that the records lack. */
  readonly lostEffect: Promise<boolean>;
  /** For one decision: returns the value of a plan that was already read. */
  readonly plans: PlanReads;
}

export function readAhead(
  { subscriptions, plans, known, lostEffect }: Pick<OperatorPorts, 'subscriptions' | 'plans' | 'known' | 'lostEffect'>,
  request: OperationRequest,
): ReadAhead {
  const subscription = subscriptions.findById(request.tenantId).then((read) => {
    if (read) known.met(read);
    return read;
  });
  const wanted = plansReadBy(actionOf(request.action), request, known.planOf(request.tenantId));
  const begun = new Map([...new Set(wanted)].map((planId) => [planId, plans.findById(planId)]));
  const lost = lostEffect?.(request.operationId) ?? Promise.resolve(false);
  for (const reading of [subscription, lost, ...begun.values()]) reading.catch(() => undefined);
  return {
    subscription,
    lostEffect: lost,
    plans: { findById: (planId) => begun.get(planId) ?? plans.findById(planId) },
  };
}
