/**
 * The effects that the platform has on the payment provider, each described once. Request, idempotency key, digest,
 * types of the port, fake, trace and evidence derive from here; nothing in these descriptions does anything.
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

/** What a caller gives for an effect of this step. */
export type ValuesOf<Step extends EffectStep> =
  Table[Step] extends EffectDescription<infer Values, infer _Kind> ? Values : never;

export type EffectOf<Step extends EffectStep> = { readonly step: Step } & ValuesOf<Step>;

/** An effect as data: the step and its values. */
export type Effect = { readonly [Step in EffectStep]: EffectOf<Step> }[EffectStep];

/** The object in the answer of a successful call. */
export type ObjectOf<E extends { readonly step: EffectStep }> = ProviderObjects[Table[E['step']]['reads']];

/** The description of this very effect, to be called with it. */
export function descriptionOf<E extends Effect>({ step }: E): EffectDescription<E, ObjectKind> {
  return effects[step] as EffectDescription<E, ObjectKind>;
}
