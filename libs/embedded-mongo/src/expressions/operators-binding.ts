/** Operators that bind variables: `$let`, `$map`, `$filter`, `$reduce`. */
import { failCommand } from '../errors';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { isNullish } from '../bson/values';
import type { Builder } from './arguments';
import { oncePerDay } from './once-per-day';
import type { Expression } from './scope';
import { checkVariableName, Scope } from './scope';
import { isTruthy } from './truth';

/** Named arguments; the codes are for a wrong shape and an unknown name. */
function named(argument: Value, name: string, known: readonly string[], shapeCode: number, unknownCode: number): Doc {
  if (!(argument instanceof Map)) return failCommand(shapeCode, `${name} only supports an object as its argument`);
  for (const field of argument.keys())
    if (!known.includes(field)) failCommand(unknownCode, `Unrecognized parameter to ${name}: ${field}`);
  return argument;
}

function part(fields: Doc, field: string, name: string, code: number): Value {
  return fields.has(field)
    ? (fields.get(field) as Value)
    : failCommand(code, `Missing '${field}' parameter to ${name}`);
}

function nameOf(fields: Doc): string {
  const name = fields.get('as') ?? 'this';
  if (typeof name !== 'string') return failCommand(9, "'as' must be a string");
  checkVariableName(name);
  return name;
}

const letOperator: Builder = (argument, scope, name) => {
  const fields = named(argument, name, ['vars', 'in'], 16874, 16875);
  const variables = part(fields, 'vars', name, 16876);
  const body = part(fields, 'in', name, 16877);
  if (!(variables instanceof Map)) return failCommand(10065, 'invalid parameter: expected an object (vars)');
  const inner = new Scope(scope);
  const bindings = [...variables].map(([variable, source]) => {
    checkVariableName(variable);
    return { variable, expression: scope.compile(source) };
  });
  const slots = bindings.map(({ variable, expression }) => ({ slot: inner.declare(variable), expression }));
  const result = inner.compile(body);
  const bound: Expression = (environment) => {
    const values = slots.map(({ expression }) => expression(environment));
    slots.forEach(({ slot }, index) => (environment.slots[slot] = values[index]));
    return result(environment);
  };
  return oncePerDay(variables, body, scope, bound) ?? bound;
};

const map: Builder = (argument, scope, name) => {
  const fields = named(argument, name, ['input', 'as', 'in'], 16878, 16879);
  const input = scope.compile(part(fields, 'input', name, 16880));
  const inner = new Scope(scope);
  const slot = inner.declare(nameOf(fields));
  const body = inner.compile(part(fields, 'in', name, 16882));
  return (environment) => {
    const array = input(environment);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return failCommand(16883, `input to $map must be an array not ${typeName(array)}`);
    return array.map((element) => {
      environment.slots[slot] = element;
      return body(environment) ?? null;
    });
  };
};

const filter: Builder = (argument, scope, name) => {
  const fields = named(argument, name, ['input', 'as', 'cond'], 28646, 28647);
  const input = scope.compile(part(fields, 'input', name, 28648));
  const condition = part(fields, 'cond', name, 28650);
  const inner = new Scope(scope);
  const slot = inner.declare(nameOf(fields));
  const test = inner.compile(condition);
  return (environment) => {
    const array = input(environment);
    if (isNullish(array)) return null;
    if (!Array.isArray(array)) return failCommand(28651, `input to $filter must be an array not ${typeName(array)}`);
    return array.filter((element) => {
      environment.slots[slot] = element;
      return isTruthy(test(environment));
    });
  };
};

const reduce: Builder = (argument, scope, name) => {
  const fields = named(argument, name, ['input', 'initialValue', 'in'], 40075, 40076);
  const input = scope.compile(part(fields, 'input', name, 40077));
  const initial = scope.compile(part(fields, 'initialValue', name, 40078));
  const inner = new Scope(scope);
  const [element, total] = [inner.declare('this'), inner.declare('value')];
  const body = inner.compile(part(fields, 'in', name, 40079));
  return (environment) => {
    const array = input(environment);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      return failCommand(40080, `$reduce requires that 'input' be an array, found: ${typeName(array)}`);
    let value = initial(environment);
    for (const current of array) {
      environment.slots[element] = current;
      environment.slots[total] = value;
      value = body(environment);
    }
    return value;
  };
};

export const bindingOperators: Record<string, Builder> = {
  $let: letOperator,
  $map: map,
  $filter: filter,
  $reduce: reduce,
};
