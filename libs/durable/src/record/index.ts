/** Decisions on one document: every fenced change of a service goes through `decide` or, for an executor, `writeFenced`. */
export type { CheckedCollection } from './collections';
export { decide, type Decided, type DecidePorts, type Decision, type Exclusive } from './decide';
export { writeFenced, type RetryPolicy, type Written } from './write-fenced';
export { walk, type WalkOptions } from './walk';
