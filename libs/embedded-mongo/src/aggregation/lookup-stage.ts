/** `$lookup`: joins another collection of the same database, by equal fields or by a pipeline with variables. */
import { failCommand } from '../errors';
import { identityOf } from '../bson/key-encoding';
import type { Doc, Value } from '../bson/values';
import { isNullish } from '../bson/values';
import { environmentOf } from '../expressions/compile';
import { checkVariableName, Scope } from '../expressions/scope';
import type { Filter } from '../query/predicate';
import { follow } from '../expressions/field-path';
import type { Paced, Pause } from '../storage/pause';
import { gathered, pauseMark } from '../storage/pause';
import { namespaceName } from '../storage/store';
import type { Stage, Surroundings } from './stage';
import { replaceAt } from './unwind-stage';

interface Lookup {
  from: string;
  as: string[];
  local: string[] | undefined;
  foreign: string[] | undefined;
  variables: Doc;
  pipeline: Doc[] | undefined;
}

export function lookupStage(spec: Value, surroundings: Surroundings): Stage {
  const lookup = parse(spec);
  const join = lookup.pipeline ? pipelineJoin(lookup, surroundings) : equalityJoin(lookup, surroundings);
  return function* (input) {
    for (const document of input) {
      if (document === pauseMark) yield pauseMark;
      else yield replaceAt(document, lookup.as, yield* join(document));
    }
  };
}

function parse(spec: Value): Lookup {
  if (!(spec instanceof Map)) return failCommand(9, 'the $lookup specification must be an Object');
  for (const name of spec.keys()) {
    if (!['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'].includes(name))
      failCommand(9, `unknown argument to $lookup: ${name}`);
  }
  const text = (name: string): string | undefined => {
    const value = spec.get(name);
    if (value !== undefined && typeof value !== 'string')
      return failCommand(9, `$lookup argument '${name}' must be a string`);
    return value;
  };
  const as = text('as') ?? failCommand(9, "must specify 'as' field for a $lookup");
  const from = text('from') ?? failCommand(9, "must specify 'from' field for a $lookup");
  const local = text('localField');
  const foreign = text('foreignField');
  const pipeline = spec.get('pipeline');
  if (pipeline === undefined && (local === undefined || foreign === undefined)) {
    failCommand(9, "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  }
  if ((local === undefined) !== (foreign === undefined))
    failCommand(9, "$lookup requires both or neither of 'localField' and 'foreignField'");
  const variables = spec.get('let');
  if (variables !== undefined && !(variables instanceof Map))
    return failCommand(9, "$lookup argument 'let' must be an object");
  if (variables && pipeline === undefined) failCommand(9, "$lookup with 'let' needs a pipeline");
  return {
    from: namespaceName('db', from),
    as: fieldParts(as),
    local: local === undefined ? undefined : fieldParts(local),
    foreign: foreign === undefined ? undefined : fieldParts(foreign),
    variables: variables ?? new Map(),
    pipeline: pipeline === undefined ? undefined : pipelineOf(pipeline),
  };
}

function pipelineOf(pipeline: Value): Doc[] {
  if (!Array.isArray(pipeline)) return failCommand(14, "'pipeline' option must be specified as an array");
  return pipeline.map((stage) =>
    stage instanceof Map ? stage : failCommand(14, 'Each element of the pipeline array must be an object'),
  );
}

function fieldParts(path: string): string[] {
  if (path === '') failCommand(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) failCommand(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) {
    if (part === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) failCommand(16410, "FieldPath field names may not start with '$'.");
  }
  return parts;
}

type Join = (document: Doc) => Generator<Pause, Doc[]>;

function equalityJoin(lookup: Lookup, surroundings: Surroundings): Join {
  const cache = new Map<string, Doc[]>();
  return function* (document) {
    const filter = joinFilter(lookup, document);
    const key = filter.key;
    let found = cache.get(key);
    if (!found) {
      found = yield* gathered(surroundings.read(lookup.from, filter.filter));
      if (cache.size < 1000) cache.set(key, found);
    }
    return found;
  };
}

/** The foreign documents whose field equals the local value, one of its elements, or null when it is missing. */
function joinFilter(lookup: Lookup, document: Doc): { filter: Filter; key: string } {
  const local = follow(document, lookup.local as string[], 0);
  const candidates = Array.isArray(local) && local.length > 0 ? local : [Array.isArray(local) ? null : local];
  const values = candidates.map((value) => (isNullish(value) ? null : value));
  const identities = new Set(values.map(identityOf));
  const filter: Filter = {
    kind: 'field',
    path: (lookup.foreign as string[]).join('.'),
    parts: lookup.foreign as string[],
    leaf: { op: 'in', values, identities, patterns: [] },
  };
  return { filter, key: [...identities].sort().join('\u0000\u0001') };
}

function pipelineJoin(lookup: Lookup, surroundings: Surroundings): Join {
  const variables = [...lookup.variables].map(([name, source]) => {
    checkVariableName(name);
    return { name, expression: surroundings.scope.compile(source) };
  });
  const pipeline = lookup.pipeline as Doc[];
  const check = new Scope(surroundings.scope);
  for (const { name } of variables) check.define(name, null);
  surroundings.compile(pipeline, check);
  return function* (document) {
    const environment = environmentOf(document);
    const inner = new Scope(surroundings.scope);
    for (const { name, expression } of variables) inner.define(name, expression(environment));
    const filter = lookup.local ? joinFilter(lookup, document).filter : undefined;
    const source = surroundings.read(lookup.from, filter);
    return yield* gathered(
      surroundings.compile(pipeline, inner).reduce<Paced<Doc>>((input, stage) => stage(input), source),
    );
  };
}
