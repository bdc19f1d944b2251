/** Entry point `access`: the guard by itself, for services that bring their own connection to the broker. */
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
