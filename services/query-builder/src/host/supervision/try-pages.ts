/**
 * Tries pages for the catalog. Many pages may only import an edited file, and a newer edit must not wait for all of
 * them.
 */
import type { CompiledPage } from '../project/compiled-page';
import type { PageCatalog } from '../project/page-catalog';
import type { PageTrial } from './page-trial';

/** The size of a group, for which shared files are loaded once. */
const importersAtATime = 25;

export interface Tries {
  judge(pages: readonly CompiledPage[]): Promise<void>;
  /** Stops between two groups of pages once `isStale` returns true. */
  judgeUntil(isStale: () => boolean, pages: readonly CompiledPage[]): Promise<void>;
}

export function createTries(trial: Pick<PageTrial, 'judge'>, catalog: Pick<PageCatalog, 'judge'>): Tries {
  const judge = async (pages: readonly CompiledPage[]): Promise<void> => {
    const verdicts = pages.length === 0 ? [] : await trial.judge(pages);
    pages.forEach((page, at) => catalog.judge(page, verdicts[at]!));
  };
  return {
    judge,
    async judgeUntil(isStale, pages) {
      for (let at = 0; at < pages.length && !isStale(); at += importersAtATime)
        await judge(pages.slice(at, at + importersAtATime));
    },
  };
}
