/** Unique names per test file: suites that run at the same time on one server never share a database or a stream. */
import { randomBytes } from 'node:crypto';

/**
 * `<prefix>_<12 random characters>` of lower-case letters, digits and underscore: valid as a database name, a
 * namespace and a durable name. The prefix is cut to 24 such characters.
 */
export function uniqueName(prefix: string): string {
  const safe =
    prefix
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 24) || 'test';
  return `${safe}_${randomBytes(6).toString('hex')}`;
}
