/** Finds what must be known of a page before it is served, by loading it once where it can do no harm. Plain data. */
import { pageRoutePath, pageRoutePrefix } from '@platform/base/page';
import type { CompiledPage, SourceProblem } from './compiled-page';
import { loadPage } from './load-page';
import type { PageModules } from './page-modules';
import { tenantTablesOf, type TenantTable } from './tenant-tables';
import { createPositions, type Position } from './source-position';

export interface PageAddress extends Position {
  /** The final URL pattern: `/a` + `/b/:x` and `/a/b` + `/:y` are one. */
  readonly pattern: string;
}

export type Verdict =
  | {
      readonly kind: 'good';
      readonly title: string;
      readonly permission: string;
      readonly addresses: readonly PageAddress[];
      /** The tables that it declares to belong to tenants. */
      readonly tenantTables: readonly TenantTable[];
    }
  | { readonly kind: 'bad'; readonly problem: SourceProblem };

/** Never throws for what is wrong in the page. */
export async function judgePage(compiled: CompiledPage, modules: PageModules): Promise<Verdict> {
  const loading = await loadPage(compiled, modules);
  if (loading.kind === 'failed') return { kind: 'bad', problem: loading.problem };
  const { definition, routes } = loading.loaded;
  const positionOf = createPositions(compiled, modules.codeFolder);
  const addresses = routes.map(({ note }) => ({
    pattern: pageRoutePath(compiled.pageRef, note.endpoint).replace(/:[^/]+/g, ':'),
    ...positionOf(note.declaredAt.stack),
  }));
  const own = { pattern: pageRoutePrefix + compiled.pageRef, file: compiled.file, line: 1 };
  const tenantTables = tenantTablesOf(routes.flatMap(({ rehearsal }) => rehearsal.calculations));
  const { title, permission } = definition;
  return { kind: 'good', title, permission, addresses: [own, ...addresses], tenantTables };
}
