/** Loads all pages of a project in this process, for tools that read every query. */
import type { Compilation } from './compile-pages';
import type { CompiledPage, SourceProblem } from './compiled-page';
import { loadPage, type LoadedPage } from './load-page';
import type { PageModules } from './page-modules';

export interface LoadedPages {
  readonly pages: readonly LoadedPage[];
  readonly problems: readonly SourceProblem[];
}

/** Never throws for errors in a page. */
export async function loadPages(compilation: Compilation, modules: PageModules): Promise<LoadedPages> {
  const loadings = [];
  for (const page of compilation.pages satisfies readonly CompiledPage[]) loadings.push(await loadPage(page, modules));
  return {
    pages: loadings.flatMap((loading) => (loading.kind === 'loaded' ? [loading.loaded] : [])),
    problems: [
      ...compilation.problems,
      ...loadings.flatMap((loading) => (loading.kind === 'failed' ? [loading.problem] : [])),
    ],
  };
}
