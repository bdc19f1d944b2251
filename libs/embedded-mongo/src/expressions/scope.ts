/**
 * Variables of expressions, resolved to slots when an expression is compiled, so that evaluation needs no look-up by
 * name.
 */
import { failCommand } from '../errors';
import type { Value } from '../bson/values';
import { BsonDate } from '../bson/values';

export interface Environment {
  root: Value | undefined;
  slots: (Value | undefined)[];
}

/** Returns the value of an expression; `undefined` means missing. */
export type Expression = (environment: Environment) => Value | undefined;

/** Turns a source into an expression that sees the variables of a scope. */
type Compiler = (source: Value, scope: Scope) => Expression;

export class Scope {
  private readonly bindings: Map<string, Expression>;
  private readonly counter: { next: number };
  private readonly compiler: Compiler;

  /** Creates a scope inside another one, or with a compiler an outermost one (`outermostScope`). */
  constructor(from: Scope | Compiler) {
    const parent = from instanceof Scope ? from : undefined;
    this.compiler = from instanceof Scope ? from.compiler : from;
    this.bindings = new Map(parent?.bindings ?? builtIns());
    this.counter = parent?.counter ?? { next: 0 };
  }

  /** Adds a variable whose value is in the returned slot during evaluation. */
  declare(name: string): number {
    const slot = this.counter.next;
    this.counter.next += 1;
    this.bindings.set(name, (environment) => environment.slots[slot]);
    return slot;
  }

  /** Adds a variable with a fixed value. */
  define(name: string, value: Value | undefined): void {
    this.bindings.set(name, () => value);
  }

  /** Compiles an expression with this scope's variables. */
  compile(source: Value): Expression {
    return this.compiler(source, this);
  }

  /** Throws code 17276 for a variable that is not defined. */
  resolve(name: string): Expression {
    return this.bindings.get(name) ?? failCommand(17276, `Use of undefined variable: ${name}`);
  }
}

function builtIns(): Map<string, Expression> {
  const now = new BsonDate(BigInt(Date.now()));
  const root: Expression = (environment) => environment.root;
  const missing: Expression = () => undefined;
  return new Map<string, Expression>([
    ['ROOT', root],
    ['CURRENT', root],
    ['REMOVE', missing],
    ['NOW', () => now],
  ]);
}

/**
 * Names of user variables begin with a lower-case letter, otherwise code 9; `CURRENT` is allowed where MongoDB allows
 * it.
 */
export function checkVariableName(name: string): void {
  if (name === '') failCommand(9, 'empty variable names are not allowed');
  if (name === 'CURRENT') return;
  if (!/^[a-z\u0080-\uffff]/.test(name))
    failCommand(9, `'${name}' starts with an invalid character for a user variable name`);
  if (!/^[A-Za-z0-9_\u0080-\uffff]*$/.test(name))
    failCommand(9, `'${name}' contains an invalid character for a variable name`);
}
