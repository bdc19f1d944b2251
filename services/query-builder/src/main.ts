/**
 * The query builder and its page host: environment, composition, an orderly end. One program, two kinds of process: the
 * service, which writes and compiles pages, and the workers that it forks to serve them and `/api/builder`. The code of
 * pages runs in neither: see `page-code.ts`.
 */
import { runService } from '@platform/service-host';
import { authors, configSchema } from './config';
import { isPageWorker, runPageWorker } from './host/supervision/run-page-worker';
import { builderRoutes } from './http/builder-routes';

// Each kind loads only what it needs: a worker starts in a fraction of the time without the compiler.
if (isPageWorker()) void runPageWorker((call, config) => (authors(config) ? builderRoutes(call) : []));
else
  void import('./compose.js').then(({ compose }) =>
    runService({ name: 'query-builder', schema: configSchema, compose }),
  );
