/** Decisions on one document: every fenced change of a service goes through `decide` or, for an executor, `writeFenced`. */
export { decide } from './decide';
export type { CheckedCollection, Decided, DecidedCollection, DecidePorts, Decision, Exclusive } from './decide';
export { onceOnly, writeFenced, type RetryPolicy, type Written } from './write-fenced';
export { walk, type WalkOptions } from './walk';
