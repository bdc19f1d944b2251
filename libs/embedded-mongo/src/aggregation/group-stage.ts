/** `$group`: one pass over the input with an accumulator state per key; keys that compare as equal share a group. */
import { CommandError, failCommand } from '../errors';
import { identityOf } from '../bson/key-encoding';
import type { Doc, Value } from '../bson/values';
import { Int32 } from '../bson/values';
import { environmentOf } from '../expressions/compile';
import type { Expression, Scope } from '../expressions/scope';
import type { Paced, Pause } from '../storage/pause';
import { pauseMark } from '../storage/pause';
import type { Accumulator } from './accumulators';
import { accumulators } from './accumulators';
import type { Stage } from './stage';

interface Field {
  name: string;
  create: () => Accumulator;
  argument: Expression;
}

/** The groups of one pass over documents; no document is kept. */
export interface Grouping {
  add(document: Doc): void;
  /** Returns the groups as documents, in the order in which they first appeared, and empties them. */
  results(): Generator<Doc>;
}

export function groupStage(spec: Value, scope: Scope): Stage {
  const begin = compileGroup(spec, scope);
  return (input) => runGroup(input, begin());
}

/** Returns a function that begins a pass. Throws MongoDB's errors for an invalid specification. */
export function compileGroup(spec: Value, scope: Scope): () => Grouping {
  if (!(spec instanceof Map)) return failCommand(15947, "a group's fields must be specified in an object");
  let key: Expression | undefined;
  const fields: Field[] = [];
  for (const [name, value] of spec) {
    if (name === '_id') key = compileKey(value, scope);
    else fields.push(compileField(name, value, scope));
  }
  if (!key) return failCommand(15955, 'a group specification must include an _id');
  const groupKey = key;
  return () => createGrouping(groupKey, fields);
}

function compileKey(source: Value, scope: Scope): Expression {
  if (source instanceof Map && [...source.keys()].some((name, index) => index > 0 && name.startsWith('$'))) {
    const [first] = source.keys();
    if (!first?.startsWith('$')) failCommand(17390, '$group does not support inclusion-style expressions');
  }
  return scope.compile(source);
}

function compileField(name: string, value: Value, scope: Scope): Field {
  if (name.includes('.')) failCommand(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) failCommand(40236, `The field name '${name}' cannot be an operator name`);
  if (!(value instanceof Map) || value.size === 0)
    return failCommand(40234, `The field '${name}' must be an accumulator object`);
  if (value.size > 1) failCommand(40238, `The field '${name}' must specify one accumulator`);
  const [operator, argument] = [...value][0] as [string, Value];
  const create = accumulators.get(operator);
  if (!create)
    return failCommand(isExpression(operator, scope) ? 40237 : 15952, `unknown group operator '${operator}'`);
  if (Array.isArray(argument)) failCommand(40237, `The ${operator} accumulator is a unary operator`);
  if (operator === '$count') {
    if (!(argument instanceof Map) || argument.size > 0) failCommand(14, '$count takes no arguments, i.e. $count:{}');
    return { name, create, argument: () => undefined };
  }
  return { name, create, argument: scope.compile(argument) };
}

/** For an expression in the place of an accumulator, the server has another error code than for an unknown name. */
function isExpression(operator: string, scope: Scope): boolean {
  if (!operator.startsWith('$')) return false;
  try {
    scope.compile(new Map([[operator, [] as Value[]]]));
    return true;
  } catch (error) {
    return error instanceof CommandError && error.code !== 168;
  }
}

interface Group {
  id: Value;
  states: Accumulator[];
}

function createGrouping(key: Expression, fields: readonly Field[]): Grouping {
  const groups = new Map<string, Group>();
  const known = new Map<Value, Group>();
  const environment = environmentOf(undefined);
  const begin = (id: Value, plain: Value): Group => {
    const identity = identityOf(id);
    const group = groups.get(identity) ?? { id, states: fields.map((field) => field.create()) };
    groups.set(identity, group);
    if (plain === null || typeof plain === 'string' || id instanceof Int32) known.set(plain, group);
    return group;
  };
  return {
    add(document) {
      environment.root = document;
      const id = key(environment) ?? null;
      // Most keys are texts, small numbers or always the same value: these find their group without an identity text.
      const plain = id instanceof Int32 ? id.value : id;
      const { states } = known.get(plain) ?? begin(id, plain);
      for (let index = 0; index < fields.length; index += 1)
        (states[index] as Accumulator).add((fields[index] as Field).argument(environment));
    },
    *results() {
      for (const [identity, { id, states }] of groups) {
        groups.delete(identity);
        const result: Doc = new Map([['_id', id]]);
        fields.forEach((field, index) => result.set(field.name, (states[index] as Accumulator).result()));
        yield result;
      }
    },
  };
}

function* runGroup(input: Paced<Doc>, grouping: Grouping): Generator<Doc | Pause> {
  for (const document of input) {
    if (document === pauseMark) yield pauseMark;
    else grouping.add(document);
  }
  yield* grouping.results();
}
