/** The parts of the provider's answer to an effect that actions need, by the kind of the object. */
import type { ObjectKind, ProviderObjects, ProviderSubscription, SchedulePhase } from '../objects';
import { phasesFromNow } from './phases';
import { effects, type EffectStep } from './table';

export interface EffectAnswer {
  readonly step: EffectStep;
  readonly objectId?: string;
  readonly status?: string;
  /** End of the current period, where the answer contains it. */
  readonly periodEnd?: Date;
  /** Address and end of a checkout session. */
  readonly url?: string;
  readonly expiresAt?: Date;
  /** The invoice of a change that waits for its payment, and how long the provider holds the change. */
  readonly held?: {
    readonly invoiceId: string;
    readonly confirmUrl: string;
    readonly expiresAt: Date;
  };
  /** The current phase of a schedule. */
  readonly runningPhase?: SchedulePhase;
}

type Answer = Omit<EffectAnswer, 'step'>;

const ofSubscription = ({ id, status, currentPeriodEnd }: ProviderSubscription): Answer => ({
  objectId: id,
  status,
  ...(currentPeriodEnd && { periodEnd: currentPeriodEnd }),
});

const readers: { readonly [Kind in ObjectKind]: (object: ProviderObjects[Kind]) => Answer } = {
  subscription: ofSubscription,
  created_subscription: ofSubscription,
  held_change: ({ invoice, pendingUpdate, ...subscription }) => ({
    ...ofSubscription(subscription),
    ...(pendingUpdate &&
      invoice?.hostedUrl && {
        held: { invoiceId: invoice.id, confirmUrl: invoice.hostedUrl, expiresAt: pendingUpdate.expiresAt },
      }),
  }),
  schedule: (schedule) => {
    const { running } = phasesFromNow(schedule);
    return { objectId: schedule.id, status: schedule.status, ...(running && { runningPhase: running }) };
  },
  balance_transaction: ({ id }) => ({ objectId: id }),
  customer: ({ id }) => ({ objectId: id }),
  payment_method: ({ id }) => ({ objectId: id }),
  invoice: ({ id, status }) => ({ objectId: id, status }),
  checkout_session: ({ id, status, url, expiresAt }) => ({
    objectId: id,
    status,
    expiresAt,
    ...(url !== null && { url }),
  }),
};

/** Reads the answer of a succeeded call of this step. */
export function effectAnswer(step: EffectStep, object: ProviderObjects[ObjectKind]): EffectAnswer {
  const read = readers[effects[step].reads] as (found: ProviderObjects[ObjectKind]) => Answer;
  return { step, ...read(object) };
}
