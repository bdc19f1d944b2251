/** What others have built on a save since it was made: queries that would break or change if it were taken back. */
import { addressClaim, collisionWith } from '../domain/collisions';
import { memberRange, type Range } from '../domain/edit/comments';
import { importsModel, usesMethod } from '../domain/edit/method-uses';
import { endpointsOf } from '../domain/page-queries';
import { readModelSource, readPageSource, type ClassSource } from '../domain/source/class-source';
import { memberName, type ts } from '../domain/source/parse';
import type { PageProject } from '../store/page-project';
import { loadOthers, loadPagesOnTheWay } from './load';
import type { FileText } from './ports';

interface Address {
  readonly pageRef: string;
  readonly endpoint: string;
  /** The page as it is when the save is taken back. */
  readonly page: ClassSource;
}

/** The addresses that come back with the former texts of a save's pages. */
function addressesOf(files: readonly FileText[]): Address[] {
  return files.flatMap(({ path, before, text }) => {
    const pageRef = /^pages(\/.+)\/page\.ts$/.exec(path)?.[1];
    if (pageRef === undefined) return [];
    const page = readPageSource(path, before);
    const now = new Set(endpointsOf(readPageSource(path, text)).map(({ endpoint }) => endpoint));
    return endpointsOf(page).flatMap(({ endpoint }) => (now.has(endpoint) ? [] : [{ pageRef, endpoint, page }]));
  });
}

/** What a writer claims, besides the files, while it takes a save back. */
export function addressClaimsOf(files: readonly FileText[]): string[] {
  return addressesOf(files).map(({ pageRef, endpoint }) => addressClaim(pageRef, endpoint));
}

/**
 * Why a save cannot be taken back; undefined when nothing needs it. Throws SourceError.
 * @param query the query that was saved, as `<page>@<name>`
 */
export async function builtSince(
  project: PageProject,
  query: string,
  files: readonly FileText[],
): Promise<string | undefined> {
  for (const { pageRef, endpoint, page } of addressesOf(files)) {
    const pages = await loadPagesOnTheWay(project, pageRef, endpoint, page);
    const taken = collisionWith(
      pageRef,
      endpoint,
      pages.filter((each) => each.pageRef !== pageRef),
    );
    if (taken !== undefined) return `the address of the route ${endpoint} is taken: ${taken}`;
  }
  const saved = files.map(({ path }) => path);
  for (const { path, method } of files.flatMap(methodsOf)) {
    const model = path.replace(/\.ts$/, '');
    // A file that does not import the model means something else by the name, and did so before the save too.
    const user = loadOthers(project, method, saved).find(
      (file) => importsModel(file, model) && usesMethod(file, model, method, ownRoute(file, query)),
    );
    if (user) return `${user.fileName} uses the method ${method} as the save wrote it`;
  }
  return undefined;
}

/** The saved query's own route: when a save changed a method in its place, that was the only one that used it. */
function ownRoute({ fileName, text }: ts.SourceFile, query: string): Range[] {
  const [pageRef, name] = query.split('@');
  if (fileName !== `pages${pageRef}/page.ts`) return [];
  const page = readPageSource(fileName, text);
  return endpointsOf(page).flatMap(({ member }) =>
    memberName(member) === name ? [memberRange(page.file, member)] : [],
  );
}

/** The methods of a model that a save added or changed. */
function methodsOf({ path, before, text }: FileText): { readonly path: string; readonly method: string }[] {
  if (!/^resources\/[^/]+\/model\.ts$/.test(path)) return [];
  const former = membersOf(readModelSource(path, before));
  return [...membersOf(readModelSource(path, text))].flatMap(([method, source]) =>
    former.get(method) === source ? [] : [{ path, method }],
  );
}

function membersOf({ owner, file }: ClassSource): ReadonlyMap<string, string> {
  return new Map(
    owner.members.flatMap((member): [string, string][] => {
      const name = memberName(member);
      return name === undefined ? [] : [[name, member.getText(file)]];
    }),
  );
}
