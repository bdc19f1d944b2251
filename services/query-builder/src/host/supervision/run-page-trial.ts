/**
 * The process that loads a version of a page before any worker does. Code that ends or blocks its process does so here,
 * where nobody is served; a worker gets only what was loaded once. It holds no secret and no connection.
 */
import cluster from 'node:cluster';
import { judgePage } from '../project/judge-page';
import { createPageModules } from '../project/page-modules';
import type { FromTrial, ToTrial } from './messages';

/** Marks the environment of the process that tries pages. */
export const trialMark = 'PAGE_TRIAL';

export function isPageTrial(): boolean {
  return cluster.isWorker && process.env[trialMark] === '1';
}

/** Tries what it is given, one page after the other, until its channel closes. */
export function runPageTrial(): void {
  const post = (message: FromTrial): void => void process.send?.(message);
  process.on('message', ({ pages, projectDir, codeFolder }: ToTrial) => {
    // What pages share is loaded once per batch; between two batches nothing is kept.
    const modules = createPageModules(projectDir, codeFolder);
    void (async () => {
      for (const [at, page] of pages.entries()) {
        post({ kind: 'trying', at });
        post({ kind: 'tried', at, verdict: await judgePage(page, modules) });
      }
    })();
  });
  // The terminal's Ctrl-C reaches the whole group; the supervising process says when this one ends.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit(0));
  post({ kind: 'ready' });
}
