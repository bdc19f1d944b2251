/**
 * RemoveQuery (specification §4): removes the route, and the model method once no other code calls it. Also for opaque
 * queries.
 */
import type { BuilderResult, RemovedQuery } from '@platform/builder';
import { planRemove } from '../domain/edit/plan-remove';
import { modelFile, pageFile, parseQueryRef } from '../domain/project';
import { answering, Refused } from './answer';
import { commit } from './commit';
import { loadOthers, loadPage, loadQuery, resourceOfQuery } from './load';
import type { BuilderPorts, RunOptions } from './ports';

export function removeQuery(
  ports: BuilderPorts,
  query: string,
  options: RunOptions = {},
): Promise<BuilderResult<RemovedQuery>> {
  const { project, unusedBefore } = ports;
  const parsed = parseQueryRef(query);
  return answering(project, parsed?.pageRef ?? '/', async () => {
    if (!parsed) throw new Refused({ code: 'not_found', ref: String(query).slice(0, 200) });
    const { pageRef, name } = parsed;
    const seen = resourceOfQuery(await loadPage(project, pageRef), query, name);
    return project.exclusively([pageFile(pageRef), ...(seen === undefined ? [] : [modelFile(seen)])], async () => {
      const page = await loadPage(project, pageRef, options.expectedVersion);
      const { route, model: found } = await loadQuery(ports, page, query, name);
      // A model without a claim is not changed, because another writer may be editing its methods.
      const model = typeof found === 'object' && route.model?.resource === seen ? found : undefined;
      const others =
        model && route.modelMethod !== undefined
          ? loadOthers(project, route.modelMethod, [page.path, model.source.path])
          : [];
      const keep = (path: string): ReadonlySet<string> => unusedBefore.get(path) ?? new Set();
      const plan = planRemove({
        page,
        route,
        model,
        others,
        keepOnPage: keep(page.path),
        ...(model && { keepInModel: keep(model.source.path) }),
      });
      return { query, changes: await commit(project, plan, options) };
    });
  });
}
