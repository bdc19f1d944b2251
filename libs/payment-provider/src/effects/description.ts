/**
 * The description of one effect on the provider, from which its request, key, digest, answer and evidence are derived.
 */
import type { ObjectKind } from '../objects';
import type { Finder } from './evidence';
import type { StepIntent } from './step-intent';

/** `Values` come from the caller; the step, the metadata and the key are added here. */
export interface EffectDescription<Values, Kind extends ObjectKind = ObjectKind> {
  /** Kind of the object in a successful answer. */
  readonly reads: Kind;
  readonly method: 'POST' | 'DELETE';
  path(values: Values): string;
  /** The body, in the order in which it is written. */
  params(values: Values, intent: StepIntent): object;
  /** The idempotency key; default `<operationId>:<step>`. */
  key?(operationId: string, values: Values): string;
  /** How the effect can be found at the provider afterwards. */
  readonly evidence: Finder;
}

interface Given<Values, Params> {
  readonly method?: 'DELETE';
  readonly path: (values: Values) => string;
  /** Absent when the provider takes no parameters, and therefore no metadata. */
  readonly params?: (values: Values, intent: StepIntent) => Params;
  readonly key?: (operationId: string, values: Values) => string;
  readonly evidence: Finder;
}

/** Describes an effect whose answer is this kind of object; `Params` are the provider's own for the endpoint. */
export function answersWith<Kind extends ObjectKind>(reads: Kind) {
  return <Values, Params extends object = never>(given: Given<Values, Params>): EffectDescription<Values, Kind> => ({
    method: 'POST',
    params: () => ({}),
    ...given,
    reads,
  });
}

/** For an operation on an existing object: the last writer wins, so a later operation overwrites these metadata. */
export const byOperation = ({ operationId, step }: StepIntent) => ({ operationId, step });

/** For a creation, by the name in the specification (specification §2). */
export const byAttempt = ({ operationId, step }: StepIntent) => ({ provisioningAttempt: operationId, step });
