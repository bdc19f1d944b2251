/**
 * The query builder and its page host: environment, composition, orderly shutdown. One program with two kinds of
 * process: the service, which writes and compiles pages, and the workers that it forks to serve them and
 * `/api/builder`. The code of pages runs in neither of them: see `page-code.ts`.
 */
import { runService } from '@platform/service-host';
import { authors, configSchema } from './config';
import { isPageWorker, runPageWorker } from './host/supervision/run-page-worker';
import { authoringRoutes } from './http/authoring-routes';

// Each kind loads only what it needs: without the compiler, a worker starts much faster.
if (isPageWorker()) void runPageWorker((supervisor, config) => (authors(config) ? authoringRoutes(supervisor) : []));
else
  void import('./compose.js').then(({ compose }) =>
    runService({ name: 'query-builder', schema: configSchema, compose }),
  );
