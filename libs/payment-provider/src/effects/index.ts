/** The pure part of the provider library: the effects, their answers, and how to find them. */
export { effectAnswer, type EffectAnswer } from './answer';
export type { Finder, Handles } from './evidence';
export { itemsOf, pricesOf, sellsPrice } from './items';
export type {
  ProviderBalanceTransaction,
  ProviderChangePreview,
  ProviderIssuedInvoice,
  ProviderPrice,
  ProviderSchedule,
  ProviderSubscription,
  SchedulePhase,
} from '../objects';
export { phaseOfText, phasesFromNow, textOfPhase } from './phases';
export {
  descriptionOf,
  effects,
  type Effect,
  type EffectOf,
  type EffectStep,
  type ObjectOf,
  type ValuesOf,
} from './table';
