/** Runs a plan: yields the documents that the filter accepts, in the order in which the plan reads them. */
import { failCommand } from '../errors';
import type { ReadRow } from '../bson/row-reader';
import { createRowReader } from '../bson/row-reader';
import type { Doc } from '../bson/values';
import type { Filter, MatchDetails } from '../query/predicate';
import { matches } from '../query/predicate';
import type { Collection } from './catalog';
import type { StoredDoc } from './collection-store';
import { readDoc, scanDocs, scanFields, scanIndex } from './collection-store';
import type { Engine } from './engine';
import type { Pause, Tick } from './pause';
import { pauseMark } from './pause';
import type { Plan } from './planner';

export interface Match extends StoredDoc {
  details: MatchDetails;
}

/** The matches without pauses, for work that must not be interrupted. `check` may throw to end the reading. */
export function* readPlan(
  engine: Engine,
  collection: Collection,
  plan: Plan,
  filter: Filter,
  check: () => void,
): Generator<Match> {
  const tick = (): boolean => {
    check();
    return false;
  };
  for (const match of readPaced(engine, collection, plan, filter, tick)) if (match !== pauseMark) yield match;
}

/** The documents of the matches, with the pauses; with `fields`, only these fields are read. */
export function* readDocuments(
  engine: Engine,
  collection: Collection,
  plan: Plan,
  filter: Filter,
  tick: Tick,
  fields?: ReadonlySet<string>,
): Generator<Doc | Pause> {
  for (const document of documentsRead(engine, collection, plan, fields && readerOf(fields))) {
    if (tick()) yield pauseMark;
    checkAlive(collection, plan);
    if (matches(filter, document)) yield document;
  }
  checkAlive(collection, plan);
}

const readerOf = (fields: ReadonlySet<string>): ReadRow =>
  createRowReader([...fields].map((name) => ({ name, keep: true, conditions: [] })));

function* documentsRead(
  engine: Engine,
  collection: Collection,
  plan: Plan,
  fields: ReadRow | undefined,
): Generator<Doc> {
  if (plan.kind === 'scan' && fields) yield* scanFields(engine, collection, plan.reverse, fields);
  else for (const { document } of documentsOf(engine, collection, plan, fields)) yield document;
}

export function* readPaced(
  engine: Engine,
  collection: Collection,
  plan: Plan,
  filter: Filter,
  tick: Tick,
): Generator<Match | Pause> {
  for (const stored of documentsOf(engine, collection, plan)) {
    if (tick()) yield pauseMark;
    checkAlive(collection, plan);
    const details: MatchDetails = { position: undefined };
    if (matches(filter, stored.document, details))
      yield { record: stored.record, document: stored.document, bytes: stored.bytes, details };
  }
  checkAlive(collection, plan);
}

/**
 * Without this check, a collection or index that was dropped between two batches would look like an early end. Throws
 * code 175.
 */
export function checkAlive(collection: Collection, plan: Plan): void {
  const indexes =
    plan.kind === 'index' ? [plan.index] : plan.kind === 'union' ? plan.plans.map(({ index }) => index) : [];
  if (collection.dropped) failCommand(175, 'collection dropped while it was being read');
  if (indexes.some((index) => index.dropped)) failCommand(175, 'index dropped while it was being read');
}

function* documentsOf(engine: Engine, collection: Collection, plan: Plan, fields?: ReadRow): Generator<StoredDoc> {
  if (plan.kind === 'scan') {
    yield* scanDocs(engine, collection, plan.reverse);
    return;
  }
  for (const record of recordsOf(engine, plan)) {
    const stored = readDoc(engine, collection, record, fields);
    if (stored) yield stored;
  }
}

/** Record numbers of an index plan, each once. */
export function* recordsOf(engine: Engine, plan: Exclude<Plan, { kind: 'scan' }>): Generator<number> {
  if (plan.kind === 'index') {
    yield* scanIndex(engine, plan.index, plan.intervals, plan.reverse);
    return;
  }
  const seen = new Set<number>();
  for (const part of plan.plans) {
    for (const record of scanIndex(engine, part.index, part.intervals, part.reverse)) {
      if (seen.has(record)) continue;
      seen.add(record);
      yield record;
    }
  }
}
