/**
 * Where a POST may go. A person names the address, and the service runs inside the platform's network: without this
 * guard an endpoint could be the store, the broker, or the metadata service of the cloud. The address that a connection
 * is made to is judged, and not a name that was resolved before: a name may resolve differently a moment later.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Plain HTTP is for the local platform. */
  readonly allowsPlainHttp: boolean;
  /** Hosts of endpoints whose addresses need not be public, and such addresses themselves. */
  readonly allowedHosts: readonly string[];
}

/** The host of the URL; an IPv6 address without its brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Why nothing may be posted there, by the text of the URL; null when only its resolution can tell. */
export function objectionToUrl(url: string, rules: AddressRules): string | null {
  if (!URL.canParse(url)) return 'the address of the endpoint is no URL';
  const { protocol } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowsPlainHttp))
    return `the address of the endpoint must begin with https, not ${protocol}`;
  const host = hostOf(url);
  return isIP(host) === 0 ? null : objectionToAddress(host, host, rules);
}

/**
 * Why no connection may be made to this address of the host; null when it may. Public is what the registries assign for
 * use on the internet: everything special is refused, also IPv4 written as IPv6 and what is translated to IPv4.
 */
export function objectionToAddress(host: string, address: string, { allowedHosts }: AddressRules): string | null {
  if (allowedHosts.includes(host.toLowerCase()) || allowedHosts.includes(address)) return null;
  const kind = kindOf(address);
  return kind === 'unicast' ? null : `${host} has the address ${address}, which is not public (${kind})`;
}

/** The only part of IPv6 of which registries assign addresses; the package names special ranges alone. */
const assigned = ipaddr.IPv6.parseCIDR('2000::/3');

function kindOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unreadable';
  const read = ipaddr.process(address);
  const range = read.range();
  return range === 'unicast' && read instanceof ipaddr.IPv6 && !read.match(assigned) ? 'unassigned' : range;
}
