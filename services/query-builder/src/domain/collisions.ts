/**
 * Two routes collide when they have the same URL, whichever pages they are on: `/a` + `/b/x` is `/a/b` + `/x`. Only
 * pages whose address is a prefix of the URL can serve it, so a few files are read and never the whole project.
 */
import { isPageRef } from '@platform/base/page';
import { sha256 } from '@platform/kernel';

const segmentsOf = (pageRef: string, endpoint: string): string[] => `${pageRef}${endpoint}`.slice(1).split('/');

/** Equal texts mean that a router cannot distinguish the two, because the names of path parameters do not count. */
export function urlShape(pageRef: string, endpoint: string): string {
  return segmentsOf(pageRef, endpoint)
    .map((segment) => (segment.startsWith(':') ? ':' : segment))
    .join('/');
}

/**
 * What writers claim for a URL besides the files that they write: two of them could give it to different pages, and
 * each would read the page of the other one before it is written.
 */
export function addressClaim(pageRef: string, endpoint: string): string {
  return `address-${sha256(urlShape(pageRef, endpoint)).slice(0, 32)}`;
}

/**
 * Pages that could serve the URL of a route: those whose address is a prefix of it, including the one whose address
 * equals it.
 */
export function pagesOnTheWay(pageRef: string, endpoint: string): string[] {
  const segments = segmentsOf(pageRef, endpoint);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`).filter((each) => isPageRef(each));
}

export interface KnownPage {
  readonly pageRef: string;
  readonly endpoints: readonly string[];
}

/** Names the page or the route that already has a route's URL, for people; undefined when there is none. */
export function collisionWith(pageRef: string, endpoint: string, pages: readonly KnownPage[]): string | undefined {
  const shape = urlShape(pageRef, endpoint);
  for (const page of pages) {
    if (`/${shape}` === page.pageRef) return `it is the address of the page ${page.pageRef}`;
    const other = page.endpoints.find((each) => urlShape(page.pageRef, each) === shape);
    if (other !== undefined) return `the page ${page.pageRef} has the route ${other} already`;
  }
  return undefined;
}
