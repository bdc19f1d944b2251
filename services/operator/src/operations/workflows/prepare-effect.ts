/** From an effect as data to the provider's prepared call, and from the provider's object back to what actions read. */
import { unreachable } from '@platform/kernel';
import type {
  CallIntent,
  PaymentProvider,
  PreparedCall,
  ProviderSchedule,
  ProviderSubscription,
} from '@platform/payment-provider';
import type { EffectAnswer, SendableEffect } from '../domain/effects';

export interface PreparedEffect {
  readonly call: PreparedCall<unknown>;
  /** Reads what a succeeded call of this very effect answered. */
  readonly answerOf: (value: unknown) => EffectAnswer;
}

/** One idempotency key per step of the operation; nothing is sent here. */
export function prepareEffect(provider: PaymentProvider, operationId: string, effect: SendableEffect): PreparedEffect {
  const intent: CallIntent = { operationId, step: effect.step };
  switch (effect.step) {
    case 'pause_collection':
      return prepared(provider.pauseCollection(intent, effect.subscriptionId), ofSubscription(effect.step));
    case 'resume_collection':
      return prepared(provider.resumeCollection(intent, effect.subscriptionId), ofSubscription(effect.step));
    case 'change_price':
      return prepared(provider.changePrice(intent, effect), ofSubscription(effect.step));
    case 'cancel_at_period_end':
      return prepared(provider.cancelAtPeriodEnd(intent, effect.subscriptionId), ofSubscription(effect.step));
    case 'cancel_now':
      return prepared(provider.cancelNow(intent, effect.subscriptionId), ofSubscription(effect.step));
    case 'create_schedule':
      return prepared(provider.createSchedule(intent, effect.subscriptionId), ofSchedule(effect.step));
    case 'schedule_price':
      return prepared(provider.schedulePrice(intent, effect), ofSchedule(effect.step));
    case 'release_schedule':
      return prepared(provider.releaseSchedule(intent, effect.scheduleId), ofSchedule(effect.step));
    case 'balance_credit': {
      const { customerId, amountCents, currency, description, step } = effect;
      return prepared(
        provider.createBalanceTransaction(intent, { customerId, amount: -amountCents, currency, description }),
        ({ id }) => ({ step, objectId: id }),
      );
    }
    case 'create_customer':
      return prepared(provider.createCustomer(intent, effect), ({ id }) => ({ step: effect.step, objectId: id }));
    case 'create_session':
      return prepared(provider.createCheckoutSession(intent, effect), ({ id, status, url, expiresAt }) => ({
        step: effect.step,
        objectId: id,
        status,
        expiresAt,
        ...(url !== null && { url }),
      }));
    case 'set_default_payment_method':
      return prepared(provider.setDefaultPaymentMethod(intent, effect), ({ id }) => ({
        step: effect.step,
        objectId: id,
      }));
    default:
      return unreachable(effect, 'provider effect');
  }
}

function prepared<T>(call: PreparedCall<T>, read: (value: T) => EffectAnswer): PreparedEffect {
  return { call, answerOf: (value) => read(value as T) };
}

function ofSubscription(step: string) {
  return ({ id, status, currentPeriodEnd }: ProviderSubscription): EffectAnswer => ({
    step,
    objectId: id,
    status,
    ...(currentPeriodEnd && { periodEnd: currentPeriodEnd }),
  });
}

function ofSchedule(step: string) {
  return ({ id, status, phases }: ProviderSchedule): EffectAnswer => ({
    step,
    objectId: id,
    status,
    ...(phases[0] && { runningPhase: phases[0] }),
  });
}
