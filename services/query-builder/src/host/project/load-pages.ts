/**
 * Loads all pages of a version and decides which version of each is served. An address belongs to one route over all
 * pages; where two claim it, the page that was served before keeps it and the newcomer is reported.
 */
import { pageRoutePath, pageRoutePrefix } from '@platform/base/page';
import type { CompiledPage, SourceProblem } from './compiled-page';
import { loadPage, type LoadedPage } from './load-page';
import { positionOf } from './source-position';

export interface PageCandidate {
  readonly pageRef: string;
  /** Absent when the newest source does not compile. */
  readonly newest?: CompiledPage;
  /** The version that was served last. */
  readonly lastGood?: CompiledPage;
}

export interface ReportedProblem extends SourceProblem {
  /** What the page's visitors get meanwhile. */
  readonly serving: 'last_good_version' | 'nothing';
}

export interface LoadedPages {
  readonly pages: readonly LoadedPage[];
  readonly problems: readonly ReportedProblem[];
}

/** `onLoading` names the page whose code runs next: should that end the process, somebody knows which page it was. */
export async function loadPages(
  candidates: readonly PageCandidate[],
  projectDir: string,
  onLoading: (page: CompiledPage) => void = () => undefined,
): Promise<LoadedPages> {
  const addresses = new Map<string, string>();
  const pages: LoadedPage[] = [];
  const problems: ReportedProblem[] = [];
  const claim = (loaded: LoadedPage): SourceProblem | undefined => {
    const taken = takenAddress(loaded, addresses);
    if (taken) return taken;
    for (const [address] of patternsOf(loaded)) addresses.set(address, loaded.compiled.pageRef);
    pages.push(loaded);
    return undefined;
  };
  const attempt = async (compiled: CompiledPage): Promise<SourceProblem | undefined> => {
    onLoading(compiled);
    const loading = await loadPage(compiled, projectDir);
    return loading.kind === 'failed' ? loading.problem : claim(loading.loaded);
  };
  // What was served before comes first, so that it keeps its addresses.
  const settled = (candidate: PageCandidate): boolean =>
    candidate.lastGood !== undefined && (!candidate.newest || candidate.newest.version === candidate.lastGood.version);
  for (const { pageRef, newest, lastGood } of [
    ...candidates.filter(settled),
    ...candidates.filter((each) => !settled(each)),
  ]) {
    const problem = newest && (await attempt(newest));
    const fallback = lastGood && (problem || !newest) ? await attempt(lastGood) : undefined;
    if (problem) problems.push({ ...problem, serving: lastGood && !fallback ? 'last_good_version' : 'nothing' });
    else if (fallback) problems.push({ ...fallback, pageRef, serving: 'nothing' });
  }
  return { pages: pages.sort((a, b) => (a.compiled.pageRef < b.compiled.pageRef ? -1 : 1)), problems };
}

/** The final URL patterns of a page with the places that declare them: `/a` + `/b/:x` and `/a/b` + `/:y` are one. */
function patternsOf({ compiled, routes }: LoadedPage): (readonly [string, Error | undefined])[] {
  const pattern = (path: string): string => path.replace(/:[^/]+/g, ':');
  return [
    [pageRoutePrefix + compiled.pageRef, undefined],
    ...routes.map(({ note }) => [pattern(pageRoutePath(compiled.pageRef, note.endpoint)), note.declaredAt] as const),
  ];
}

function takenAddress(loaded: LoadedPage, addresses: ReadonlyMap<string, string>): SourceProblem | undefined {
  const own = new Set<string>();
  const { compiled } = loaded;
  for (const [address, declaredAt] of patternsOf(loaded)) {
    const owner = own.has(address) ? compiled.pageRef : addresses.get(address);
    if (owner !== undefined)
      return {
        pageRef: compiled.pageRef,
        ...positionOf(compiled, declaredAt?.stack),
        message: `the address ${address} is taken by the page ${owner}`,
      };
    own.add(address);
  }
  return undefined;
}
