/**
 * A pipeline that begins with a filter and a `$group` over a whole collection: each document is filtered and counted
 * from its stored bytes, field by field, and none is decoded.
 */
import { compileGroup } from '../aggregation/group-stage';
import { neededFields } from '../aggregation/needed-fields';
import { createRowReader } from '../bson/row-reader';
import type { Doc } from '../bson/values';
import type { Scope } from '../expressions/scope';
import type { Filter } from '../query/predicate';
import { matches } from '../query/predicate';
import { rowConditions } from '../query/row-conditions';
import type { Collection } from '../storage/catalog';
import { visitDocs } from '../storage/collection-store';
import type { Engine } from '../storage/engine';
import type { Pause, Tick } from '../storage/pause';
import { pauseMark } from '../storage/pause';
import type { Plan } from '../storage/planner';
import { checkAlive } from '../storage/read-plan';

export interface GroupedScan {
  readonly plan: Extract<Plan, { kind: 'scan' }>;
  readonly filter: Filter;
  /** The `$group` stage. */
  readonly group: Doc;
  /** The fields that the filter and the stage name. */
  readonly fields: ReadonlySet<string>;
}

export function* groupedScan(
  engine: Engine,
  collection: Collection,
  { plan, filter, group, fields }: GroupedScan,
  scope: Scope,
  tick: Tick,
): Generator<Doc | Pause> {
  const { fields: conditions, rest } = rowConditions(filter);
  const named = rest ? fields : (neededFields([group]) ?? fields);
  const read = createRowReader(
    [...fields].map((name) => ({ name, keep: named.has(name), conditions: conditions.get(name) ?? [] })),
  );
  const grouping = compileGroup(group.get('$group')!, scope)();
  const row: Doc = new Map();
  const visit = (bytes: Buffer): void => {
    if (read(bytes, row) && (!rest || matches(rest, row))) grouping.add(row);
  };
  for (const count of visitDocs(engine, collection, plan.reverse, visit)) {
    let over = false;
    for (let document = 0; document < count; document += 1) over = tick() || over;
    if (over) yield pauseMark;
    checkAlive(collection, plan);
  }
  yield* grouping.results();
}
