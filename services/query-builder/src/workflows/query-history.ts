/** The history of a query: the commits that changed its route or its model method. */
import type { BuilderResult } from '@platform/builder';
import { routeNamed } from '../domain/page-queries';
import { isResourceName, modelFile, pageFile, parseQueryRef } from '../domain/project';
import type { Commit, History } from '../store/git-history';
import { answering, Refused } from './answer';
import { loadPage } from './load';
import type { BuilderPorts } from './ports';

/** Newest first. `versioned` is false when the project is in no repository. */
export function queryHistory(
  { project }: BuilderPorts,
  history: History,
  query: string,
): Promise<BuilderResult<{ readonly versioned: boolean; readonly commits: readonly Commit[] }>> {
  const parsed = parseQueryRef(query);
  return answering(project, '/', async () => {
    const page = parsed && (await loadPage(project, parsed.pageRef));
    const route = page && routeNamed(page, parsed.name);
    if (!route) throw new Refused({ code: 'not_found', ref: String(query).slice(0, 200) });
    const resource = route.model?.resource;
    const [onPage, inModel] = await Promise.all([
      history.of(pageFile(parsed.pageRef), route.name),
      resource !== undefined && isResourceName(resource) && route.modelMethod !== undefined
        ? history.of(modelFile(resource), route.modelMethod)
        : undefined,
    ]);
    const merged = new Map<string, Commit>();
    for (const each of [...(onPage ?? []), ...(inModel ?? [])]) {
      const earlier = merged.get(each.commit);
      merged.set(each.commit, earlier ? { ...earlier, diff: `${earlier.diff}\n${each.diff}` } : each);
    }
    const commits = [...merged.values()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
    return { versioned: onPage !== undefined || inModel !== undefined, commits };
  });
}
