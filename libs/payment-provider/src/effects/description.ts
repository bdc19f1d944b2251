/** What one effect on the provider is: everything that its request, key, digest, answer and evidence derive from. */
import type { ObjectKind } from '../objects';
import type { Finder } from './evidence';
import type { StepIntent } from './step-intent';

/** `Values` are what a caller gives; the step, the metadata and the key are added here. */
export interface EffectDescription<Values, Kind extends ObjectKind = ObjectKind> {
  /** Kind of the object that a success answers with. */
  readonly reads: Kind;
  readonly method: 'POST' | 'DELETE';
  path(values: Values): string;
  /** The body, in the order in which it is written. */
  params(values: Values, intent: StepIntent): object;
  /** The idempotency key; `<operationId>:<step>` where none is given. */
  key?(operationId: string, values: Values): string;
  /** How the effect is found at the provider afterwards. */
  readonly evidence: Finder;
}

interface Given<Values, Params> {
  readonly method?: 'DELETE';
  readonly path: (values: Values) => string;
  /** Left out where the provider takes no parameters, and therefore no metadata. */
  readonly params?: (values: Values, intent: StepIntent) => Params;
  readonly key?: (operationId: string, values: Values) => string;
  readonly evidence: Finder;
}

/** Describes an effect that answers with this kind of object; `Params` are the provider's own for the endpoint. */
export function answersWith<Kind extends ObjectKind>(reads: Kind) {
  return <Values, Params extends object = never>(given: Given<Values, Params>): EffectDescription<Values, Kind> => ({
    method: 'POST',
    params: () => ({}),
    ...given,
    reads,
  });
}

/** An operation on something that exists: last writer wins, so a later operation takes the place of this one. */
export const byOperation = ({ operationId, step }: StepIntent) => ({ operationId, step });

/** A creation, by the name that the specification gives it (specification §2). */
export const byAttempt = ({ operationId, step }: StepIntent) => ({ provisioningAttempt: operationId, step });
