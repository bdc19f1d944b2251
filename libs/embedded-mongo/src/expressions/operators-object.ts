/** Object operators. */
import { failCommand } from '../errors';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { docOf, isNullish } from '../bson/values';
import type { Builder } from './arguments';
import { unary, variadic } from './arguments';

const mergeObjects = variadic((values) => {
  const result: Doc = new Map();
  for (const value of values) {
    if (isNullish(value)) continue;
    if (!(value instanceof Map))
      return failCommand(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`);
    for (const [name, field] of value) result.set(name, field);
  }
  return result;
});

const objectToArray = unary((value) => {
  if (isNullish(value)) return null;
  if (!(value instanceof Map))
    return failCommand(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
  return [...value].map(([name, field]) => docOf({ k: name, v: field }));
});

const arrayToObject = unary((value) => {
  if (isNullish(value)) return null;
  if (!Array.isArray(value))
    return failCommand(40386, `$arrayToObject requires an array input, found: ${typeName(value)}`);
  const result: Doc = new Map();
  const [first] = value;
  if (first === undefined) return result;
  if (!Array.isArray(first) && !(first instanceof Map))
    return failCommand(40398, `Unrecognised input type format for $arrayToObject: ${typeName(first)}`);
  for (const element of value) {
    const [name, field] = Array.isArray(first) ? fromPair(element) : fromKeyValue(element);
    if (name.includes('\0')) failCommand(4940400, 'Key field cannot contain an embedded null byte');
    result.set(name, field);
  }
  return result;
});

function fromPair(element: Value): [string, Value] {
  if (!Array.isArray(element))
    return failCommand(
      40396,
      `$arrayToObject requires a consistent input format. Expected an array, found: ${typeName(element)}`,
    );
  if (element.length !== 2)
    return failCommand(
      40397,
      `$arrayToObject requires an array of size 2 arrays, found array of size: ${element.length}`,
    );
  const [name, field] = element as [Value, Value];
  if (typeof name !== 'string')
    return failCommand(
      40395,
      `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found: ${typeName(name)}`,
    );
  return [name, field];
}

function fromKeyValue(element: Value): [string, Value] {
  if (!(element instanceof Map))
    return failCommand(
      40391,
      `$arrayToObject requires a consistent input format. Expected an object, found: ${typeName(element)}`,
    );
  if (element.size !== 2)
    return failCommand(40392, "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys");
  const name = element.get('k');
  const field = element.get('v');
  if (name === undefined || field === undefined)
    return failCommand(40393, "$arrayToObject requires an object with keys 'k' and 'v'");
  if (typeof name !== 'string')
    return failCommand(
      40394,
      `$arrayToObject requires that the value of 'k' be of type string. Found: ${typeName(name)}`,
    );
  return [name, field];
}

export const objectOperators: Record<string, Builder> = {
  $mergeObjects: mergeObjects,
  $objectToArray: objectToArray,
  $arrayToObject: arrayToObject,
};
