/**
 * How operators receive arguments: one expression, a list with fixed or variable length, or a document of named
 * arguments.
 */
import { failCommand } from '../errors';
import type { Value } from '../bson/values';
import type { Environment, Expression, Scope } from './scope';

export type Builder = (argument: Value, scope: Scope, name: string) => Expression;
type Argument = Value | undefined;

/** Compiles an argument list; throws code 16020 when a fixed count is not met, 28667 when a range is not met. */
export function compileArguments(
  argument: Value,
  scope: Scope,
  name: string,
  least: number,
  most = least,
): Expression[] {
  const list = Array.isArray(argument) ? argument : [argument];
  if (list.length < least || list.length > most) {
    if (least === most)
      failCommand(16020, `Expression ${name} takes exactly ${least} arguments. ${list.length} were passed in.`);
    failCommand(
      28667,
      `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${list.length} were passed in.`,
    );
  }
  return list.map((element) => scope.compile(element));
}

export function unary(compute: (value: Argument, name: string) => Argument): Builder {
  return (argument, scope, name) => {
    const [operand] = compileArguments(argument, scope, name, 1) as [Expression];
    return (environment) => compute(operand(environment), name);
  };
}

export function binary(compute: (left: Argument, right: Argument, name: string) => Argument): Builder {
  return (argument, scope, name) => {
    const [left, right] = compileArguments(argument, scope, name, 2) as [Expression, Expression];
    return (environment) => compute(left(environment), right(environment), name);
  };
}

export function ternary(compute: (first: Argument, second: Argument, third: Argument) => Argument): Builder {
  return (argument, scope, name) => {
    const [first, second, third] = compileArguments(argument, scope, name, 3) as [Expression, Expression, Expression];
    return (environment) => compute(first(environment), second(environment), third(environment));
  };
}

/** An operator over any number of arguments between the given counts. */
export function variadic(compute: (values: Argument[], name: string) => Argument, least = 0, most = Infinity): Builder {
  return (argument, scope, name) => {
    const operands = compileArguments(argument, scope, name, least, most);
    return (environment: Environment) =>
      compute(
        operands.map((operand) => operand(environment)),
        name,
      );
  };
}
