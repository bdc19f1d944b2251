/** The pure part of the provider: which effects there are, what they answer, how they are found. */
export { effectAnswer, type EffectAnswer } from './answer';
export type { Finder, Handles } from './evidence';
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
