/**
 * Flags that make the start of a bundled program faster: the runtime's compiled code of the packages is kept in
 * `dist/`.
 */
import { join } from 'node:path';

export const compileCacheFlags = (root: string): readonly string[] => [
  '--require',
  join(root, 'infra/local/compile-cache.cjs'),
];
