/**
 * Which version of each page is served: the newest one that compiles, loads and claims no address of another page, or
 * else the one that was served before. An address belongs to one route over all pages; the page that is served with it
 * keeps it. Pure state without processes, so that every case can be tested.
 */
import type { Compilation } from './compile-pages';
import { sourceProblem, type CompiledPage, type SourceProblem } from './compiled-page';
import type { PageAddress, Verdict } from './judge-page';
import type { Position } from './source-position';
import type { TenantTable } from './tenant-tables';

export interface ServedPage {
  readonly compiled: CompiledPage;
  readonly title: string;
  readonly permission: string;
  /** The tables that it declares as belonging to tenants. */
  readonly tenantTables: readonly TenantTable[];
}

export interface ReportedProblem extends SourceProblem {
  /** The version that visitors get until the problem is solved. */
  readonly serving: 'last_good_version' | 'nothing';
}

/** What a worker must change to serve the catalog's versions. */
export interface PageChanges {
  readonly set: readonly ServedPage[];
  readonly gone: readonly string[];
  /** Every page without a version that loads. */
  readonly unloaded: readonly string[];
}

export interface PageCatalog {
  /** The pages whose version was not tried yet. */
  unjudged(compilation: Compilation): CompiledPage[];
  /** Whether the page's own file differs from the served one, not only its imports. */
  isEdited(page: CompiledPage): boolean;
  judge(page: CompiledPage, verdict: Verdict): void;
  verdictOf(page: CompiledPage): Verdict | undefined;
  /** Decides again; every worker must apply the differences. */
  settle(compilation: Compilation): PageChanges;
  /** Everything that is served at present. */
  served(): readonly ServedPage[];
  unloaded(): readonly string[];
  problems(): readonly ReportedProblem[];
}

export type PositionOf = (page: CompiledPage, place: string | undefined) => Position;

type Good = Extract<Verdict, { kind: 'good' }>;
type Serving = ServedPage & { readonly verdict: Good };

const nameOf = ({ pageRef, version }: CompiledPage): string => `${pageRef}@${version}`;

/** `positionOf` finds the source of a position in compiled code; few are ever needed. */
export function createPageCatalog(positionOf: PositionOf): PageCatalog {
  const verdicts = new Map<string, Verdict>();
  let serving = new Map<string, Serving>();
  let unloaded: readonly string[] = [];
  let problems: readonly ReportedProblem[] = [];

  const candidateOf = (page: CompiledPage): Serving | SourceProblem => {
    const verdict = verdicts.get(nameOf(page));
    // Until a new version was tried, the previous one is served.
    if (!verdict)
      return serving.get(page.pageRef) ?? sourceProblem(page.pageRef, page.file, 1, 'the page was not tried yet');
    if (verdict.kind === 'bad') return verdict.problem;
    const { title, permission, tenantTables, exchanged } = verdict;
    return { compiled: { ...page, ...(exchanged && { exchanged }) }, title, permission, tenantTables, verdict };
  };
  const forgetOthers = ({ pages }: Compilation): void => {
    const needed = new Set([...pages, ...[...serving.values()].map(({ compiled }) => compiled)].map(nameOf));
    for (const name of verdicts.keys()) if (!needed.has(name)) verdicts.delete(name);
  };

  return {
    unjudged: ({ pages }) => pages.filter((page) => !verdicts.has(nameOf(page))),
    isEdited: (page) => programOf(page) !== programOf(serving.get(page.pageRef)?.compiled),
    judge: (page, verdict) => void verdicts.set(nameOf(page), verdict),
    verdictOf: (page) => verdicts.get(nameOf(page)),
    settle(compilation) {
      const candidates = new Map(compilation.pages.map((page) => [page.pageRef, candidateOf(page)]));
      for (const problem of compilation.problems) candidates.set(problem.pageRef, problem);
      const { next, found } = decide(candidates, serving, positionOf);
      const changes: PageChanges = {
        set: [...next.values()]
          .filter((page) => !sameVersion(page, serving.get(page.compiled.pageRef)))
          .map(withoutVerdict),
        gone: [...serving.keys()].filter((pageRef) => !next.has(pageRef)),
        unloaded: [...candidates.keys()].filter((pageRef) => !next.has(pageRef)),
      };
      serving = next;
      unloaded = changes.unloaded;
      problems = found.sort((a, b) => (a.pageRef < b.pageRef ? -1 : 1));
      forgetOthers(compilation);
      return changes;
    },
    served: () => [...serving.values()].map(withoutVerdict),
    unloaded: () => unloaded,
    problems: () => problems,
  };
}

/** Which candidates are served: the served ones are decided first, so that they keep their addresses. */
function decide(
  candidates: ReadonlyMap<string, Serving | SourceProblem>,
  serving: ReadonlyMap<string, Serving>,
  positionOf: PositionOf,
) {
  const isSettled = ([pageRef, candidate]: [string, Serving | SourceProblem]): boolean => {
    const before = serving.get(pageRef);
    return before !== undefined && (!('compiled' in candidate) || sameVersion(candidate, before));
  };
  const claims = new Map<string, string>();
  const next = new Map<string, Serving>();
  const found: ReportedProblem[] = [];
  const claim = (page: Serving): SourceProblem | undefined => {
    const taken = takenAddress(page, claims, positionOf);
    if (taken) return taken;
    for (const { pattern } of page.verdict.addresses) claims.set(pattern, page.compiled.pageRef);
    next.set(page.compiled.pageRef, page);
    return undefined;
  };
  const all = [...candidates];
  for (const [pageRef, candidate] of [...all.filter(isSettled), ...all.filter((each) => !isSettled(each))]) {
    const problem = 'compiled' in candidate ? claim(candidate) : candidate;
    if (!problem) continue;
    const before = serving.get(pageRef);
    const fallback = before && claim(before);
    found.push({ ...(fallback ?? problem), serving: before && !fallback ? 'last_good_version' : 'nothing' });
  }
  return { next, found };
}

function programOf(page: CompiledPage | undefined): string | undefined {
  return page?.files.find(({ path }) => path === page.file)?.code;
}

function withoutVerdict({ compiled, title, permission, tenantTables }: Serving): ServedPage {
  return { compiled, title, permission, tenantTables };
}

function sameVersion(page: Serving, before: Serving | undefined): boolean {
  return before?.compiled.version === page.compiled.version;
}

/** The problem of a page that claims an address twice, or an address of another page. */
function takenAddress(
  { compiled, verdict: { addresses } }: { readonly compiled: CompiledPage; readonly verdict: Good },
  claims: ReadonlyMap<string, string>,
  positionOf: PositionOf,
): SourceProblem | undefined {
  const own = new Set<string>();
  const isTaken = ({ pattern }: PageAddress): boolean => {
    const taken = own.has(pattern) || claims.has(pattern);
    own.add(pattern);
    return taken;
  };
  const taken = addresses.find(isTaken);
  if (!taken) return undefined;
  const { pageRef } = compiled;
  const owner = claims.get(taken.pattern) ?? pageRef;
  const { file, line } = positionOf(compiled, taken.place);
  return sourceProblem(pageRef, file, line, `the address ${taken.pattern} is taken by the page ${owner}`);
}
