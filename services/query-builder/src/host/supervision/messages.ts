/** What the supervising process and its page workers say to each other. Plain data only. */
import type { PageCandidate, ReportedProblem } from '../project/load-pages';

/** What `/api/builder/health` tells about the pages. */
export interface PageHealth {
  readonly status: 'ok' | 'degraded';
  /** Pages that are served. */
  readonly pages: number;
  /** When the served version was loaded. */
  readonly loadedAt: string;
  /** Reloads since the start of the service. */
  readonly reloads: number;
  readonly problems: readonly ReportedProblem[];
  /** Why the newest version as a whole could not be brought up; the one before serves on. */
  readonly failure?: string;
}

export type ToWorker =
  | {
      readonly kind: 'pages';
      readonly projectDir: string;
      readonly candidates: readonly PageCandidate[];
      /** Absent: as configured. */ readonly port?: number;
    }
  | { readonly kind: 'health'; readonly health: PageHealth }
  | { readonly kind: 'drain' }
  | { readonly kind: 'answered'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string };

export type FromWorker =
  | { readonly kind: 'wants_pages' }
  /** The code of this page runs next. */
  | { readonly kind: 'loading'; readonly pageRef: string; readonly version: string }
  | {
      readonly kind: 'loaded';
      readonly served: readonly { readonly pageRef: string; readonly version: string }[];
      readonly problems: readonly ReportedProblem[];
    }
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'ask'; readonly id: number; readonly operation: string; readonly args: readonly unknown[] };
