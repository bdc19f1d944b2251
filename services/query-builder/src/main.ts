/**
 * The query builder and its page host: environment, composition, an orderly end. One program, three kinds of process: the
 * service, which writes and compiles pages, the workers that it forks to serve them and `/api/builder`, and the one that
 * tries a page before a worker loads it.
 */
import { runService } from '@platform/service-host';
import { authors, configSchema } from './config';
import { isPageTrial, runPageTrial } from './host/supervision/run-page-trial';
import { isPageWorker, runPageWorker } from './host/supervision/run-page-worker';
import { builderRoutes } from './http/builder-routes';

// Each kind loads only what it needs: a worker starts in a fraction of the time without the compiler.
if (isPageTrial()) runPageTrial();
else if (isPageWorker()) void runPageWorker((call, config) => (authors(config) ? builderRoutes(call) : []));
else
  void import('./compose.js').then(({ compose }) =>
    runService({ name: 'query-builder', schema: configSchema, compose }),
  );
