/**
 * The queries of a page, read from its source. Every route is listed; one that cannot be read back with certainty is
 * opaque, with the parts that could be read and the position that was not understood.
 */
import type { OpaqueReason, QueryOutputKind, QueryStructure, RouteParam, TemplateRegistry } from '@platform/builder';
import { codeOfItsOwn } from './own-code';
import { resourceOfModel, type ModelSource } from './project';
import { attempt, readQuery, type Opaque } from './read-query';
import type { QuerySpec } from './query';
import { membersNamed, type ClassSource } from './source/class-source';
import { memberName, ts } from './source/parse';
import { endpointOf, outlineRoute, readRoute, type ReadRoute } from './source/read-route';

/** A GET route of a page, as far as its own file determines it. */
export interface PageRoute {
  readonly name: string;
  readonly member: ts.ClassElement;
  readonly endpoint: string;
  readonly routeParams: readonly RouteParam[];
  readonly modelMethod?: string;
  readonly output?: QueryOutputKind;
  /** The project's resource behind the model parameter. */
  readonly model?: { readonly resource: string; readonly exported: string };
  readonly read: { readonly kind: 'read'; readonly value: ReadRoute } | Opaque;
}

export type Certified =
  | {
      readonly kind: 'readable';
      readonly spec: QuerySpec;
      readonly modelMethod: string;
      readonly methodMember: ts.ClassElement;
    }
  | Opaque;

/** Endpoints of every GET route of a page, including routes whose member has no plain name. */
export function endpointsOf(page: ClassSource): { readonly endpoint: string; readonly member: ts.ClassElement }[] {
  return page.owner.members.flatMap((member) => {
    const endpoint = endpointOf(member, page.names);
    return endpoint === undefined ? [] : [{ endpoint, member }];
  });
}

export function routesOfPage(page: ClassSource): PageRoute[] {
  const fault = faultOfPage(page);
  return endpointsOf(page).flatMap(({ endpoint, member }) => {
    const name = memberName(member);
    return name === undefined ? [] : [{ name, endpoint, ...routeOf(page, member, name, fault) }];
  });
}

/** The first route with a name; the other routes of the page are not read. */
export function routeNamed(page: ClassSource, name: string): PageRoute | undefined {
  const found = endpointsOf(page).find(({ member }) => memberName(member) === name);
  return found && { name, endpoint: found.endpoint, ...routeOf(page, found.member, name, faultOfPage(page)) };
}

/** Why no route of a page can be trusted, and the node that shows it: the whole file is searched, once for all routes. */
export function faultOfPage({ file, names, owner }: ClassSource): ModelSource['fault'] {
  const odd = codeOfItsOwn(file, names, owner);
  if (odd) return { node: odd, detail: 'the page runs code of its own that could exchange its routes' };
  const base = owner.heritageClauses?.find(isExtends);
  return base && { node: base, detail: 'the page has a base class, which could exchange its routes' };
}

function routeOf(
  page: ClassSource,
  member: ts.ClassElement,
  name: string,
  fault: ModelSource['fault'],
): Omit<PageRoute, 'name' | 'endpoint'> {
  const twice: Opaque = {
    kind: 'opaque',
    reason: 'unparseable_route',
    detail: `the page declares ${name} more than once`,
    node: member,
  };
  const faulty: Opaque | undefined = fault && { kind: 'opaque', reason: 'unparseable_route', ...fault };
  const read =
    faulty ??
    (membersNamed(page, name).length > 1
      ? twice
      : attempt('unparseable_route', () => readRoute(member, page.className, page.names)));
  const outline = outlineRoute(member, page.names);
  const meant = read.kind === 'read' ? read.value.model : outline.model;
  const model = meant === undefined ? undefined : resourceOfModel(page.path, meant);
  const modelMethod = read.kind === 'read' ? read.value.form.modelMethod : outline.modelMethod;
  const output = read.kind === 'read' ? outputOf(read.value) : outline.output;
  return {
    member,
    routeParams: outline.routeParams,
    read,
    ...(model && { model }),
    ...(modelMethod !== undefined && { modelMethod }),
    ...(output && { output }),
  };
}

/** A base class runs its constructor, and adds members that this file does not show. */
const isExtends = ({ token }: ts.HeritageClause): boolean => token === ts.SyntaxKind.ExtendsKeyword;

/** The kind follows from the answer's type: a card and a list have points, a value does not. */
function outputOf({ form: { answer } }: ReadRoute): QueryOutputKind {
  if (answer.kind === 'plain') return answer.output;
  return answer.response === 'value' ? 'scalar' : 'series';
}

/**
 * The certified query behind a route. `model` is undefined when the project has no such file, and an error when it
 * cannot be read.
 */
export function certify(
  page: ClassSource,
  route: PageRoute,
  model: ModelSource | string | undefined,
  templates: TemplateRegistry,
): Certified {
  if (route.read.kind === 'opaque') return route.read;
  const opaque = (reason: OpaqueReason, detail: string, node: ts.Node = route.member): Opaque => ({
    kind: 'opaque',
    reason,
    detail,
    node,
  });
  if (!route.model) return opaque('unparseable_route', "the model parameter does not point at a resource's model");
  if (model === undefined) return opaque('unparseable_chain', `the project has no model of ${route.model.resource}`);
  if (typeof model === 'string') return opaque('unparseable_chain', model);
  if (model.exported !== route.model.exported)
    return opaque('unparseable_route', 'the model file exports no such class');
  if (model.fault) return opaque('unparseable_chain', model.fault.detail, model.fault.node);
  const { modelMethod } = route.read.value.form;
  const [methodMember, second] = membersNamed(model.source, modelMethod);
  if (!methodMember || second)
    return opaque(
      'unparseable_chain',
      methodMember ? `the model declares ${modelMethod} more than once` : `the model has no method ${modelMethod}`,
      second ?? route.member,
    );
  const query = readQuery({
    name: route.name,
    route: route.read.value,
    routeMember: route.member,
    pageClass: page.className,
    pageNames: page.names,
    methodMember,
    modelNames: model.source.names,
    resource: model.resource,
    templates,
  });
  return query.kind === 'readable' ? { ...query, methodMember } : query;
}

/** The part of a query that callers see. */
export function structureOf(route: PageRoute, query: Certified & { readonly unconfirmed?: string }): QueryStructure {
  const { name, endpoint, routeParams, modelMethod, output, model } = route;
  const known = {
    name,
    endpoint,
    ...(model && { resource: model.resource }),
    ...(modelMethod !== undefined && { modelMethod }),
    ...(output && { output }),
    routeParams,
  };
  if (query.kind === 'opaque')
    return {
      ...known,
      opaque: true,
      opaqueReason: query.reason,
      opaqueDetail: query.detail,
      opaqueAt: positionOf(query.node),
    };
  const { template, params, response, compare } = query.spec;
  return {
    ...known,
    template: template.id,
    params,
    ...(response && { response }),
    ...(compare && { compare }),
    opaque: false,
    ...('unconfirmed' in query && { uncertified: query.unconfirmed }),
  };
}

function positionOf(node: ts.Node) {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return { file: file.fileName, line: line + 1, column: character + 1 };
}
