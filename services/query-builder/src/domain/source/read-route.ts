/**
 * Reads the source of a page's method as a route form; `emit-route.ts` writes it. The parts of a route that can be read
 * without understanding it (endpoint, model, method and declared values) are collected first, for opaque queries.
 */
import type { QueryOutputKind, RouteParam } from '@platform/builder';
import { measureOps, responseShapes } from '@platform/page-runtime';
import { runtimeModule } from './imports';
import { decoratorsOf, ts } from './parse';
import { propertyOf, type Coercion, type RouteArgument, type RouteForm } from './route-form';
import { printTerm, readFreeTerm, readFunction, strip, Unreadable, type Scope, type Term } from './terms';

type Role =
  | { readonly kind: 'guard' }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'value'; readonly name: string; readonly in: 'query' | 'param' };

export interface ReadRoute {
  readonly form: RouteForm;
  /** The model parameter's class, as `module#Class`. */
  readonly model: string;
  /** Equal texts mean equal routes, whatever the names of the routes and parameters. */
  readonly canonical: string;
}

const allowed = new Set([ts.SyntaxKind.AsyncKeyword, ts.SyntaxKind.PublicKeyword, ts.SyntaxKind.OverrideKeyword]);
const coercions: readonly Coercion[] = ['asNumber', 'asBoolean', 'asDate'];

/** The endpoint of a method with exactly one `@Get('…')`; undefined for any other member. */
export function endpointOf(member: ts.ClassElement, scope: Scope): string | undefined {
  for (const decorator of decoratorsOf(member)) {
    const called = readDecorator(decorator, scope);
    const [endpoint, ...more] = called?.args ?? [];
    if (
      called?.name === 'Get' &&
      endpoint?.kind === 'literal' &&
      typeof endpoint.value === 'string' &&
      more.length === 0
    )
      return endpoint.value;
  }
  return undefined;
}

/** Reads a method of a page class as a route. Throws Unreadable. */
export function readRoute(member: ts.ClassElement, pageClass: string, scope: Scope): ReadRoute {
  if (!ts.isMethodDeclaration(member) || member.questionToken)
    throw new Unreadable(member, 'the route is not a method');
  const endpoint = endpointOf(member, scope);
  if (endpoint === undefined || decoratorsOf(member).length !== 1)
    throw new Unreadable(decoratorsOf(member)[1] ?? member, 'the route carries another decorator than one @Get');
  const modifier = member.modifiers?.find((each) => !ts.isDecorator(each) && !allowed.has(each.kind));
  if (modifier) throw new Unreadable(modifier, 'a modifier that is not generated');
  const roles = member.parameters.map((parameter) => roleOf(parameter, pageClass, scope));
  const guards = roles.filter(({ kind }) => kind === 'guard').length;
  const models = roles.filter((role) => role.kind === 'model');
  if (guards !== 1 || models.length !== 1)
    throw new Unreadable(
      member,
      guards !== 1 ? "the route is not guarded by its page's permission" : 'the route does not take exactly one model',
    );
  const names = roles.flatMap((role) => (role.kind === 'value' ? [role.name] : []));
  if (new Set(names).size !== names.length) throw new Unreadable(member, 'the route reads one value twice');
  const returned = readFunction(member, scope);
  const form = readAnswer(returned, endpoint, roles);
  const canonical = JSON.stringify([
    endpoint,
    [...roles.map((role) => JSON.stringify(role))].sort(),
    printTerm(returned, (index) => JSON.stringify(roles[index])),
  ]);
  return { form, model: models[0]!.model, canonical };
}

function roleOf(parameter: ts.ParameterDeclaration, pageClass: string, scope: Scope): Role {
  const [decorator, ...more] = decoratorsOf(parameter);
  if (
    decorator &&
    more.length === 0 &&
    !parameter.modifiers?.some((each) => !ts.isDecorator(each)) &&
    isLateGuard(decorator, pageClass, scope)
  )
    return { kind: 'guard' };
  const called = decorator && readDecorator(decorator, scope);
  const [argument, ...others] = called?.args ?? [];
  const modifier = parameter.modifiers?.find((each) => !ts.isDecorator(each));
  if (!called || !argument || more.length > 0 || others.length > 0 || modifier)
    throw new Unreadable(parameter, 'a parameter does not carry one known decorator');
  if (called.name === 'PagePermission' && argument.kind === 'name' && argument.name === pageClass)
    return { kind: 'guard' };
  if (called.name === 'Model' && argument.kind === 'name') return { kind: 'model', model: argument.name };
  if (
    (called.name === 'Query' || called.name === 'Param') &&
    argument.kind === 'literal' &&
    typeof argument.value === 'string'
  ) {
    return { kind: 'value', name: argument.value, in: called.name === 'Query' ? 'query' : 'param' };
  }
  throw new Unreadable(parameter, 'a parameter carries a decorator that is not generated');
}

/**
 * `@PagePermission(() => OrdersPage)`: the same guard, for compilers in which the class is not bound yet when the
 * decorator runs.
 */
function isLateGuard(decorator: ts.Decorator, pageClass: string, scope: Scope): boolean {
  const node = strip(decorator.expression);
  const [argument, ...more] = ts.isCallExpression(node) ? node.arguments : [];
  if (
    !argument ||
    more.length > 0 ||
    !ts.isArrowFunction(argument) ||
    argument.parameters.length > 0 ||
    argument.modifiers?.length ||
    ts.isBlock(argument.body)
  )
    return false;
  const body = strip(argument.body);
  const callee = strip((node as ts.CallExpression).expression);
  const meant = ts.isIdentifier(callee)
    ? scope.resolve(callee.text)
    : ts.isPropertyAccessExpression(callee) && ts.isIdentifier(callee.expression)
      ? `${scope.namespaceOf(callee.expression.text)}#${callee.name.text}`
      : undefined;
  return meant === `${runtimeModule}#PagePermission` && ts.isIdentifier(body) && body.text === pageClass;
}

function readDecorator(
  decorator: ts.Decorator,
  scope: Scope,
): { readonly name: string; readonly args: readonly Term[] } | undefined {
  const node = strip(decorator.expression);
  if (!ts.isCallExpression(node)) return undefined;
  try {
    const term = readFreeTerm(node, scope);
    const prefix = `${runtimeModule}#`;
    return term.kind === 'call' && term.callee.kind === 'name' && term.callee.name.startsWith(prefix)
      ? { name: term.callee.name.slice(prefix.length), args: term.args }
      : undefined;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function readAnswer(term: Term, endpoint: string, roles: readonly Role[]): RouteForm {
  if (term.kind === 'object' && term.entries.length === 1) {
    const [property, value] = term.entries[0]!;
    const output = (Object.keys(propertyOf) as QueryOutputKind[]).find((each) => propertyOf[each] === property);
    if (!output) throw new Unreadable(term.node, 'the answer carries neither value nor series');
    return { endpoint, ...readCall(value, roles), answer: { kind: 'plain', output } };
  }
  const [computed, options, ...more] = term.kind === 'call' && isRuntime(term.callee, 'arrange') ? term.args : [];
  if (!computed || options?.kind !== 'object' || more.length > 0)
    throw new Unreadable(term.node, 'the route does not answer an object with a value from one awaited model call');
  const entries = new Map(options.entries);
  const response = responseShapes.find((each) => literalOf(entries.get('response')) === each);
  const measure = measureOps.find((each) => literalOf(entries.get('measure')) === each);
  const previous = entries.get('previous');
  if (!response || !measure || entries.size !== (previous ? 3 : 2))
    throw new Unreadable(options.node, 'the arrangement is not one that is generated');
  const call = readCall(computed, roles);
  const second = previous && readCall(previous, roles);
  if (second && second.modelMethod !== call.modelMethod)
    throw new Unreadable(previous.node, 'the preceding period is asked of another method');
  return {
    endpoint,
    ...call,
    ...(second && { previousArgs: second.args }),
    answer: { kind: 'arranged', response, measure },
  };
}

function readCall(
  term: Term,
  roles: readonly Role[],
): { readonly modelMethod: string; readonly args: readonly RouteArgument[] } {
  const call = term.kind === 'await' ? term.of : undefined;
  if (
    call?.kind !== 'call' ||
    call.callee.kind !== 'member' ||
    call.callee.of.kind !== 'parameter' ||
    roles[call.callee.of.index]?.kind !== 'model'
  ) {
    throw new Unreadable(term.node, 'the answer is not one awaited call of the model');
  }
  return { modelMethod: call.callee.name, args: call.args.map((argument) => readArgument(argument, roles)) };
}

function readArgument(term: Term, roles: readonly Role[]): RouteArgument {
  const coercion = term.kind === 'call' ? coercions.find((each) => isRuntime(term.callee, each)) : undefined;
  const inner = term.kind === 'call' && coercion && term.args.length === 1 ? term.args[0]! : term;
  const role = inner.kind === 'parameter' ? roles[inner.index] : undefined;
  if (role?.kind !== 'value')
    throw new Unreadable(term.node, 'an argument of the model call is not a declared value of the request');
  return { name: role.name, in: role.in, ...(coercion && { coercion }) };
}

function isRuntime(term: Term, name: string): boolean {
  return term.kind === 'name' && term.name === `${runtimeModule}#${name}`;
}

function literalOf(term: Term | undefined): unknown {
  return term?.kind === 'literal' ? term.value : undefined;
}

/** The declarations and the call of a route, as far as they can be read without understanding the route. */
export interface RouteOutline {
  readonly routeParams: readonly RouteParam[];
  readonly model?: string;
  readonly modelMethod?: string;
  readonly output?: QueryOutputKind;
}

export function outlineRoute(member: ts.ClassElement, scope: Scope): RouteOutline {
  if (!ts.isMethodDeclaration(member)) return { routeParams: [] };
  const routeParams: RouteParam[] = [];
  let model: string | undefined;
  let modelLocal: string | undefined;
  for (const parameter of member.parameters) {
    const called = decoratorsOf(parameter)
      .map((decorator) => readDecorator(decorator, scope))
      .find((each) => each !== undefined);
    const [argument] = called?.args ?? [];
    const source = called && ({ Query: 'query', Param: 'param', Header: 'header' } as const)[called.name];
    if (source && argument?.kind === 'literal') routeParams.push({ name: String(argument.value), in: source });
    if (called?.name === 'Model' && argument?.kind === 'name') {
      model = argument.name;
      modelLocal = ts.isIdentifier(parameter.name) ? parameter.name.text : undefined;
    }
  }
  const modelMethod = modelLocal === undefined ? undefined : calledOn(member, modelLocal);
  const output = outputOf(member);
  return {
    routeParams,
    ...(model !== undefined && { model }),
    ...(modelMethod !== undefined && { modelMethod }),
    ...(output && { output }),
  };
}

function calledOn(member: ts.MethodDeclaration, local: string): string | undefined {
  const methods = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === local)
      methods.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  if (member.body) visit(member.body);
  return methods.size === 1 ? [...methods][0] : undefined;
}

function outputOf(member: ts.MethodDeclaration): QueryOutputKind | undefined {
  const last = member.body?.statements.at(-1);
  const returned = last && ts.isReturnStatement(last) && last.expression ? strip(last.expression) : undefined;
  if (!returned) return undefined;
  if (ts.isObjectLiteralExpression(returned)) {
    const keys = returned.properties.map(({ name }) =>
      name && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) ? name.text : '',
    );
    return keys.includes('series') || keys.includes('items') ? 'series' : keys.includes('value') ? 'scalar' : undefined;
  }
  const options = ts.isCallExpression(returned) ? returned.arguments[1] : undefined;
  const response =
    options && ts.isObjectLiteralExpression(options)
      ? options.properties.find(
          (each): each is ts.PropertyAssignment =>
            ts.isPropertyAssignment(each) && ts.isIdentifier(each.name) && each.name.text === 'response',
        )
      : undefined;
  if (!response || !ts.isStringLiteralLike(response.initializer)) return undefined;
  return response.initializer.text === 'value' ? 'scalar' : 'series';
}
