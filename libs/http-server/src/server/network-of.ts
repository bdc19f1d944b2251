import { isIP } from 'node:net';

const mappedIPv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * By which a client is counted: its IPv4 address, or the first half of its IPv6 address. The other half is the client's
 * own choice (RFC 4291, section 2.5.1), so that each request could come from another address. A text that is no address counts
 * as it is.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [, mapped] = mappedIPv4.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [before = '', after] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [head, tail] = [groups(before), groups(after ?? '')];
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  const network = [...head, ...zeros, ...tail].slice(0, 4).map((group) => parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
