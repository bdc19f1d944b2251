/**
 * Which version of each page is to be served: the newest that compiles and is not known to do harm, and the one that
 * was served last to fall back on. Bookkeeping only, so that every case can be tested without a process.
 */
import type { Compilation } from '../project/compile-pages';
import { sourceProblem, type CompiledPage, type SourceProblem } from '../project/compiled-page';
import type { PageCandidate, ReportedProblem } from '../project/load-pages';

interface VersionName {
  readonly pageRef: string;
  readonly version: string;
}

export interface PageVersions {
  /** Whether other versions are to be loaded than those that were loaded last. */
  differ(compilation: Compilation): boolean;
  candidates(compilation: Compilation): PageCandidate[];
  /** A generation serves: what of it is the newest becomes the last good version. */
  served(compilation: Compilation, versions: readonly VersionName[], problems: readonly ReportedProblem[]): void;
  /** The page's code ended or blocked its worker. False when that version is not a candidate that could be left out. */
  blame(compilation: Compilation, name: VersionName, reason: string): boolean;
  /** Everything that is wrong now. */
  problems(compilation: Compilation): ReportedProblem[];
}

const nameOf = ({ pageRef, version }: VersionName): string => `${pageRef}@${version}`;

export function createPageVersions(): PageVersions {
  const lastGood = new Map<string, CompiledPage>();
  /** Only versions of this moment are kept: a version that returns is tried again. */
  let harmful = new Map<string, SourceProblem>();
  let loading: readonly ReportedProblem[] = [];
  let loaded: string | undefined;

  const refsOf = ({ pages, problems }: Compilation): string[] =>
    [...new Set([...pages, ...problems].map(({ pageRef }) => pageRef))].sort();
  const newestOf = ({ pages }: Compilation, pageRef: string) =>
    pages.find((page) => page.pageRef === pageRef && !harmful.has(nameOf(page)));
  /** What would be tried: a page that does not compile changes nothing as long as its last version stands in for it. */
  const tokenOf = (compilation: Compilation): string =>
    JSON.stringify(
      refsOf(compilation).map((pageRef) => [
        pageRef,
        (newestOf(compilation, pageRef) ?? lastGood.get(pageRef))?.version,
      ]),
    );
  const reported = (problem: SourceProblem): ReportedProblem => ({
    ...problem,
    serving: lastGood.has(problem.pageRef) ? 'last_good_version' : 'nothing',
  });

  return {
    differ: (compilation) => tokenOf(compilation) !== loaded,
    candidates(compilation) {
      const refs = refsOf(compilation);
      for (const pageRef of lastGood.keys()) if (!refs.includes(pageRef)) lastGood.delete(pageRef);
      return refs.map((pageRef) => {
        const newest = newestOf(compilation, pageRef);
        const good = lastGood.get(pageRef);
        return { pageRef, ...(newest && { newest }), ...(good && { lastGood: good }) };
      });
    },
    served(compilation, versions, problems) {
      const names = new Set(versions.map(nameOf));
      const refs = new Set(versions.map(({ pageRef }) => pageRef));
      for (const page of compilation.pages) if (names.has(nameOf(page))) lastGood.set(page.pageRef, page);
      for (const pageRef of lastGood.keys()) if (!refs.has(pageRef)) lastGood.delete(pageRef);
      const current = new Set(compilation.pages.map(nameOf));
      harmful = new Map([...harmful].filter(([name]) => current.has(name)));
      loading = problems;
      loaded = tokenOf(compilation);
    },
    blame(compilation, name, reason) {
      const page = compilation.pages.find((each) => nameOf(each) === nameOf(name));
      if (!page || harmful.has(nameOf(page))) return false;
      harmful.set(nameOf(page), sourceProblem(page.pageRef, page.file, 1, reason));
      return true;
    },
    problems(compilation) {
      const blamed = compilation.pages.flatMap((page) => harmful.get(nameOf(page)) ?? []);
      return [...[...compilation.problems, ...blamed].map(reported), ...loading].sort((a, b) =>
        a.pageRef < b.pageRef ? -1 : 1,
      );
    },
  };
}
