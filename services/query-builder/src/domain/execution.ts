/**
 * What the code of a page did when it ran outside the service, and the parts of that which show whether a query does
 * what its source says. The source alone cannot show how another module changes page, model or resource when it is
 * loaded.
 */
import type { RehearsedRun } from '@platform/page-runtime';
import { sha256 } from '@platform/kernel';

/** A function or a base class that something replaced after its declaring file had run. */
export interface Exchange {
  /** The name for people: `OrdersModel.revenue`. */
  readonly what: string;
  /** The file that declares it, relative to the page project; absent for the language itself. */
  readonly file?: string;
}

interface ExecutedRoute {
  readonly method: string;
  /** The values that were passed to it, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** See {@link digestOf}; empty when the route did not answer. */
  readonly digest: string;
}

export type Execution =
  | { readonly kind: 'ran'; readonly routes: readonly ExecutedRoute[]; readonly exchanged: readonly Exchange[] }
  /** The page was loaded and could not be served. */
  | { readonly kind: 'broke'; readonly file: string; readonly line: number; readonly message: string }
  /** This source did not run, or has not run yet. */
  | { readonly kind: 'not_run'; readonly why: string };

/** Equal for runs that send the same commands and give the same answer. */
export function digestOf({ commands, answer }: Pick<RehearsedRun, 'commands' | 'answer'>): string {
  return sha256(JSON.stringify([commands, answer ?? null], written)).slice(0, 32);
}

/** Values of other realms are compared by content, because packages and pages are loaded separately. */
function written(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  if (Object.prototype.toString.call(this[key]) === '[object Date]') return { $date: value };
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return { $number: String(value) };
  return value;
}
