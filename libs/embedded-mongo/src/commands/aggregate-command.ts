/**
 * aggregate: the leading `$match` and `$sort` of a pipeline read through indexes; the rest runs over that stream.
 */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { int, Int32 } from '../bson/values';
import { neededFields } from '../aggregation/needed-fields';
import { compilePipeline } from '../aggregation/pipeline';
import type { Stage, Surroundings } from '../aggregation/stage';
import type { Scope } from '../expressions/scope';
import { parseFilter } from '../query/compile-filter';
import type { Filter } from '../query/predicate';
import { parseSort } from '../query/sort';
import { countByIndex } from '../storage/index-count';
import { choosePlan, scannedIfWide } from '../storage/planner';
import type { Paced, Pause } from '../storage/pause';
import { readDocuments } from '../storage/read-plan';
import { findCollection, namespaceName } from '../storage/store';
import type { Command, CommandContext } from './context';
import { checkArguments, checkFields, optionalBoolean, optionalCount, requiredArray, wrongType } from './fields';
import { readHint, assertOffered } from './find-command';
import { groupedScan } from './grouped-scan';
import { scopeOf } from './variables';

const matchAll: Filter = { kind: 'and', children: [] };

const aggregate: Command = (command, context) => {
  checkArguments(command, 'aggregate', [
    'pipeline',
    'cursor',
    'explain',
    'allowDiskUse',
    'bypassDocumentValidation',
    'collation',
    'hint',
    'let',
  ]);
  const pipeline = pipelineOf(command);
  if (pipeline[0]?.has('$changeStream'))
    failCommand(40573, 'The $changeStream stage is only supported on replica sets');
  const name = collectionName(command, context);
  optionalBoolean(command, 'allowDiskUse', false);
  if (command.has('explain')) failCommand(238, "Use the explain command instead of the aggregate option 'explain'");
  assertOffered(command, ['collation']);
  const batchSize = cursorOf(command);
  const scope = scopeOf(command);
  const surroundings = surroundingsOf(context, scope);
  const stages = compilePipeline(pipeline, surroundings);
  const { source, used } = readLeading(name, pipeline, command, context, scope);
  const results = stages.slice(used).reduce<Paced<Doc>>((input, stage) => stage(input), source);
  return context.cursors.open(`${context.database}.${name}`, results, { batchSize }, context.pause);
};

function collectionName(command: Doc, context: CommandContext): string {
  const name = command.get('aggregate');
  if (typeof name !== 'string') return failCommand(9, 'collection-less aggregation is not offered by this store');
  return namespaceName(context.database, name);
}

function pipelineOf(command: Doc): Doc[] {
  return requiredArray(command, 'pipeline').map((stage) =>
    stage instanceof Map ? stage : failCommand(14, 'Each element of the pipeline array must be an object'),
  );
}

function cursorOf(command: Doc): number | undefined {
  const cursor = command.get('cursor');
  if (cursor === undefined)
    return failCommand(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  if (!(cursor instanceof Map)) throw wrongType('aggregate.cursor', cursor, 'object');
  checkFields(cursor, 'cursor', ['batchSize']);
  return optionalCount(cursor, 'batchSize');
}

function surroundingsOf(context: CommandContext, scope: Scope): Surroundings {
  const surroundings: Surroundings = {
    scope,
    read: (name, filter) => readCollection(name, filter ?? matchAll, context),
    tick: () => context.tick(),
    compile: (pipeline, inner): Stage[] => compilePipeline(pipeline, { ...surroundings, scope: inner }),
  };
  return surroundings;
}

function* readCollection(name: string, filter: Filter, context: CommandContext): Generator<Doc | Pause> {
  const collection = findCollection(context.store, context.database, name);
  if (!collection) return;
  const plan = choosePlan(collection, { filter, sort: undefined, hint: undefined });
  yield* readDocuments(context.store.engine, collection, plan, filter, () => context.tick());
}

/** What the pipeline reads first: the filter and the order that an index may serve. */
export function leadingReads(command: Doc): { filter: Doc; sort: Doc | undefined } {
  const [first, second] = (command.get('pipeline') ?? []) as Doc[];
  const match = first?.get('$match');
  const sort = match instanceof Map ? second?.get('$sort') : first?.get('$sort');
  return { filter: match instanceof Map ? match : new Map(), sort: sort instanceof Map ? sort : undefined };
}

/** Reads through an index where one serves; `used` is the number of stages that no longer need to run. */
function readLeading(
  name: string,
  pipeline: readonly Doc[],
  command: Doc,
  context: CommandContext,
  scope: Scope,
): { source: Paced<Doc>; used: number } {
  const { filter: filterDoc, sort } = leadingReads(command);
  const filter = parseFilter(filterDoc, { scope });
  const hint: Value | undefined = readHint(command.get('hint'));
  const collection = findCollection(context.store, context.database, name);
  if (!collection) return { source: [], used: 0 };
  const { engine } = context.store;
  const counted = hint === undefined ? countedAtOnce(pipeline) : undefined;
  if (counted) {
    const found = countByIndex(engine, collection, filter);
    if (found !== undefined) return { source: found === 0 ? [] : [counted.result(found)], used: counted.stages };
  }
  const chosen = choosePlan(collection, { filter, sort: sort && sort.size > 0 ? parseSort(sort) : undefined, hint });
  const fields = neededFields(pipeline);
  const plan = fields && !sort && hint === undefined ? scannedIfWide(engine, collection, chosen) : chosen;
  const matched = pipeline[0]?.has('$match') ? 1 : 0;
  const group = pipeline[matched];
  if (fields && plan.kind === 'scan' && group?.has('$group')) {
    const source = groupedScan(engine, collection, { plan, filter, group, fields }, scope, () => context.tick());
    return { source, used: matched + 1 };
  }
  const used = matched + (sort && plan.sorted ? 1 : 0);
  return { source: readDocuments(engine, collection, plan, filter, () => context.tick(), fields), used };
}

/** A pipeline that begins by counting all matches; `result` is the number in the form of its first stage. */
function countedAtOnce(pipeline: readonly Doc[]): { stages: number; result: (found: number) => Doc } | undefined {
  const stages = pipeline[0]?.has('$match') ? 2 : 1;
  const stage = pipeline[stages - 1];
  const name = stage?.get('$count');
  if (typeof name === 'string') return { stages, result: (found) => new Map([[name, int(found)]]) };
  const group = stage?.get('$group');
  if (!(group instanceof Map) || group.size !== 2 || group.get('_id') !== null) return undefined;
  const [field, accumulator] = [...group][1]!;
  const one = accumulator instanceof Map && accumulator.size === 1 ? accumulator.get('$sum') : undefined;
  if (!(one instanceof Int32) || one.value !== 1) return undefined;
  return {
    stages,
    result: (found) =>
      new Map<string, Value>([
        ['_id', null],
        [field, int(found)],
      ]),
  };
}

export const aggregateCommands: Record<string, Command> = { aggregate };
