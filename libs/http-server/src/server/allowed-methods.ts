/** Distinguishes an unknown address (404) from a known one that does not allow the method (405 with `Allow`). */
import type { Method } from '../route';

interface Address {
  readonly method: Method;
  readonly path: string;
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}

/** A function from a URL path to the methods of its routes, sorted; empty when there is none. */
export function createAllowedMethods(addresses: readonly Address[]): (path: string) => string[] {
  const patterns = addresses.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (path) => {
    const methods = new Set<string>(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  };
}
