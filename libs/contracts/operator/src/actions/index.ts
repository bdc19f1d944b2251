/** The operator's actions as data, without a schema library: for the gateway, the console, the documentation and tests. */
export * from './derived';
export { operatorLimits } from '../limits';
export { mayStart, starterPolicy } from './action';
export { formatMoney, formatPrice, minorDigits, type BilledEvery } from './money-words';
export type {
  ActionContract,
  ActionFacts,
  ActionField,
  ActionStarter,
  ExampleSituation,
  FirstRequestLimits,
  FirstRequestRule,
} from './action';
