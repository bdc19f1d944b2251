/** Boolean and conditional operators; branches that are not taken are not evaluated. */
import { failCommand } from '../errors';
import type { Value } from '../bson/values';
import { isNullish } from '../bson/values';
import type { Builder } from './arguments';
import { compileArguments, unary } from './arguments';
import type { Expression } from './scope';
import { isTruthy } from './truth';

const list = (argument: Value): Value[] => (Array.isArray(argument) ? argument : [argument]);

const and: Builder = (argument, scope) => {
  const operands = list(argument).map((element) => scope.compile(element));
  return (environment) => {
    for (let index = 0; index < operands.length; index += 1)
      if (!isTruthy((operands[index] as Expression)(environment))) return false;
    return true;
  };
};

const or: Builder = (argument, scope) => {
  const operands = list(argument).map((element) => scope.compile(element));
  return (environment) => operands.some((operand) => isTruthy(operand(environment)));
};

const cond: Builder = (argument, scope, name) => {
  const [test, yes, no] = (
    argument instanceof Map
      ? condFields(argument).map((element) => scope.compile(element))
      : compileArguments(argument, scope, name, 3)
  ) as [Expression, Expression, Expression];
  return (environment) => (isTruthy(test(environment)) ? yes(environment) : no(environment));
};

function condFields(argument: Map<string, Value>): Value[] {
  for (const name of argument.keys()) {
    if (!['if', 'then', 'else'].includes(name)) failCommand(17083, `Unrecognized parameter to $cond: ${name}`);
  }
  const test =
    argument.get('if') ?? (argument.has('if') ? null : failCommand(17080, "Missing 'if' parameter to $cond"));
  const yes =
    argument.get('then') ?? (argument.has('then') ? null : failCommand(17081, "Missing 'then' parameter to $cond"));
  const no =
    argument.get('else') ?? (argument.has('else') ? null : failCommand(17082, "Missing 'else' parameter to $cond"));
  return [test, yes, no];
}

const ifNull: Builder = (argument, scope, name) => {
  const count = list(argument).length;
  if (count < 2) failCommand(1257300, `$ifNull needs at least two arguments, had: ${count}`);
  const operands = compileArguments(argument, scope, name, 0, Infinity);
  return (environment) => {
    for (const operand of operands.slice(0, -1)) {
      const value = operand(environment);
      if (!isNullish(value)) return value;
    }
    return operands.at(-1)?.(environment);
  };
};

const switchOperator: Builder = (argument, scope) => {
  if (!(argument instanceof Map)) return failCommand(40060, '$switch requires an object as an argument');
  for (const name of argument.keys()) {
    if (name !== 'branches' && name !== 'default') failCommand(40067, `$switch found an unknown argument: ${name}`);
  }
  const source = argument.get('branches');
  if (source !== undefined && !Array.isArray(source))
    return failCommand(40061, '$switch expected an array for branches');
  const branches = (source ?? []).map((branch) => {
    if (!(branch instanceof Map)) return failCommand(40062, '$switch expected each branch to be an object');
    for (const name of branch.keys()) {
      if (name !== 'case' && name !== 'then')
        failCommand(40063, `$switch found an unknown argument to a branch: ${name}`);
    }
    if (!branch.has('case')) failCommand(40064, "$switch requires each branch have a 'case' expression");
    if (!branch.has('then')) failCommand(40065, "$switch requires each branch have a 'then' expression");
    return [branch.get('case') as Value, branch.get('then') as Value].map((part) => scope.compile(part)) as [
      Expression,
      Expression,
    ];
  });
  if (branches.length === 0) failCommand(40068, '$switch requires at least one branch');
  const otherwise = argument.has('default') ? scope.compile(argument.get('default') as Value) : undefined;
  return (environment) => {
    const taken = branches.find(([test]) => isTruthy(test(environment)));
    if (taken) return taken[1](environment);
    return otherwise
      ? otherwise(environment)
      : failCommand(40066, '$switch could not find a matching branch for an input, and no default was specified');
  };
};

const literal: Builder = (argument) => () => argument;

export const logicOperators: Record<string, Builder> = {
  $and: and,
  $or: or,
  $not: unary((value) => !isTruthy(value)),
  $cond: cond,
  $ifNull: ifNull,
  $switch: switchOperator,
  $literal: literal,
  $const: literal,
};
