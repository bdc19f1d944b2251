/** A pipeline stage is a function between streams of documents; the surroundings supply what it needs from outside. */
import type { Doc } from '../bson/values';
import type { Filter } from '../query/predicate';
import type { Scope } from '../expressions/scope';
import type { Paced, Tick } from '../storage/pause';

/** A stage passes on the pauses of its input. */
export type Stage = (input: Paced<Doc>) => Paced<Doc>;

export interface Surroundings {
  scope: Scope;
  /** Documents of another collection of the same database that satisfy a filter, for `$lookup`. */
  read(collection: string, filter: Filter | undefined): Paced<Doc>;
  tick: Tick;
  /** Compiles a pipeline that runs inside a stage. */
  compile(pipeline: readonly Doc[], scope: Scope): Stage[];
  insideFacet?: boolean;
}
