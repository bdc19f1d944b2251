/**
 * Turns a route and its model method into a query. Reading accepts a closed grammar and is certified: the parameters
 * that were read are compiled again, and the query is editable only if that gives the same canonical source.
 */
import {
  wordsOf,
  type ChainStep,
  type OpaqueReason,
  type Params,
  type QueryParamBinding,
  type QueryTemplate,
  type TemplateRegistry,
} from '@platform/builder';
import { InvariantError } from '@platform/kernel';
import type { Resource } from '@platform/page-runtime';
import { compileQuery, completeQuery, inputIssues, type QuerySpec } from './query';
import { runtimeModule, type FileNames } from './source/imports';
import { emitModelMethod, importedNames } from './source/emit-chain';
import { emitRoute } from './source/emit-route';
import { parseSource, ts } from './source/parse';
import { readModelMethod, type PositionedStep, type ReadMethod } from './source/read-chain';
import { readRoute, type ReadRoute } from './source/read-route';
import type { RouteArgument } from './source/route-form';
import { Unreadable } from './source/terms';
import type { TextStyle } from './source/text-style';

export interface Opaque {
  readonly kind: 'opaque';
  readonly reason: OpaqueReason;
  readonly detail: string;
  readonly node: ts.Node;
}

export interface Readable {
  readonly kind: 'readable';
  readonly spec: QuerySpec;
  readonly modelMethod: string;
}

const plainStyle: TextStyle = { unit: '  ', eol: '\n', quote: "'", memberIndent: '  ' };

/** Reads without throwing: source outside the grammar becomes an opaque answer with its reason and position. */
export function attempt<Value>(
  reason: OpaqueReason,
  read: () => Value,
): { readonly kind: 'read'; readonly value: Value } | Opaque {
  try {
    return { kind: 'read', value: read() };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'opaque', reason, detail: error.message, node: error.node };
    throw error;
  }
}

export interface ReadQueryInput {
  readonly name: string;
  readonly route: ReadRoute;
  readonly routeMember: ts.ClassElement;
  readonly pageClass: string;
  readonly pageNames: FileNames;
  readonly methodMember: ts.ClassElement;
  readonly modelNames: FileNames;
  readonly resource: Resource;
  readonly templates: TemplateRegistry;
}

/** The query behind a route and the model method that it calls. */
export function readQuery(input: ReadQueryInput): Readable | Opaque {
  const { route, methodMember, modelNames, templates } = input;
  const method = attempt('unparseable_chain', () => readModelMethod(methodMember, modelNames));
  if (method.kind === 'opaque') return method;
  const chain = (detail: string): Opaque => ({
    kind: 'opaque',
    reason: 'unparseable_chain',
    detail,
    node: methodMember,
  });
  const readings = readingsOf(method.value, route.form.args, templates);
  const verdicts = readings.map((reading) => certified(input, method.value, reading, chain));
  return (
    verdicts.find(({ kind }) => kind === 'readable') ??
    verdicts.at(-1) ??
    chain('no registered template accepts the chain')
  );
}

/** The query as one template reads it, or why the template cannot read it. */
function certified(
  { name, route, routeMember, modelNames, pageClass, pageNames, resource }: ReadQueryInput,
  method: ReadMethod,
  { template, params }: Reading,
  chain: (detail: string) => Opaque,
): Readable | Opaque {
  const { answer, endpoint, previousArgs } = route.form;
  const given = {
    name,
    resource: resource.name,
    template: template.id,
    params,
    endpoint,
    compare: previousArgs !== undefined,
    ...(answer.kind === 'arranged' && { response: answer.response }),
  };
  const [issue] = inputIssues({ ...given, name: 'query' }, template, resource);
  if (issue)
    return issue.pointer.startsWith('/params')
      ? chain(`${issue.pointer}: ${issue.message}`)
      : {
          kind: 'opaque',
          reason: 'unparseable_route',
          detail: `${issue.pointer}: ${issue.message}`,
          node: routeMember,
        };
  const spec = completeQuery(given, template, resource);
  const compiled = compileQuery(spec);
  if (certifyMethod(compiled.steps, modelNames) !== method.canonical)
    return chain('the chain is not the one that its parameters compile to');
  if (certifyRoute(spec, route, pageClass, pageNames) !== route.canonical) {
    return {
      kind: 'opaque',
      reason: 'unparseable_route',
      detail: 'the route is not the one that its parameters compile to',
      node: routeMember,
    };
  }
  return { kind: 'readable', spec, modelMethod: route.form.modelMethod };
}

interface Reading {
  readonly template: QueryTemplate;
  readonly params: Params;
}

/**
 * The readings of a chain by each template, with the route's values in place of the method's parameters: the most
 * specific first, and among equals the template that was registered first.
 */
function readingsOf(
  { steps, parameterCount }: ReadMethod,
  args: readonly RouteArgument[],
  templates: TemplateRegistry,
): Reading[] {
  if (args.length !== parameterCount) return [];
  const bindings = args.map(({ name, in: source }): QueryParamBinding => ({ $param: { name, in: source } }));
  const bound = bindSteps(steps, bindings);
  return bound ? readingsOfSteps(bound, templates) : [];
}

export function readingsOfSteps(steps: readonly ChainStep[], templates: TemplateRegistry): Reading[] {
  const readings = templates.list().flatMap((template): Reading[] => {
    const params = template.read(steps);
    return params ? [{ template, params }] : [];
  });
  return readings.sort((a, b) => wordsOf(a.params) - wordsOf(b.params));
}

function bindSteps(steps: readonly PositionedStep[], bindings: readonly QueryParamBinding[]): ChainStep[] | undefined {
  if (steps.some(({ args }) => args.some((argument) => argument.kind === 'position' && !bindings[argument.index])))
    return undefined;
  return steps.map(({ method, args }) => ({
    method,
    args: args.map((argument) =>
      argument.kind === 'position'
        ? { kind: 'bound', binding: bindings[argument.index]!, valueKind: 'text', suggestedName: 'value' }
        : argument,
    ),
  }));
}

/** Whether a method is a chain that a template generates on this resource, whatever route calls it. */
export function isGeneratedChain(
  method: ReadMethod,
  resource: Resource,
  modelNames: FileNames,
  templates: TemplateRegistry,
): boolean {
  const args = Array.from({ length: method.parameterCount }, (_, index): RouteArgument => ({
    name: `value${index}`,
    in: 'query',
  }));
  return readingsOf(method, args, templates).some(
    ({ template, params }) =>
      template.validate(params, resource).length === 0 &&
      certifyMethod(template.emit(template.complete(params), resource), modelNames) === method.canonical,
  );
}

/** The canonical text of the method for these steps, in a file whose imports have these names. */
export function certifyMethod(steps: readonly ChainStep[], names: FileNames): string {
  const local = ({ module, name }: { readonly module: string; readonly name: string }, at: number): string =>
    names.spell(module, name) ?? `__${name}${at}`;
  const imported = importedNames(steps);
  const spelling = new Map(imported.map((each, at) => [`${each.module}#${each.name}`, local(each, at)]));
  const spell = (module: string, name: string): string => spelling.get(`${module}#${name}`)!;
  const member = parseMember(emitModelMethod('certificate', steps, plainStyle, spell));
  const added = new Map([...spelling].map(([meaning, word]) => [word, meaning]));
  return readModelMethod(member, { ...names, resolve: (name) => names.resolve(name) ?? added.get(name) }).canonical;
}

function certifyRoute(spec: QuerySpec, route: ReadRoute, pageClass: string, names: FileNames): string | undefined {
  const runtime = Object.fromEntries(
    ['Get', 'Query', 'Param', 'Model', 'PagePermission', 'PageUser', 'asDate', 'asNumber', 'asBoolean', 'arrange'].map(
      (each) => [each, names.spell(runtimeModule, each) ?? `__${each}`],
    ),
  );
  const form = compileQuery(spec).route(route.form.modelMethod);
  const [module, exported] = [
    route.model.slice(0, route.model.lastIndexOf('#')),
    route.model.slice(route.model.lastIndexOf('#') + 1),
  ];
  const modelClass = names.spell(module, exported);
  if (modelClass === undefined) return undefined;
  const member = parseMember(emitRoute('certificate', form, plainStyle, { runtime, modelClass, pageClass }));
  return readRoute(member, pageClass, withRuntime(names, runtime)).canonical;
}

function parseMember(text: string): ts.ClassElement {
  const file = parseSource('certificate.ts', `class Certificate {\n  ${text}\n}\n`);
  const [owner] = file.statements;
  const [member, ...others] = owner && ts.isClassDeclaration(owner) ? owner.members : [];
  if (!member || others.length > 0) throw new InvariantError('an emitted member does not parse as one member');
  return member;
}

/** The names of the file, and those of the runtime that it does not import yet. */
function withRuntime(names: FileNames, runtime: Readonly<Record<string, string>>): FileNames {
  const added = new Map(Object.entries(runtime).map(([name, local]) => [local, `${runtimeModule}#${name}`]));
  return { ...names, resolve: (name) => names.resolve(name) ?? added.get(name) };
}
