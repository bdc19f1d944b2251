/** Decisions on one document: every fenced change of a service goes through `decide` or, for an executor, `writeFenced`. */
export type { CheckedCollection, DecidedCollection } from './collections';
export { decide } from './decide';
export type { Decided, DecidePorts } from './decide';
export { createKeyedMutex, type KeyedMutex } from './keyed-mutex';
export { insertFenced, onceOnly, writeFenced, type RetryPolicy, type Written } from './write-fenced';
export { readPatiently } from './read-patiently';
export { unreadBeside } from './unread';
export { walk } from './walk';
export type { Decision } from './steps';
