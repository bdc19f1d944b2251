/**
 * Addresses of pages and of their routes. Every part that builds or reads one uses these functions, so addresses cannot
 * differ.
 */

/** Fixed by the platform (specification §4). */
export const pageRoutePrefix = '/dms/pages';

const pageRefPattern = /^(\/[a-z0-9]+(-[a-z0-9]+)*){1,16}$/;
const endpointPattern = /^(\/[A-Za-z0-9._~-]+|\/:[a-z][A-Za-z0-9]*){1,16}$/;
const maxAddressCharacters = 200;

/** Whether a text names a page: lower-case words joined by dashes, one or more segments (`/shop/orders`). */
export function isPageRef(text: unknown): text is string {
  return typeof text === 'string' && text.length <= maxAddressCharacters && pageRefPattern.test(text);
}

/** Whether a text is a route's path relative to its page: `/stats/revenue`, `/stats/:status`; no dot segments. */
export function isEndpoint(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > maxAddressCharacters || !endpointPattern.test(text)) return false;
  const segments = text.slice(1).split('/');
  const names = segments.filter((segment) => segment.startsWith(':'));
  return segments.every((segment) => segment !== '.' && segment !== '..') && new Set(names).size === names.length;
}

/**
 * The address of a page's route: `pageRoutePath('/shop/orders', '/stats/revenue')` is
 * `/dms/pages/shop/orders/stats/revenue`. Throws TypeError for a text that is not a page or not an endpoint.
 */
export function pageRoutePath(pageRef: string, endpoint: string): string {
  if (!isPageRef(pageRef)) throw new TypeError('pageRef is not the path of a page');
  if (!isEndpoint(endpoint)) throw new TypeError('endpoint is not the path of a route');
  return `${pageRoutePrefix}${pageRef}${endpoint}`;
}

/** Names of the path parameters of an endpoint, in order. */
export function endpointParams(endpoint: string): string[] {
  return endpoint
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1));
}
