/**
 * Removes everything from a process that page code must not have, before any page code runs. Page code gets the
 * language, timers, texts and URLs, but no `process`, no `fetch`, and no modules that reach outside. If page code
 * bypasses this, the permission model of the runtime and a network namespace still confine it.
 */
import { runInNewContext } from 'node:vm';

/** Globals that page code may use beside the language itself. None gives access beyond the process. */
const harmless = [
  'AbortController',
  'AbortSignal',
  'Buffer',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'structuredClone',
];

/** Modules of the runtime that only compute. */
const harmlessModules: ReadonlySet<string> = new Set([
  'assert',
  'assert/strict',
  'buffer',
  'path',
  'path/posix',
  'punycode',
  'querystring',
  'string_decoder',
  'url',
]);

/** Whether page code may import a module of the runtime. */
export function mayImport(name: string): boolean {
  return harmlessModules.has(name.replace(/^node:/, ''));
}

/**
 * Removes every global that page code must not use; `say` receives what page code writes to its console. Affects this
 * process only.
 */
export function confine(say: (text: string) => void): void {
  const language = runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[];
  const kept = new Set([...language, ...harmless, 'globalThis']);
  // WebAssembly compiles code of any origin, and shared memory allows precise clocks; pages need neither.
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) kept.delete(name);
  for (const name of Reflect.ownKeys(globalThis))
    if (!kept.has(name as string)) Reflect.deleteProperty(globalThis, name);
  const speak = (...values: readonly unknown[]): void => say(values.map(textOf).join(' ').slice(0, 2_000));
  const lines = Object.freeze({ debug: speak, error: speak, info: speak, log: speak, trace: speak, warn: speak });
  Object.defineProperty(globalThis, 'console', { value: lines });
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return value instanceof Error ? `${value.name}: ${value.message}` : (JSON.stringify(value) ?? String(value));
  } catch {
    return String(value);
  }
}
