/** Decisions on one document: every fenced change of a service goes through `decide` or, for an executor, `writeFenced`. */
export type { CheckedCollection, DecidedCollection } from './collections';
export { decide } from './decide';
export type { Decided, DecidePorts, Decision, Exclusive } from './decide';
export { onceOnly, writeFenced, type RetryPolicy, type Written } from './write-fenced';
export { walk, type WalkOptions } from './walk';
