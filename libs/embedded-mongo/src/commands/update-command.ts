/** update: statements with operators, replacements or pipelines; one write transaction per command. */
import { CommandError, failCommand } from '../errors';
import { compareValues, identicalValues } from '../bson/compare';
import type { Doc, Value } from '../bson/values';
import { doc, docOf, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import type { Filter, MatchDetails } from '../query/predicate';
import { insertDoc, replaceDoc } from '../storage/collection-store';
import type { StoredDoc } from '../storage/collection-store';
import type { Collection } from '../storage/catalog';
import { choosePlan } from '../storage/planner';
import { readPlan } from '../storage/read-plan';
import { ensureCollection, findCollection, namespaceName } from '../storage/store';
import type { CompiledUpdate } from '../update/parse-update';
import { parseUpdate } from '../update/parse-update';
import { documentFromFilter } from '../update/upsert-document';
import type { Command, CommandContext } from './context';
import {
  checkArguments,
  checkFields,
  optionalBoolean,
  optionalDoc,
  requiredArray,
  requiredDoc,
  requiredValue,
  wrongType,
} from './fields';
import { assertOffered, readHint } from './find-command';
import { storeLimits } from './handshake';
import { checkId, newObjectId, withId } from './insert-command';
import { checkWriteConcern, writeErrorDoc } from './write-results';
import { scopeOf } from './variables';

const statementFields = [
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'arrayFilters',
  'collation',
  'hint',
  'upsertSupplied',
  'sampleId',
];

interface Outcome {
  matched: number;
  modified: number;
  upserted: Value | undefined;
}

const update: Command = async (command, context) => {
  checkArguments(command, 'update', ['updates', 'ordered', 'bypassDocumentValidation', 'let']);
  const name = namespaceName(context.database, command.get('update'));
  checkWriteConcern(command);
  optionalBoolean(command, 'bypassDocumentValidation', false, true);
  const ordered = optionalBoolean(command, 'ordered', true);
  const statements = readStatements(command);
  return context.store.engine.write(() => {
    const total: Outcome = { matched: 0, modified: 0, upserted: undefined };
    const upserted: Doc[] = [];
    const errors: Doc[] = [];
    for (const [index, statement] of statements.entries()) {
      try {
        runStatement(command, statement, name, context, total);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        errors.push(writeErrorDoc(index, error));
        if (ordered) break;
      }
      if (total.upserted !== undefined) {
        upserted.push(docOf({ index: int(index), _id: total.upserted }));
        total.upserted = undefined;
      }
    }
    return docOf({
      n: int(total.matched),
      upserted: upserted.length > 0 ? upserted : undefined,
      nModified: int(total.modified),
      writeErrors: errors.length > 0 ? errors : undefined,
    });
  });
};

function readStatements(command: Doc): Doc[] {
  const statements = requiredArray(command, 'updates').map((statement) => {
    if (!(statement instanceof Map)) throw wrongType('update.updates', statement, 'object');
    checkFields(statement, 'update.updates', statementFields);
    requiredDoc(statement, 'q');
    checkUpdateType(requiredValue(statement, 'u'));
    optionalBoolean(statement, 'multi', false);
    optionalBoolean(statement, 'upsert', false);
    const filters = statement.get('arrayFilters');
    if (filters !== undefined) checkArrayFilterTypes(filters);
    return statement;
  });
  if (statements.length === 0 || statements.length > storeLimits.writeBatch) {
    failCommand(
      16,
      `Write batch sizes must be between 1 and ${storeLimits.writeBatch}. Got ${statements.length} operations.`,
    );
  }
  return statements;
}

/**
 * Throws code 9 for a value that is neither document nor pipeline, 14 for a pipeline with elements that are not
 * documents.
 */
export function checkUpdateType(update: Value): void {
  if (Array.isArray(update)) {
    for (const stage of update)
      if (!(stage instanceof Map)) failCommand(14, 'Each element of the pipeline array must be an object');
    for (const stage of update as Doc[]) checkStageShape(stage);
  } else if (!(update instanceof Map)) {
    failCommand(9, 'Update argument must be either an object or an array');
  }
}

const pipelineStages = new Set([
  '$set',
  '$addFields',
  '$unset',
  '$project',
  '$replaceRoot',
  '$replaceWith',
  '$match',
  '$group',
  '$sort',
  '$limit',
  '$skip',
  '$count',
  '$facet',
  '$lookup',
  '$unwind',
  '$out',
  '$merge',
  '$sample',
  '$bucket',
  '$bucketAuto',
  '$sortByCount',
  '$graphLookup',
  '$unionWith',
  '$redact',
  '$geoNear',
  '$indexStats',
  '$collStats',
  '$setWindowFields',
  '$changeStream',
  '$currentOp',
]);

function checkStageShape(stage: Doc): void {
  if (stage.size !== 1) failCommand(40323, 'A pipeline stage specification object must contain exactly one field.');
  const [name] = stage.keys();
  if (!pipelineStages.has(name as string)) failCommand(40324, `Unrecognized pipeline stage name: '${name}'`);
}

export function checkArrayFilterTypes(filters: Value): void {
  if (!Array.isArray(filters)) failCommand(10065, 'invalid parameter: expected an object (arrayFilters)');
  for (const filter of filters as Value[])
    if (!(filter instanceof Map)) failCommand(14, 'arrayFilters must hold objects');
}

function runStatement(command: Doc, statement: Doc, name: string, context: CommandContext, total: Outcome): void {
  assertOffered(statement, ['collation']);
  const multi = optionalBoolean(statement, 'multi', false);
  const source = requiredValue(statement, 'u');
  const compiled = parseUpdate(
    source,
    statement.get('arrayFilters') as Value[] | undefined,
    optionalDoc(statement, 'c'),
    scopeOf(command),
  );
  if (multi && compiled.kind === 'replacement')
    failCommand(9, 'multi update is not supported for replacement-style update');
  const filter = parseFilter(requiredDoc(statement, 'q'), { scope: scopeOf(command) });
  const collection = findCollection(context.store, context.database, name);
  const targets = collection ? findTargets(collection, filter, statement, multi, context) : [];
  let modified = 0;
  for (const { stored, details } of targets) {
    const changed = changedDoc(compiled, stored.document, details);
    if (changed === stored.document) continue;
    replaceDoc(context.store.engine, collection as Collection, stored, changed, requiredDoc(statement, 'q'));
    modified += 1;
  }
  total.matched += targets.length;
  total.modified += modified;
  if (targets.length > 0 || !optionalBoolean(statement, 'upsert', false)) return;
  const created = upsertDoc(compiled, filter);
  insertDoc(context.store.engine, ensureCollection(context.store, context.database, name), created);
  total.matched += 1;
  total.upserted = created.get('_id');
}

interface Target {
  stored: StoredDoc;
  details: MatchDetails;
}

function findTargets(
  collection: Collection,
  filter: Filter,
  statement: Doc,
  multi: boolean,
  context: CommandContext,
): Target[] {
  const plan = choosePlan(collection, { filter, sort: undefined, hint: readHint(statement.get('hint')) });
  const targets: Target[] = [];
  for (const match of readPlan(context.store.engine, collection, plan, filter, context.tick)) {
    targets.push({ stored: match, details: match.details });
    if (!multi) break;
  }
  return targets;
}

/** The document after the update; the same object when nothing changes. Throws code 66 when `_id` would change. */
export function changedDoc(compiled: CompiledUpdate, document: Doc, details: MatchDetails): Doc {
  const changed = compiled.apply(document, { position: details.position, inserting: false });
  if (changed === document) return document;
  const before = document.get('_id') as Value;
  const after = changed.get('_id');
  const sameId =
    after !== undefined &&
    (compiled.kind === 'operators' ? identicalValues(before, after) : compareValues(before, after) === 0);
  if (!sameId) failCommand(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  return changed;
}

/** The document that an upsert inserts. */
export function upsertDoc(compiled: CompiledUpdate, filter: Filter): Doc {
  const start = documentFromFilter(filter);
  const id = start.get('_id');
  const base =
    compiled.kind === 'replacement' ? doc(...(id === undefined ? [] : ([['_id', id]] as [string, Value][]))) : start;
  const created = new Map(compiled.apply(base, { position: undefined, inserting: true }));
  const newId = created.get('_id');
  if (id !== undefined && (newId === undefined || compareValues(id, newId) !== 0)) {
    failCommand(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  if (newId === undefined) return withId(new Map([['_id', newObjectId() as Value], ...created]));
  checkId(newId);
  return withId(created);
}

export const updateCommands: Record<string, Command> = { update };
