/** Reads the source of a model method as steps; `emit-chain.ts` writes it. */
import { exportedName, packageName, type PlainScalar, type StepArgument } from '@platform/builder';
import { runtimeModule } from './imports';
import { ts } from './parse';
import { printTerm, readFunction, strip, Unreadable, type Scope, type Term } from './terms';

/** A step whose bound values are still positions of the model method's parameters. */
type PositionedArgument =
  Exclude<StepArgument, { kind: 'bound' }> | { readonly kind: 'position'; readonly index: number };
export interface PositionedStep {
  readonly method: string;
  readonly args: readonly PositionedArgument[];
}

export interface ReadMethod {
  readonly steps: readonly PositionedStep[];
  readonly parameterCount: number;
  /** Equal texts mean equal methods, whatever the names of the methods and parameters. */
  readonly canonical: string;
}

const allowed = new Set([
  ts.SyntaxKind.AsyncKeyword,
  ts.SyntaxKind.PublicKeyword,
  ts.SyntaxKind.OverrideKeyword,
  ts.SyntaxKind.ReadonlyKeyword,
]);

/** Reads a member of a model class as a chain. Throws Unreadable. */
export function readModelMethod(member: ts.ClassElement, scope: Scope): ReadMethod {
  const body = functionOf(member);
  const modifier = [
    ...(ts.canHaveModifiers(member) ? (member.modifiers ?? []) : []),
    ...(body === member ? [] : (body.modifiers ?? [])),
  ].find(({ kind }) => !allowed.has(kind));
  if (modifier) throw new Unreadable(modifier, 'a modifier or decorator that is not generated');
  const returned = readFunction(body, scope);
  const chain = returned.kind === 'await' ? returned.of : returned;
  return {
    steps: readSteps(chain),
    parameterCount: body.parameters.length,
    canonical: `${body.parameters.length}:${printTerm(chain, (index) => `$${index}`)}`,
  };
}

function functionOf(member: ts.ClassElement): ts.MethodDeclaration | ts.ArrowFunction {
  if (ts.isMethodDeclaration(member) && !member.questionToken) return member;
  if (ts.isPropertyDeclaration(member) && member.initializer) {
    const inner = strip(member.initializer);
    if (ts.isArrowFunction(inner)) return inner;
  }
  throw new Unreadable(member, 'the member of the model is not a method');
}

function readSteps(term: Term): PositionedStep[] {
  const steps: PositionedStep[] = [];
  let current = term;
  for (;;) {
    if (current.kind !== 'call' || current.callee.kind !== 'member')
      throw new Unreadable(current.node, 'the method does not return a chain of this.rows()');
    const { of, name } = current.callee;
    if (of.kind === 'this') {
      if (name !== 'rows' || current.args.length > 0)
        throw new Unreadable(current.node, 'the chain does not start with this.rows()');
      return steps.reverse();
    }
    steps.push({ method: name, args: current.args.map(readArgument) });
    current = of;
  }
}

function readArgument(term: Term): PositionedArgument {
  if (term.kind === 'literal') return { kind: 'literal', value: term.value };
  if (term.kind === 'parameter') return { kind: 'position', index: term.index };
  if (term.kind === 'object')
    return { kind: 'object', entries: Object.fromEntries(term.entries.map(([key, value]) => [key, scalarOf(value)])) };
  if (term.kind === 'name') return importedOf(term);
  const date =
    term.kind === 'call' &&
    term.callee.kind === 'name' &&
    term.callee.name === `${runtimeModule}#asDate` &&
    term.args.length === 1
      ? term.args[0]!
      : undefined;
  if (date?.kind === 'literal' && typeof date.value === 'string') return { kind: 'date', text: date.value };
  throw new Unreadable(term.node, 'an argument of the chain is neither a literal nor a parameter');
}

/** The export of a package, for a name that an import introduces. */
function importedOf({ name, node }: Extract<Term, { kind: 'name' }>): PositionedArgument {
  const at = name.lastIndexOf('#');
  const [module, exported] = [name.slice(0, at), name.slice(at + 1)];
  if (at < 0 || !packageName.test(module) || !exportedName.test(exported))
    throw new Unreadable(
      node,
      'an argument of the chain is neither a literal nor a parameter, nor imported from a package',
    );
  return { kind: 'imported', module, name: exported };
}

function scalarOf(term: Term): PlainScalar {
  if (term.kind !== 'literal') throw new Unreadable(term.node, 'a value of the object is not a literal');
  return term.value;
}
