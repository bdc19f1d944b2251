/**
 * Turns an expression document into a function. Everything that MongoDB refuses when it parses (unknown operators, wrong
 * argument counts, undefined variables, bad paths) is refused here, before any document is read.
 */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { operators } from './operators';
import { fieldPath } from './field-path';
import type { Environment, Expression } from './scope';
import { Scope } from './scope';

/** A scope with only the built-in variables. */
export const outermostScope = (): Scope => new Scope(compileExpression);

/** Compiles an expression. Throws MongoDB's parse errors, for example 168 for an unknown operator. */
export function compileExpression(source: Value, scope: Scope = outermostScope()): Expression {
  if (typeof source === 'string') return source.startsWith('$') ? compileReference(source, scope) : constant(source);
  if (Array.isArray(source)) return compileArray(source, scope);
  if (source instanceof Map) return compileDocument(source, scope);
  return constant(source);
}

export const environmentOf = (root: Value | undefined): Environment => ({ root, slots: [] });

const constants = new WeakSet<Expression>();

/**
 * Whether the expression that is being compiled has named a field or variable so far; an operator without any is
 * computed at once.
 */
let namesValues = false;

function constant(value: Value): Expression {
  const expression: Expression = () => value;
  constants.add(expression);
  return expression;
}

/** True when the expression was a literal value. */
const isConstant = (expression: Expression): boolean => constants.has(expression);

function compileReference(text: string, scope: Scope): Expression {
  namesValues = true;
  if (text.startsWith('$$')) {
    const [name, ...rest] = text.slice(2).split('.');
    if (!name) failCommand(9, 'empty variable names are not allowed');
    const variable = scope.resolve(name as string);
    return rest.length === 0 ? variable : fieldPath(variable, checkedPath(rest, text));
  }
  return fieldPath(scope.resolve('CURRENT'), checkedPath(text.slice(1).split('.'), text));
}

function checkedPath(parts: string[], text: string): string[] {
  if (text === '$') failCommand(16872, "'$' by itself is not a valid FieldPath");
  if (text.endsWith('.')) failCommand(40353, "FieldPath must not end with a '.'.");
  for (const part of parts) {
    if (part === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$'))
      failCommand(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    if (part.includes('\0')) failCommand(16411, 'FieldPath field names may not contain \\0');
  }
  return parts;
}

function compileArray(source: Value[], scope: Scope): Expression {
  const elements = source.map((element) => compileExpression(element, scope));
  const build: Expression = (environment) => elements.map((element) => element(environment) ?? null);
  if (elements.every(isConstant)) return constant(build({ root: undefined, slots: [] }) as Value);
  return build;
}

function compileDocument(source: Doc, scope: Scope): Expression {
  const names = [...source.keys()];
  const [first] = names;
  if (first?.startsWith('$')) {
    if (names.length > 1) failCommand(15983, 'an object representing an expression must have exactly one field');
    return compileOperator(first, source.get(first) as Value, scope);
  }
  return compileObject(source, scope);
}

/** Compiles one operator. Throws code 168 when it is not offered. */
function compileOperator(name: string, argument: Value, scope: Scope): Expression {
  const build = operators.get(name);
  if (!build) return failCommand(168, `Unrecognized expression '${name}'`);
  const outer = namesValues;
  namesValues = false;
  const expression = build(argument, scope, name);
  const folded = namesValues ? expression : computed(expression);
  namesValues ||= outer;
  return folded;
}

/** A constant operator is computed once; as on the server, its refusal refuses the whole command. */
function computed(expression: Expression): Expression {
  const value = expression(environmentOf(undefined));
  return value === undefined ? () => undefined : constant(value);
}

function compileObject(source: Doc, scope: Scope): Expression {
  const fields = [...source].map(([name, value]) => {
    if (name.includes('.'))
      failCommand(16405, `FieldPath field names may not contain '.'. Consider using $getField or $setField.`);
    if (name === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
    if (name.startsWith('$'))
      failCommand(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    return [name, compileExpression(value, scope)] as const;
  });
  const build: Expression = (environment) => {
    const result: Doc = new Map();
    for (const [name, expression] of fields) {
      const value = expression(environment);
      if (value !== undefined) result.set(name, value);
    }
    return result;
  };
  if (fields.every(([, expression]) => isConstant(expression)))
    return constant(build({ root: undefined, slots: [] }) as Value);
  return build;
}
