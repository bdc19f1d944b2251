/** GetPageStructure (specification §2): the queries of a page according to its current source. */
import type { BuilderResult, PageStructure, QueryStructure } from '@platform/builder';
import { certify, routesOfPage, structureOf, type Certified, type PageRoute } from '../domain/page-queries';
import { isPageRef } from '@platform/base/page';
import type { ModelSource } from '../domain/project';
import { answering } from './answer';
import { executionOf, heldAgainst } from './hold-against-run';
import { loadPage, modelOrReason } from './load';
import { versionOf } from './page-version';
import type { BuilderPorts } from './ports';

export function pageStructure(ports: BuilderPorts, pageRef: string): Promise<BuilderResult<PageStructure>> {
  const { project, templates, executions } = ports;
  return answering(project, isPageRef(pageRef) ? pageRef : '/', async () => {
    const page = await loadPage(project, pageRef);
    // Read before the models: a change in between makes the version too old, which is refused, and never too new.
    const version = await versionOf(project, page);
    const models = new Map<string, ModelSource | string | undefined>();
    const found: { readonly route: PageRoute; readonly query: Certified }[] = [];
    for (const route of routesOfPage(page)) {
      const resource = route.model?.resource;
      if (resource !== undefined && !models.has(resource)) models.set(resource, await modelOrReason(project, resource));
      const model = resource === undefined ? undefined : models.get(resource);
      found.push({ route, query: certify(page, route, model, templates) });
    }
    const queries: QueryStructure[] = [];
    if (found.length > 0) {
      const read = [...models.values()].filter((model) => typeof model === 'object');
      const execution = await executionOf(ports, page, pageRef, read);
      for (const { route, query } of found)
        queries.push(structureOf(route, await heldAgainst(execution, route, query, executions?.exported)));
    }
    return { pageRef, version, queries };
  });
}
