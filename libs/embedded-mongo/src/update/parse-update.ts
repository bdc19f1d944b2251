/**
 * Reads the update part of an update, upsert or findAndModify: a replacement, operators or a pipeline. The result is a
 * function from the stored document to the new one, so all three run the same way.
 */
import { failCommand } from '../errors';
import { identicalValues } from '../bson/compare';
import type { Doc, Value } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import { matches } from '../query/predicate';
import type { Scope } from '../expressions/scope';
import { compileUpdatePipeline } from '../aggregation/update-pipeline';
import { applyTree } from './apply-tree';
import { addToSetChange, popChange, pullAllChange, pullChange, pushChange } from './changes-array';
import {
  arithmeticChange,
  currentDateChange,
  extremeChange,
  setChange,
  setOnInsertChange,
  unsetChange,
} from './changes-value';
import { addRename } from './rename';
import type { Change, TreeNode } from './update-tree';
import { addChange, emptyNode, withoutInserts } from './update-tree';

interface UpdateContext {
  position: number | undefined;
  inserting: boolean;
}

export interface CompiledUpdate {
  kind: 'replacement' | 'operators' | 'pipeline';
  /** The new document; the same object when nothing changes. */
  apply(document: Doc, context: UpdateContext): Doc;
}

/**
 * Throws code 9 for an unknown operator or a value that is not an update, 40 for conflicting paths, and others as
 * MongoDB does.
 */
export function parseUpdate(
  update: Value,
  arrayFilters: Value[] | undefined,
  constants: Value | undefined,
  scope: Scope,
): CompiledUpdate {
  if (Array.isArray(update)) {
    if (arrayFilters) failCommand(9, 'arrayFilters may not be specified for pipeline-style updates');
    const transform = compileUpdatePipeline(update, constants, scope);
    return { kind: 'pipeline', apply: transform };
  }
  if (constants !== undefined) failCommand(51198, 'Constant values may only be specified for pipeline updates');
  if (!(update instanceof Map)) return failCommand(9, 'Update argument must be either an object or an array');
  const first = update.keys().next().value;
  if (first?.startsWith('$')) return parseOperators(update, arrayFilters ?? []);
  return parseReplacement(update);
}

function parseReplacement(update: Doc): CompiledUpdate {
  for (const name of update.keys()) {
    if (name.startsWith('$')) {
      failCommand(
        52,
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document.`,
      );
    }
  }
  return {
    kind: 'replacement',
    apply: (document) => (identicalValues(document, update) ? document : replaced(document, update)),
  };
}

function replaced(document: Doc, update: Doc): Doc {
  const result: Doc = new Map();
  const id = document.get('_id');
  if (id !== undefined) result.set('_id', id);
  else if (update.has('_id')) result.set('_id', update.get('_id') as Value);
  for (const [name, value] of update) if (name !== '_id' || id === undefined) result.set(name, value);
  if (id !== undefined && update.has('_id')) result.set('_id', update.get('_id') as Value);
  return result;
}

function parseOperators(update: Doc, arrayFilters: Value[]): CompiledUpdate {
  const root = emptyNode();
  for (const [operator, fields] of update) {
    if (!operator.startsWith('$'))
      failCommand(
        9,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    if (!knownOperators.includes(operator)) failCommand(9, `Unknown modifier: ${operator}`);
    if (!(fields instanceof Map))
      return failCommand(9, `Modifiers operate on fields but we found another type for '${operator}'`);
    for (const [path, operand] of fields) {
      if (operator === '$rename') addRename(root, path, operand);
      else addChange(root, path, changeOf(operator, operand, path));
    }
  }
  const filters = parseArrayFilters(arrayFilters, root);
  const existing = withoutInserts(root) ?? emptyNode();
  return {
    kind: 'operators',
    apply: (document, context) =>
      applyTree(context.inserting ? root : existing, document, { ...context, arrayFilters: filters, root: document }),
  };
}

export const knownOperators = [
  '$set',
  '$setOnInsert',
  '$unset',
  '$inc',
  '$mul',
  '$min',
  '$max',
  '$currentDate',
  '$rename',
  '$push',
  '$addToSet',
  '$pull',
  '$pullAll',
  '$pop',
];

function changeOf(operator: string, operand: Value, path: string): Change {
  switch (operator) {
    case '$set':
      return setChange(operand);
    case '$setOnInsert':
      return setOnInsertChange(operand);
    case '$unset':
      return unsetChange();
    case '$inc':
    case '$mul':
      return arithmeticChange(operator, operand, path);
    case '$min':
    case '$max':
      return extremeChange(operator, operand);
    case '$currentDate':
      return currentDateChange(operand, path);
    case '$push':
      return pushChange(operand, path);
    case '$addToSet':
      return addToSetChange(operand, path);
    case '$pull':
      return pullChange(operand);
    case '$pullAll':
      return pullAllChange(operand);
    default:
      return popChange(operand, path);
  }
}

/** Array filters by their identifier; each must be used and name one identifier. */
function parseArrayFilters(sources: Value[], root: TreeNode): Map<string, (element: Value) => boolean> {
  const used = new Set<string>();
  collectIdentifiers(root, used);
  const filters = new Map<string, (element: Value) => boolean>();
  for (const source of sources) {
    if (!(source instanceof Map)) return failCommand(14, 'arrayFilters must hold objects');
    const filter = parseFilter(source);
    const identifier = identifierOf(source);
    if (filters.has(identifier))
      failCommand(9, `Found multiple array filters with the same top-level field name ${identifier}`);
    if (!used.has(identifier))
      failCommand(9, `The array filter for identifier '${identifier}' was not used in the update`);
    filters.set(identifier, (element) => matches(filter, new Map([[identifier, element]])));
  }
  for (const identifier of used) {
    if (!filters.has(identifier)) failCommand(2, `No array filter found for identifier '${identifier}'`);
  }
  return filters;
}

function identifierOf(filter: Doc): string {
  const names = new Set<string>();
  collectFields(filter, names);
  if (names.size === 0) failCommand(9, 'Cannot use an expression without a top-level field name in arrayFilters');
  if (names.size > 1)
    failCommand(
      9,
      `Error parsing array filter :: Expected a single top-level field name, found '${[...names].join("' and '")}'`,
    );
  const [identifier] = [...names] as [string];
  if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier))
    failCommand(2, `The array filter identifier '${identifier}' is not alphanumeric beginning with a lowercase letter`);
  return identifier;
}

function collectFields(filter: Doc, names: Set<string>): void {
  for (const [name, operand] of filter) {
    if (name === '$expr') failCommand(224, '$expr is not allowed in the context of an array filter');
    if (['$and', '$or', '$nor'].includes(name) && Array.isArray(operand)) {
      for (const clause of operand) if (clause instanceof Map) collectFields(clause, names);
    } else if (!name.startsWith('$')) {
      names.add(name.split('.')[0] as string);
    }
  }
}

function collectIdentifiers(node: TreeNode, used: Set<string>): void {
  for (const [name, child] of node.children) {
    if (name.startsWith('$[') && name !== '$[]') used.add(name.slice(2, -1));
    collectIdentifiers(child, used);
  }
}
