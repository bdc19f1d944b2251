/**
 * Tries a page before it is served, by loading it once in a process where it can do no harm. The result is plain data.
 */
import { pageRoutePath, pageRoutePrefix } from '@platform/base/page';
import { digestOf, type Exchange, type Execution } from '../../domain/execution';
import { descriptionFault } from '../page-code/wire-write';
import { sourceProblem, type CompiledPage, type SourceProblem } from './compiled-page';
import { loadPage, type PageHere } from './load-page';
import type { PageModules } from './page-modules';
import { tenantTablesOf, type TenantTable } from './tenant-tables';
import { placeIn } from './source-position';

export interface PageAddress {
  /** The final URL pattern: `/a` + `/b/:x` and `/a/b` + `/:y` have the same one. */
  readonly pattern: string;
  /** The position in compiled code; absent for the address of the page itself. */
  readonly place?: string;
}

export type Verdict =
  | {
      readonly kind: 'good';
      readonly title: string;
      readonly permission: string;
      readonly addresses: readonly PageAddress[];
      /** The tables that it declares as belonging to tenants. */
      readonly tenantTables: readonly TenantTable[];
      /** An execution as text: a host keeps one for each page, and reads few of them. */
      readonly ran: string;
      /** The replacements that a process which serves the page may find too. */
      readonly exchanged?: readonly string[];
    }
  | { readonly kind: 'bad'; readonly problem: SourceProblem };

/** What a process that tries pages reports. */
export type FromTrial =
  | { readonly kind: 'trying'; readonly at: number }
  | { readonly kind: 'tried'; readonly at: number; readonly verdict: Verdict };

/** One replacement is enough to refuse trust, so further ones are not listed. */
const maxExchanges = 20;

/** Never throws for errors in the page. `language` finds what page code replaced in the language itself. */
export async function judgePage(
  compiled: CompiledPage,
  modules: PageModules,
  language: () => readonly Exchange[] = () => [],
): Promise<Verdict> {
  const loading = await loadPage(compiled, modules);
  if (loading.kind === 'failed') return { kind: 'bad', problem: loading.problem };
  const { definition, routes, exchanged } = loading.loaded;
  const fault = descriptionFault({ definition, routes });
  if (fault !== undefined) return { kind: 'bad', problem: sourceProblem(compiled.pageRef, compiled.file, 1, fault) };
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

/** How a page differs from its trial: code that replaces something now and did not do so then. */
export function departure({ compiled, exchanged }: PageHere): SourceProblem | undefined {
  const tried = new Set(compiled.exchanged);
  const found = namesOf(exchanged).find((name) => !tried.has(name));
  if (found === undefined) return undefined;
  const message = `code of another file replaced ${found}, and did not when the page was tried`;
  return sourceProblem(compiled.pageRef, compiled.file, 1, message);
}
