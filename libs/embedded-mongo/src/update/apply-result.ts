/** Result of a change: a new value, `undefined` for a removed field, or the mark that nothing changes. */
import type { Value } from '../bson/values';

export const unchanged = Symbol('unchanged');

export type Applied = Value | undefined | typeof unchanged;
