/**
 * The only place that uses prom-client. Services and libraries declare counters, gauges and histograms through this
 * port; metrics of the process itself (memory, event-loop delay, garbage collection) are always included.
 */
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

interface MetricDeclaration {
  /** In snake_case with its unit, for example `outbox_oldest_age_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Label names; each with few values, never an id. Default: none. */
  readonly labels?: readonly string[];
}

interface MetricCounter {
  /** Adds `by` (default 1, not negative). */
  add(labels?: Labels, by?: number): void;
}

interface MetricGauge {
  set(labels: Labels, value: number): void;
  /** Adds `by` (default 1, may be negative). */
  add(labels?: Labels, by?: number): void;
}

interface MetricHistogram {
  observe(labels: Labels, value: number): void;
}

/** The metrics of one process, as plain data. */
export type Figures = readonly object[];

export interface Metrics {
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** The same as plain data, for {@link textOfProcesses}. */
  figures(): Promise<Figures>;
  /** Each throws when the name is taken. */
  counter(declaration: MetricDeclaration): MetricCounter;
  gauge(declaration: MetricDeclaration): MetricGauge;
  /** A gauge without labels that is read when the metrics are read; it is left out while it cannot be read. */
  observedGauge(declaration: MetricDeclaration, read: () => number | Promise<number>): void;
  histogram(declaration: MetricDeclaration & { readonly buckets: readonly number[] }): MetricHistogram;
}

/** `labels` are added to every metric: service and instance. */
export function createMetrics(labels: Labels): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  const common = ({ name, help, labels: names = [] }: MetricDeclaration) => ({
    name,
    help,
    labelNames: [...names],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    figures: () => registry.getMetricsAsJSON(),
    counter: (declaration) => {
      const counter = new Counter(common(declaration));
      return { add: (values = {}, by = 1) => counter.inc({ ...values }, by) };
    },
    gauge: (declaration) => {
      const gauge = new Gauge(common(declaration));
      return {
        set: (values, value) => gauge.set({ ...values }, value),
        add: (values = {}, by = 1) => gauge.inc({ ...values }, by),
      };
    },
    observedGauge: (declaration, read) => {
      const gauge: Gauge = new Gauge({
        ...common(declaration),
        collect: async () => {
          const value = await withinReach(read);
          if (value === null) gauge.remove();
          else gauge.set(value);
        },
      });
    },
    histogram: (declaration) => {
      const histogram = new Histogram({ ...common(declaration), buckets: [...declaration.buckets] });
      return { observe: (values, value) => histogram.observe({ ...values }, value) };
    },
  };
}

/**
 * One text of several processes that serve as one instance. Each series keeps the name of its process, in this label: a
 * sum would fall when a process ends, and a counter that falls counts as one that began again.
 */
export function textOfProcesses(label: string, processes: ReadonlyMap<string, Figures>): Promise<string> {
  const named = [...processes].map(([process, figures]) =>
    (figures as Awaited<ReturnType<Registry['getMetricsAsJSON']>>).map((metric) => ({
      ...metric,
      aggregator: 'first' as const,
      values: (metric.values ?? []).map((value) => ({ ...value, labels: { ...value.labels, [label]: process } })),
    })),
  );
  return AggregatorRegistry.aggregate(named).metrics();
}

const readWithinMs = 2_000;

/** Null when the reading failed or took too long: a metric that cannot be read must not remove the others. */
async function withinReach(read: () => number | Promise<number>): Promise<number | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), readWithinMs);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
