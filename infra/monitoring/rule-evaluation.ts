/** Whether an alert rule fires for given series: the part of Prometheus's query language that these rules use. For tests. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The range of the rate; absent: every range. */
  readonly range?: string;
  /** The first sample is younger than the offset of the rule: a rate does not see its value. */
  readonly isNew?: boolean;
}

/** `name{label="value",other=~"pattern"}`: its name and what each label must match. */
function readSelector(text: string): (series: Series) => boolean {
  const [, name, matchers = ''] = /^(\w+)(?:\{([^}]*)\})?$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`not a selector: ${text}`);
  const tests = [...matchers.matchAll(/(\w+)(=~?)"([^"]*)"/g)].map(([, label = '', sign, value = '']) => {
    const pattern = sign === '=' ? undefined : new RegExp(`^(?:${value})$`);
    return ({ labels }: Series) => (pattern ? pattern.test(labels[label] ?? '') : labels[label] === value);
  });
  return (series) => series.name === name && tests.every((test) => test(series));
}

const aggregates: Readonly<Record<string, (values: readonly number[]) => number>> = {
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum: (values) => values.reduce((all, one) => all + one, 0),
};

/**
 * Values of `max|min|sum [by (…)] (selector)`, also of a `rate` or `delta`, whose value the series then has, of the new
 * series (`x unless x offset 5m`), or filtered by `>= n`.
 */
function aggregate(given: string, all: readonly Series[]): number[] {
  const text = given.replace(/(\w+) unless \1 offset \w+/, '$1');
  const series = text === given ? all : all.filter(({ isNew }) => isNew);
  const read =
    /^(max|min|sum)(?: by \(([^)]*)\))? ?\((?:(?:rate|delta)\((.+?)\[(\w+)\]\)|(.+?))(?: (>=) (\d+))?\)$/.exec(text);
  if (!read) throw new Error(`not an aggregate: ${text}`);
  const [, how = '', by = '', ranged, range, plain, , least] = read;
  const selected = readSelector(ranged ?? plain ?? '');
  const wanted = (one: Series): boolean =>
    selected(one) && (one.range === undefined || one.range === range) && !(one.isNew && ranged !== undefined);
  const labels = by.split(',').map((each) => each.trim());
  const groups = new Map<string, number[]>();
  for (const each of series.filter((one) => wanted(one) && (least === undefined || one.value >= Number(least)))) {
    const key = labels.map((label) => each.labels[label] ?? '').join('/');
    groups.set(key, [...(groups.get(key) ?? []), each.value]);
  }
  return [...groups.values()].map((values) => aggregates[how]!(values));
}

/**
 * As in Prometheus: between the bounds of the bucket that contains the rank. Buckets are `le` of the selector's series.
 */
function quantile(rank: number, selector: string, series: readonly Series[]): number {
  const wanted = readSelector(selector);
  const counts = new Map<number, number>();
  for (const { labels, value } of series.filter(wanted)) {
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const searched = rank * (buckets.at(-1)?.[1] ?? 0);
  const at = buckets.findIndex(([, count]) => count >= searched);
  const [bound = 0, count = 0] = buckets[at] ?? [];
  const [lower = 0, before = 0] = buckets[at - 1] ?? [];
  return bound === Infinity ? lower : lower + ((bound - lower) * (searched - before)) / (count - before);
}

/**
 * The part of the query language that this file's rules need; anything else is refused. It replaces Prometheus's own
 * rule tests, which need its program: it knows nothing of times, so a `for` counts as having passed, and a series names
 * the range of its rate.
 */
export function fires({ expr }: { readonly expr: string }, series: readonly Series[]): boolean {
  const either = expr.split(' or ');
  if (either.length > 1) return either.some((each) => fires({ expr: each }, series));
  const both = expr.split(' and ');
  if (both.length > 1) return both.every((each) => fires({ expr: each }, series));
  const absent = /^absent\((.*)\)$/.exec(expr)?.[1];
  if (absent !== undefined) return !series.some(readSelector(absent));
  const [, left = '', comparison, bound] = /^(.*) ([<>]) ([\d.]+)$/.exec(expr) ?? [];
  const holds = (value: number): boolean => (comparison === '>' ? value > Number(bound) : value < Number(bound));
  const ranked = /^histogram_quantile\(([\d.]+), sum by \(le\) \(rate\((.+)\[\w+\]\)\)\)$/.exec(left);
  if (ranked) return holds(quantile(Number(ranked[1]), ranked[2] ?? '', series));
  const [over, under] = left.split(' / ');
  const values = aggregate(over ?? '', series);
  if (under === undefined) return values.some(holds);
  const [divisor = 0] = aggregate(under, series);
  return values.some((value) => holds(value / divisor));
}
