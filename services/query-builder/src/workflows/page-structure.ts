/** GetPageStructure (specification §2): the queries of a page as its source says them now. */
import type { BuilderResult, PageStructure, QueryStructure } from '@platform/builder';
import { certify, routesOfPage, structureOf } from '../domain/page-queries';
import { isPageRef } from '@platform/base/page';
import type { ModelSource } from '../domain/project';
import { answering } from './answer';
import { loadPage, modelOrReason } from './load';
import { versionOf } from './page-version';
import type { BuilderPorts } from './ports';

export function pageStructure(
  { project, templates }: BuilderPorts,
  pageRef: string,
): Promise<BuilderResult<PageStructure>> {
  return answering(project, isPageRef(pageRef) ? pageRef : '/', async () => {
    const page = await loadPage(project, pageRef);
    // Before the models are read: a change in between makes the version too old, which is refused, never too new.
    const version = await versionOf(project, page);
    const models = new Map<string, ModelSource | string | undefined>();
    const queries: QueryStructure[] = [];
    for (const route of routesOfPage(page)) {
      const resource = route.model?.resource;
      if (resource !== undefined && !models.has(resource)) models.set(resource, await modelOrReason(project, resource));
      queries.push(
        structureOf(route, certify(page, route, resource === undefined ? undefined : models.get(resource), templates)),
      );
    }
    return { pageRef, version, queries };
  });
}
