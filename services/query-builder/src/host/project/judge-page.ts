/** Finds what must be known of a page before it is served, by loading it once where it can do no harm. Plain data. */
import { pageRoutePath, pageRoutePrefix } from '@platform/base/page';
import { digestOf, type Exchange, type Execution } from '../../domain/execution';
import { sourceProblem, type CompiledPage, type SourceProblem } from './compiled-page';
import { loadPage, type PageHere } from './load-page';
import type { PageModules } from './page-modules';
import { tenantTablesOf, type TenantTable } from './tenant-tables';
import { placeIn } from './source-position';

export interface PageAddress {
  /** The final URL pattern: `/a` + `/b/:x` and `/a/b` + `/:y` are one. */
  readonly pattern: string;
  /** Its place in compiled code; absent for the address of the page itself. */
  readonly place?: string;
}

export type Verdict =
  | {
      readonly kind: 'good';
      readonly title: string;
      readonly permission: string;
      readonly addresses: readonly PageAddress[];
      /** The tables that it declares to belong to tenants. */
      readonly tenantTables: readonly TenantTable[];
      /** An execution as text: a host keeps one for each page, and few are ever read. */
      readonly ran: string;
      /** What a process that serves the page may find exchanged too. */
      readonly exchanged?: readonly string[];
    }
  | { readonly kind: 'bad'; readonly problem: SourceProblem };

/** Any of them counts; more say nothing new. */
const maxExchanges = 20;

/** Never throws for what is wrong in the page. `language` finds what page code exchanged of the language itself. */
export async function judgePage(
  compiled: CompiledPage,
  modules: PageModules,
  language: () => readonly Exchange[] = () => [],
): Promise<Verdict> {
  const loading = await loadPage(compiled, modules);
  if (loading.kind === 'failed') return { kind: 'bad', problem: loading.problem };
  const { definition, routes, exchanged } = loading.loaded;
  const addresses = routes.map(({ note }): PageAddress => {
    const place = placeIn(compiled, note.declaredAt.stack);
    const pattern = pageRoutePath(compiled.pageRef, note.endpoint).replace(/:[^/]+/g, ':');
    return { pattern, ...(place !== undefined && { place }) };
  });
  const own = { pattern: pageRoutePrefix + compiled.pageRef };
  const execution: Extract<Execution, { kind: 'ran' }> = {
    kind: 'ran',
    routes: routes.map(({ note: { method }, rehearsal: { run } }) => ({
      method,
      texts: run.texts,
      digest: run.answer === undefined ? '' : digestOf(run),
    })),
    exchanged: [...exchanged, ...language()].slice(0, maxExchanges),
  };
  const { title, permission } = definition;
  return {
    kind: 'good',
    title,
    permission,
    addresses: [own, ...addresses],
    tenantTables: tenantTablesOf(routes.flatMap(({ rehearsal }) => rehearsal.calculations)),
    ran: JSON.stringify(execution),
    ...(exchanged.length > 0 && { exchanged: namesOf(exchanged) }),
  };
}

const namesOf = (exchanged: readonly Exchange[]): string[] => exchanged.map(({ what, file }) => `${what} of ${file}`);

/** Why a page is not what was tried: code that exchanges something now did not do so then. */
export function departure({ compiled, exchanged }: PageHere): SourceProblem | undefined {
  const tried = new Set(compiled.exchanged);
  const found = namesOf(exchanged).find((name) => !tried.has(name));
  if (found === undefined) return undefined;
  const message = `code of another file replaced ${found}, and did not when the page was tried`;
  return sourceProblem(compiled.pageRef, compiled.file, 1, message);
}
