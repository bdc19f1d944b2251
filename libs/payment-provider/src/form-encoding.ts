/**
 * Encodes the body of a call before it is sent, so that its digest can be stored with the intent. The adapter compares
 * the digest with the bytes for the network and refuses to send other bytes.
 */
import { sha256 } from '@platform/kernel';

type FormValue = string | number | boolean | object;

const escapes: Readonly<Record<string, string>> = {
  '!': '%21',
  '*': '%2A',
  '(': '%28',
  ')': '%29',
  "'": '%27',
  '%5B': '[',
  '%5D': ']',
};

function encodeText(text: string): string {
  return encodeURIComponent(text).replace(/[!*()']|%5B|%5D/g, (found) => escapes[found] ?? found);
}

function encodePairs(key: string, value: FormValue | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object') return [`${encodeText(key)}=${encodeText(String(value))}`];
  return Object.entries(value).flatMap(([member, inner]) =>
    encodePairs(`${key}[${member}]`, inner as FormValue | undefined),
  );
}

/** `application/x-www-form-urlencoded` with bracketed keys, in the order of the members; `undefined` is left out. */
function encodeForm(body: object): string {
  return Object.entries(body)
    .flatMap(([key, value]) => encodePairs(key, value as FormValue | undefined))
    .join('&');
}

/** SHA-256 (hexadecimal) of the encoded body. */
export function payloadDigestOf(body: object): string {
  return sha256(encodeForm(body));
}
