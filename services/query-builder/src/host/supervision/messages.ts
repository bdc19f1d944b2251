/** The messages between the supervising process and the processes that it forks. Plain data only. */
import type { PageCodePlace } from '../page-code/spawn-page-code';
import type { Figures } from '@platform/service-host';
import type { PageChanges, ReportedProblem, ServedPage } from '../project/page-catalog';

/** The state of the pages that `/api/builder/problems` reports. */
export interface PageHealth {
  readonly status: 'ok' | 'degraded';
  /** The number of served pages. */
  readonly pages: number;
  /** When the served versions were last changed. */
  readonly loadedAt: string;
  /** The number of changes of what is served since the service started. */
  readonly reloads: number;
  readonly problems: readonly ReportedProblem[];
  /** Why the latest edits could not be brought into service; the previous version is still served. */
  readonly failure?: string;
}

/** What a worker serves at its start; later changes are sent to it. */
export interface Assignment extends PageCodePlace {
  readonly pages: readonly ServedPage[];
  readonly unloaded: readonly string[];
  /** Absent: the configured port. */
  readonly port?: number;
}

export type ToWorker =
  | ({ readonly kind: 'pages' } & Assignment)
  | ({ readonly kind: 'change'; readonly id: number } & PageChanges)
  | { readonly kind: 'health'; readonly health: PageHealth }
  /** Rows of these tables were written; null: of any table. */
  | { readonly kind: 'written'; readonly tables: readonly string[] | null }
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'drain' }
  | { readonly kind: 'answered'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string; readonly store?: StoreTrouble };

export type FromWorker =
  | { readonly kind: 'wants_pages' }
  | { readonly kind: 'serving'; readonly url: string }
  /** A change is in force: every later request sees it. */
  | { readonly kind: 'changed'; readonly id: number }
  | { readonly kind: 'measured'; readonly id: number; readonly figures: Figures }
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly operation: string;
      readonly args: readonly unknown[];
      /** Whether the operation takes an abort signal after its arguments, which `left` triggers. */
      readonly endable?: boolean;
    }
  /** No client waits for the answer any more. */
  | { readonly kind: 'left'; readonly id: number };

/** A failure of the store in an operation; requests answer it like their own. */
export type StoreTrouble = { readonly kind: 'unavailable' } | { readonly kind: 'too_slow'; readonly limitMs: number };
