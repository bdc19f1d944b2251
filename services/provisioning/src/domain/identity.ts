/**
 * Which addresses belong to the same person for a trial, and which cards are the same card. The rule for e-mail
 * identities is here and in the README; reservations hold digests only.
 */
import { sha256 } from '@platform/kernel';

const dotlessDomains: ReadonlySet<string> = new Set(['gmail.com']);
const aliasedDomains: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' };

/**
 * The identity behind an address: compatibility forms unified (NFKC), lower case, what follows `+` in the local part
 * dropped, the domain in its ASCII form without a final dot; at gmail.com, also as googlemail.com, dots do not count.
 */
export function emailIdentity(email: string): string {
  const address = email.normalize('NFKC').trim().toLowerCase();
  const at = address.lastIndexOf('@');
  const [local, named] = [address.slice(0, at), asciiDomain(address.slice(at + 1))];
  const domain = aliasedDomains[named] ?? named;
  const tag = local.indexOf('+');
  const untagged = tag > 0 ? local.slice(0, tag) : local;
  return `${dotlessDomains.has(domain) ? untagged.replaceAll('.', '') : untagged}@${domain}`;
}

function asciiDomain(domain: string): string {
  const plain = domain.replace(/\.+$/, '');
  return URL.canParse(`http://${plain}`) ? new URL(`http://${plain}`).hostname : plain;
}

export const capacityKey = (fingerprint: string): string => sha256(fingerprint);
export const emailTrialKey = (email: string): string => sha256(`email:${emailIdentity(email)}`);
export const cardTrialKey = (fingerprint: string): string => sha256(`card:${fingerprint}`);
export const workspaceTrialKey = (tenantId: string): string => sha256(`workspace:${tenantId}`);
export const rateKey = (userId: string): string => sha256(`user:${userId}`);
