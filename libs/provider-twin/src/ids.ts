/**
 * Seeded identifiers: the n-th object of a kind has the same id in every run with the same seed, so two runs with the
 * same requests give the same bytes. A hash (not a visible counter) keeps callers from guessing or ordering ids.
 */
import { createHash } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` base-62 characters that depend only on the given parts. */
export function hashText(length: number, ...parts: (string | number)[]): string {
  let text = '';
  for (let block = 0; text.length < length; block += 1) {
    const bytes = createHash('sha256')
      .update([...parts, block].join('\u0000'))
      .digest();
    for (const byte of bytes) if (byte < 248) text += alphabet[byte % 62];
  }
  return text.slice(0, length);
}

/** Length of the random part by prefix, like the provider's own ids. */
const lengths: Record<string, number> = { req: 14, prod: 14, sub: 24, si: 14, cus: 14, cs_test: 56, whsec: 32 };

/** The id of the `n`-th object with this prefix under this seed. */
export function seededId(seed: string, prefix: string, n: number): string {
  return `${prefix}_${hashText(lengths[prefix] ?? 24, seed, prefix, n)}`;
}
