/** The authoring side of the builder. It brings the compiler, so it is loaded only when somebody authors. */
import { queryTemplates, type QueryBuilder } from '@platform/builder';
import { openPageProject } from './store/page-project';
import { createQueryBuilder } from './workflows/create-query-builder';
import { listPages, listResources } from './workflows/list-project';
import type { PreviewReads } from './workflows/preview-query';

export interface Authoring {
  readonly builder: QueryBuilder;
  readonly listResources: () => ReturnType<typeof listResources>;
  readonly listPages: () => ReturnType<typeof listPages>;
}

/** Throws UnsupportedError when there is no such folder. */
export async function openAuthoring(folder: string, reads: PreviewReads): Promise<Authoring> {
  const project = await openPageProject(folder);
  return {
    builder: createQueryBuilder(project, queryTemplates, reads),
    listResources: () => listResources(project),
    listPages: () => listPages(project),
  };
}
