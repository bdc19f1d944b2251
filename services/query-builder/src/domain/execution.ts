/**
 * What the code of a page did when it ran apart from the service, and what of it says whether a query is what its source
 * says. Structure cannot show what a module besides page, model and resource does to them when it is loaded.
 */
import type { RehearsedRun } from '@platform/page-runtime';
import { sha256 } from '@platform/kernel';

/** A function or a line of inheritance that something replaced after the file that declares it had run. */
export interface Exchange {
  /** For people: `OrdersModel.revenue`. */
  readonly what: string;
  /** The file that declares it, relative to the page project; absent for the language itself. */
  readonly file?: string;
}

interface ExecutedRoute {
  readonly method: string;
  /** The values that it was given, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** See {@link digestOf}; empty where the route did not answer. */
  readonly digest: string;
}

export type Execution =
  | { readonly kind: 'ran'; readonly routes: readonly ExecutedRoute[]; readonly exchanged: readonly Exchange[] }
  /** It was loaded and could not be served. */
  | { readonly kind: 'broke'; readonly file: string; readonly line: number; readonly message: string }
  /** These texts did not run, or not yet. */
  | { readonly kind: 'not_run'; readonly why: string };

/** Equal for runs that send the same commands and give the same answer. */
export function digestOf({ commands, answer }: Pick<RehearsedRun, 'commands' | 'answer'>): string {
  return sha256(JSON.stringify([commands, answer ?? null], written)).slice(0, 32);
}

/** Values of other realms count as what they are: packages and pages are loaded apart. */
function written(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  if (Object.prototype.toString.call(this[key]) === '[object Date]') return { $date: value };
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return { $number: String(value) };
  return value;
}
