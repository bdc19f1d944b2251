/** The context of a change, and its result: a new value, `undefined` for a removed field, or no change. */
import type { Doc, Value } from '../bson/values';

export const unchanged = Symbol('unchanged');

export type Applied = Value | undefined | typeof unchanged;

export interface ApplyContext {
  /** Array position found by the filter, for `$`. */
  position: number | undefined;
  /** Array filters by identifier. */
  arrayFilters: ReadonlyMap<string, (element: Value) => boolean>;
  /** The document before the update; `$rename` reads its source there. */
  root: Doc;
  /** True while an upsert builds its document; only then `$setOnInsert` applies. */
  inserting: boolean;
}
