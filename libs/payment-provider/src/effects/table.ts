/**
 * The platform's effects on the payment provider, each described once. Request, idempotency key, digest, types of the
 * port, fake, trace and evidence are derived from here; the descriptions themselves do nothing.
 */
import type { ObjectKind, ProviderObjects } from '../objects';
import { balanceEffects, scheduleEffects, subscriptionEffects } from './billing-effects';
import { customerEffects, saleEffects } from './creation-effects';
import type { EffectDescription } from './description';

/** By step, the name under which journals keep a call. */
export const effects = {
  ...subscriptionEffects,
  ...scheduleEffects,
  ...balanceEffects,
  ...customerEffects,
  ...saleEffects,
};

type Table = typeof effects;

export type EffectStep = keyof Table;

/** The caller's values for an effect of this step. */
export type ValuesOf<Step extends EffectStep> =
  Table[Step] extends EffectDescription<infer Values, infer _Kind> ? Values : never;

export type EffectOf<Step extends EffectStep> = { readonly step: Step } & ValuesOf<Step>;

/** An effect as data: the step and its values. */
export type Effect = { readonly [Step in EffectStep]: EffectOf<Step> }[EffectStep];

/** The object in the answer of a successful call. */
export type ObjectOf<E extends { readonly step: EffectStep }> = ProviderObjects[Table[E['step']]['reads']];

/** The description of this effect, with its type. */
export function descriptionOf<E extends Effect>({ step }: E): EffectDescription<E, ObjectKind> {
  return effects[step] as EffectDescription<E, ObjectKind>;
}
