import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * By which a client is counted: its IPv4 address, or the first half of its IPv6 address. The other half is the client's
 * own choice (RFC 4291, section 2.5.1), so that each request could come from another address. A text that is no address
 * counts as it is.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const read = ipaddr.process(address);
  if (!(read instanceof ipaddr.IPv6)) return read.toString();
  return `${read.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
