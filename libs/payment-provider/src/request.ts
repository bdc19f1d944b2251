/** The call of an effect before it is sent: the description to record, and the parameters that its digest covers. */
import { assert, InvariantError } from '@platform/kernel';
import { descriptionOf, type Effect } from './effects';
import { payloadDigestOf } from './form-encoding';
import type { CallAnswer, CallDescription, CallIntent, PreparedCall } from './port';

export interface EffectRequest {
  readonly intent: CallIntent;
  readonly description: CallDescription;
  readonly params: object;
}

/** One key per step of the operation, unless the effect has its own rule. */
export function requestOf<E extends Effect>(intent: CallIntent, effect: E): EffectRequest {
  const { operationId } = intent;
  const { step } = effect;
  const described = descriptionOf(effect);
  const idempotencyKey = described.key?.(operationId, effect) ?? `${operationId}:${step}`;
  assert(idempotencyKey.length >= 1 && idempotencyKey.length <= 255, 'an idempotency key has 1 to 255 characters');
  const path = described.path(effect);
  const params = described.params(effect, { operationId, step });
  return {
    intent,
    description: { step, method: described.method, path, idempotencyKey, payloadDigest: payloadDigestOf(params) },
    params,
  };
}

/** The request, which can be sent once. */
export function preparedCall<T>(
  request: EffectRequest,
  transmit: (request: EffectRequest) => Promise<CallAnswer<T>>,
): PreparedCall<T> {
  let sent = false;
  return {
    description: request.description,
    send: () => {
      if (sent)
        return Promise.reject(new InvariantError(`call ${request.description.idempotencyKey} was already sent`));
      sent = true;
      return transmit(request);
    },
  };
}
