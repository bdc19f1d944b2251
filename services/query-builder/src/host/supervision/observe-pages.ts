/** What the monitoring reads of the pages: their state, what they need, and the metrics of all processes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Tables } from '@platform/mongo';
import { observeStore, textOfProcesses, type Figures, type Metrics } from '@platform/service-host';
import type { Supervisor } from './connect-supervisor';
import type { PageHealth } from './messages';

export interface ObservedPages {
  readonly tables: Pick<Tables, 'ping'>;
  readonly call: Supervisor['call'];
  readonly health: () => PageHealth;
}

/** The figures of a page worker. */
export function observePages(metrics: Pick<Metrics, 'observedGauge'>, { tables, call, health }: ObservedPages): void {
  observeStore(metrics, tables);
  metrics.observedGauge(
    {
      name: 'broker_away',
      help: '1 while the broker is not connected, else 0; without it no page of a workspace is served.',
    },
    async () => Number((await call('accessOutage')) !== null),
  );
  metrics.observedGauge({ name: 'pages_served', help: 'Pages that are served.' }, () => health().pages);
  metrics.observedGauge(
    {
      name: 'pages_not_loading',
      help: 'Pages whose last edit does not load: the version before it is served, or nothing.',
    },
    () => health().problems.length,
  );
  metrics.observedGauge(
    {
      name: 'page_edits_not_served',
      help: '1 while the last edits cannot be brought into service for another reason than the pages, else 0.',
    },
    () => Number(health().failure !== undefined),
  );
}

/** While the supervising process compiles, it answers nothing; a scrape does not wait for it. */
const figuresWithinMs = 1_500;

/**
 * The metrics of the supervising process and of every worker, whichever worker accepts the scrape; the label `process`
 * tells their series apart. While the supervising process does not answer, those of this worker alone.
 */
export function metricsOfWorkers(
  own: Metrics,
  { call, worker }: Pick<ObservedPages, 'call'> & { readonly worker: string },
): Pick<Metrics, 'contentType' | 'text' | 'histogram'> {
  const ask = async (): Promise<Record<string, Figures> | undefined> => {
    try {
      const asked = call('figures') as Promise<Record<string, Figures>>;
      return await Promise.race([asked, delay(figuresWithinMs, undefined, { ref: false })]);
    } catch {
      return undefined;
    }
  };
  return {
    contentType: own.contentType,
    histogram: own.histogram,
    text: async () =>
      textOfProcesses('process', new Map(Object.entries((await ask()) ?? { [worker]: await own.figures() }))),
  };
}
