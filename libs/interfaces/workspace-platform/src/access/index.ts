/** Entry point `access`: the guard alone, for services with their own connection to the broker. */
export {
  accessBoundMs,
  askOverBroker,
  createAccessGuard,
  type AccessDecision,
  type AccessGuard,
  type DatedDecision,
  type GuardOptions,
} from './guard';
export { accessCodes, accessRefusal, type AccessRefusal } from './refusal';
