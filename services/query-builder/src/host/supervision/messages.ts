/** What the supervising process and those that it forks say to each other. Plain data only. */
import type { PageCodePlace } from '../page-code/spawn-page-code';
import type { PageChanges, ReportedProblem, ServedPage } from '../project/page-catalog';

/** What `/api/builder/problems` tells about the pages. */
export interface PageHealth {
  readonly status: 'ok' | 'degraded';
  /** Pages that are served. */
  readonly pages: number;
  /** When the served versions were last changed. */
  readonly loadedAt: string;
  /** Changes of what is served since the start of the service. */
  readonly reloads: number;
  readonly problems: readonly ReportedProblem[];
  /** Why the latest edits could not be brought into service; the previous version is still served. */
  readonly failure?: string;
}

/** What a worker serves at its start; changes follow. */
export interface Assignment extends PageCodePlace {
  readonly pages: readonly ServedPage[];
  readonly unloaded: readonly string[];
  /** Absent: as configured. */
  readonly port?: number;
}

export type ToWorker =
  | ({ readonly kind: 'pages' } & Assignment)
  | ({ readonly kind: 'change'; readonly id: number } & PageChanges)
  | { readonly kind: 'health'; readonly health: PageHealth }
  /** Rows of these tables were written; null: of any. */
  | { readonly kind: 'written'; readonly tables: readonly string[] | null }
  | { readonly kind: 'drain' }
  | { readonly kind: 'answered'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string; readonly store?: StoreTrouble };

export type FromWorker =
  | { readonly kind: 'wants_pages' }
  | { readonly kind: 'serving'; readonly url: string }
  /** A change is in force: every later request sees it. */
  | { readonly kind: 'changed'; readonly id: number }
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly operation: string;
      readonly args: readonly unknown[];
      /** The operation takes a signal after its arguments, which `left` raises. */
      readonly endable?: boolean;
    }
  /** No client reads the answer any more. */
  | { readonly kind: 'left'; readonly id: number };

/** What of the store made an operation fail: requests answer it as they answer their own. */
export type StoreTrouble = { readonly kind: 'unavailable' } | { readonly kind: 'too_slow'; readonly limitMs: number };
