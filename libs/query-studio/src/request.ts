/**
 * The request that a query answers: the values that it binds, its address and the curl command. Pure; tested in Node.
 */
import { bindingOf, filtersOf, type Control, type Field, type Form } from './form';
import type { Shown } from './points';

export interface Bound {
  readonly name: string;
  readonly kind: string;
  readonly in: 'query' | 'param';
  readonly options: readonly string[];
  /** The initial value. */
  readonly preset: string;
}

const day = (at: Date): string => at.toISOString().slice(0, 10);
const daysFrom = (at: Date, days: number): string => day(new Date(at.getTime() + days * 86_400_000));

/** The values that a request must supply, each name once. */
export function boundOf(form: Form, fields: readonly Field[], today: Date): Bound[] {
  const found = new Map<string, Bound>();
  for (const { field, op, value } of filtersOf(form.params)) {
    const binding = bindingOf(value);
    if (!binding || binding.name === '' || found.has(binding.name)) continue;
    const { kind = 'text', options = [] } = fields.find(({ name }) => name === field) ?? {};
    found.set(binding.name, { ...binding, kind, options, preset: presetOf(kind, op, options, today) });
  }
  const bound = [...found.values()];
  const period = form.compare ? comparedPeriod(form, fields, bound) : undefined;
  if (!period) return bound;
  const [from, to] = period;
  const before = day(new Date(2 * Date.parse(from.preset) - Date.parse(to.preset)));
  const compared = { kind: 'date', in: 'query', options: [] } as const;
  return [
    ...bound,
    { ...compared, name: 'compareFrom', preset: before },
    { ...compared, name: 'compareTo', preset: from.preset },
  ];
}

/** The bounds of the period to compare: exactly one lower and one upper bound of one date field, both of the request. */
function comparedPeriod(form: Form, fields: readonly Field[], bound: readonly Bound[]): [Bound, Bound] | undefined {
  const dates = new Set(fields.filter(({ kind }) => kind === 'date').map(({ name }) => name));
  const dated = filtersOf(form.params).filter(({ field, op }) => dates.has(field) && op !== 'eq' && op !== 'ne');
  const [lower, ...lowers] = dated.filter(({ op }) => op === 'ge' || op === 'gt');
  const [upper, ...uppers] = dated.filter(({ op }) => op === 'lt' || op === 'le');
  if (lowers.length + uppers.length > 0 || lower?.field !== upper?.field) return undefined;
  const [from, to] = [lower, upper].map((each) => bound.find(({ name }) => name === bindingOf(each?.value)?.name));
  return from && to ? [from, to] : undefined;
}

function presetOf(kind: string, op: string, options: readonly string[], today: Date): string {
  switch (kind) {
    case 'date':
      return op === 'ge' || op === 'gt' ? daysFrom(today, -365) : daysFrom(today, 1);
    case 'number':
      return '0';
    case 'boolean':
      return 'true';
    default:
      return options[0] ?? '';
  }
}

/** The values to send: the typed ones, and presets for the rest. */
export function argsOf(bound: readonly Bound[], typed: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    bound.map(({ name, preset }) => [name, Object.hasOwn(typed, name) ? typed[name]! : preset]),
  );
}

/** The route as the page declares it: `/dms/pages/shop/orders/stats/of/:status`. */
export const routeOf = (pageRef: string, form: Form): string =>
  `/dms/pages${pageRef}${form.endpoint === '' ? `/stats/${kebab(form.name)}` : form.endpoint}`;

/** `/dms/pages/shop/orders/stats/revenue?from=2026-01-01`. */
export function addressOf(pageRef: string, form: Form, bound: readonly Bound[], args: Record<string, string>): string {
  const inPath = new Set(bound.filter((each) => each.in === 'param').map(({ name }) => `:${name}`));
  const path = routeOf(pageRef, form)
    .split('/')
    .map((part) => (inPath.has(part) ? encodeURIComponent(args[part.slice(1)] ?? '') : part))
    .join('/');
  const query = new URLSearchParams(
    bound.filter((each) => each.in === 'query').map(({ name }): [string, string] => [name, args[name] ?? '']),
  ).toString();
  return `${path}${query === '' ? '' : `?${query}`}`;
}

function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** The line of a page that places the query, with the most likely settings; every part can be edited. */
export function blockOf(form: Form, route: string, shown: Shown, fields: readonly Field[]): string {
  const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  // A page with an empty list of rows does not load.
  const list = (part: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`  ${part}: [${names.map(text).join(', ')}],`];
  const used = new Set([form.params['groupBy'], form.params['field']].filter((each) => typeof each === 'string'));
  const kind = shown.points ? (shown.timeline ? 'chart-card' : 'ranked-list') : 'kpi-card';
  const parts = fields.filter(({ name, kind: of }) => !used.has(name) && (of === 'select' || of === 'boolean'));
  const rows = fields.filter(({ name, kind: of }) => used.has(name) || of === 'date' || of === 'select');
  return [
    '{',
    `  kind: ${text(kind)},`,
    `  title: ${text(titleOf(form.name === '' ? 'query' : form.name))},`,
    ...list('breakdown', parts.map(({ name }) => name).slice(0, 3)),
    ...list('rows', rows.map(({ name }) => name).slice(0, 6)),
    `  fetchUrl: ${text(route)},`,
    '},',
  ].join('\n');
}

function titleOf(name: string): string {
  const words = kebab(name).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One command for a terminal; quotes in the address cannot end the argument. */
export function curlOf(origin: string, address: string, tenant: string): string {
  const quoted = `${origin}${address}`.replaceAll("'", "'\\''");
  const workspace = tenant === '' ? '' : ` -H 'Workspace-Id: ${tenant.replaceAll("'", "'\\''")}'`;
  return `curl -H "Authorization: Bearer $TOKEN"${workspace} '${quoted}'`;
}

const labels: Readonly<Record<string, string>> = {
  ...{ tenant: 'Workspace', name: 'Name', resource: 'Rows of', template: 'Template' },
  ...{ endpoint: 'Endpoint', response: 'Shape' },
};

/** A refusal with the labels of the form in place of the pointers to its fields. */
export function inWordsOfForm(words: string, controls: readonly Pick<Control, 'name' | 'title'>[]): string {
  const fields = new Map([
    ...Object.entries(labels),
    ...controls.map(({ name, title }) => [`params/${name}`, title] as const),
  ]);
  return words
    .replaceAll('/query/', '/')
    .replaceAll(/(?<=^|[;.] )\/?(?:query\/)?([\w/]+)(?= )/g, (pointer, name: string) => fields.get(name) ?? pointer);
}

/** Why there is no new answer, in the words of the form; `answered`: an earlier answer is shown below it. */
export function previewRefusal(text: string, incomplete: boolean, answered: boolean): string {
  if (!incomplete) return text;
  return answered ? `Not complete yet, so the previous answer is shown: ${text}` : `Not complete yet: ${text}`;
}
