/**
 * Reads the parts of the project that an operation needs: its page, models, the pages that could serve a URL, possible
 * callers.
 */
import { isPageRef } from '@platform/base/page';
import { pagesOnTheWay, type KnownPage } from '../domain/collisions';
import { certify, endpointsOf, routeNamed, type Certified, type PageRoute } from '../domain/page-queries';
import { isResourceName, modelFile, pageFile, readModel, resourceFile, type ModelSource } from '../domain/project';
import { readPageSource, type ClassSource } from '../domain/source/class-source';
import { parseSource, SourceError, type ts } from '../domain/source/parse';
import type { PageProject } from '../store/page-project';
import { Refused } from './answer';
import { executionOf, heldAgainst } from './hold-against-run';
import { versionOf } from './page-version';
import type { BuilderPorts } from './ports';

/** Throws Refused with `not_found`, or with `conflict` when the expected version is another one. */
export async function loadPage(project: PageProject, pageRef: unknown, expectedVersion?: string): Promise<ClassSource> {
  const text = isPageRef(pageRef) ? await project.read(pageFile(pageRef)) : undefined;
  if (text === undefined) throw new Refused({ code: 'not_found', ref: String(pageRef).slice(0, 200) });
  const page = readPageSource(pageFile(pageRef as string), text);
  if (expectedVersion === undefined) return page;
  const currentVersion = await versionOf(project, page);
  if (currentVersion !== expectedVersion)
    throw new Refused({
      code: 'conflict',
      currentVersion,
      detail: 'the page, or a model or resource that its queries read, is not the version that was expected',
    });
  return page;
}

/** The model of a resource; undefined when the project has no such resource. Throws SourceError. */
export async function loadModel(project: PageProject, resource: unknown): Promise<ModelSource | undefined> {
  if (!isResourceName(resource)) return undefined;
  const [declaration, model] = [await project.read(resourceFile(resource)), await project.read(modelFile(resource))];
  if (declaration === undefined) return undefined;
  if (model === undefined) throw new SourceError(modelFile(resource), 1, 'the resource has no model beside it');
  return readModel(resource, declaration, model);
}

/** The model, or the reason why it cannot be read; for reading only. */
export async function modelOrReason(project: PageProject, resource: string): Promise<ModelSource | string | undefined> {
  try {
    return await loadModel(project, resource);
  } catch (error) {
    if (error instanceof SourceError) return `${error.file}:${error.line}: ${error.message}`;
    throw error;
  }
}

/** The pages with which a route's URL could collide. The edited page is passed in, not read again. */
export async function loadPagesOnTheWay(
  project: PageProject,
  pageRef: string,
  endpoint: string,
  page: ClassSource,
): Promise<KnownPage[]> {
  const found = await Promise.all(
    [...new Set([pageRef, ...pagesOnTheWay(pageRef, endpoint)])].map(async (each): Promise<KnownPage | undefined> => {
      const text = each === pageRef ? page.text : await project.read(pageFile(each));
      if (text === undefined) return undefined;
      const source = each === pageRef ? page : readPageSource(pageFile(each), text);
      return { pageRef: each, endpoints: endpointsOf(source).map(({ endpoint: own }) => own) };
    }),
  );
  return found.filter((each) => each !== undefined);
}

/** Other sources that contain the name of a method. Throws SourceError, because a broken file may use it. */
export function loadOthers(project: PageProject, method: string, without: readonly string[]): ts.SourceFile[] {
  return project.filesWith(method, without).map(({ path, text }) => parseSource(path, text));
}

export interface LoadedQuery {
  readonly route: PageRoute;
  readonly model: ModelSource | string | undefined;
  readonly query: Certified;
}

/** The resource that a query reads, according to its page. Throws Refused with `not_found`. */
export function resourceOfQuery(page: ClassSource, ref: string, name: string): string | undefined {
  return standingRoute(page, ref, name).model?.resource;
}

function standingRoute(page: ClassSource, ref: string, name: string): PageRoute {
  const route = routeNamed(page, name);
  if (!route) throw new Refused({ code: 'not_found', ref });
  return route;
}

/** A query of a page by its name. Throws Refused with `not_found`. */
export async function loadQuery(
  { project, templates }: BuilderPorts,
  page: ClassSource,
  ref: string,
  name: string,
): Promise<LoadedQuery> {
  const route = standingRoute(page, ref, name);
  const model = route.model ? await modelOrReason(project, route.model.resource) : undefined;
  return { route, model, query: certify(page, route, model, templates) };
}

/** Like `loadQuery`, but the query is also opaque when its page did something else when it ran. */
export async function loadHeldQuery(
  ports: BuilderPorts,
  page: ClassSource,
  ref: string,
  { pageRef, name }: { readonly pageRef: string; readonly name: string },
): Promise<LoadedQuery> {
  const { query, ...loaded } = await loadQuery(ports, page, ref, name);
  if (query.kind === 'opaque' || typeof loaded.model !== 'object') return { ...loaded, query };
  const execution = await executionOf(ports, page, pageRef, [loaded.model]);
  return { ...loaded, query: await heldAgainst(execution, loaded.route, query, ports.executions?.exported) };
}
