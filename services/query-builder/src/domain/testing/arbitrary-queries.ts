/** Random valid queries over one resource with a field of every kind, for tests of the twins. */
import type { QueryFilter } from '@platform/builder';
import type { Resource } from '@platform/page-runtime';
import fc from 'fast-check';
import { nameIssue } from '../names';

export const orders: Resource = {
  name: 'orders',
  tenantScoped: true,
  fields: {
    status: { type: 'select', options: ['pending', 'paid', 'refunded', "it's"] },
    total: { type: 'price' },
    quantity: { type: 'number' },
    note: { type: 'rich_text' },
    'odd "name"': { type: 'string' },
    class: { type: 'string' },
    constructor: { type: 'string' as const },
    'größe \u2028 日本': { type: 'string' },
    gift: { type: 'boolean' },
    createdAt: { type: 'date' },
    paidAt: { type: 'date' },
    tags: { type: 'string', multiple: true },
    photo: { type: 'image' },
  },
};

/** Names that are also steps of a chain, parts of an answer, measures or fields: people try such names first. */
export const commonNames = [
  'count',
  'where',
  'limit',
  'measure',
  'groupBy',
  'aggregate',
  'orderBy',
  'sum',
  'total',
  'status',
  'series',
  'value',
  'response',
  'previous',
  'group',
  'month',
] as const;

export const names = fc.oneof(
  fc.stringMatching(/^[a-z][A-Za-z0-9]{0,20}$/).filter((name) => nameIssue(name) === undefined),
  fc.constantFrom(...commonNames),
);

/** One name per kind and source, so that filters with the same binding have the same type; `B` is read from the path. */
const bound = (kind: string, name: string) =>
  fc.constantFrom({ $param: { name: `${kind}${name}`, in: name === 'B' ? ('param' as const) : ('query' as const) } });

/** An endpoint with each value of the path; undefined where there is none. */
export function endpointFor(where: readonly QueryFilter[]): string | undefined {
  const names = where.flatMap(({ value }) =>
    typeof value === 'object' && value.$param.in === 'param' ? [value.$param.name] : [],
  );
  return names.length === 0 ? undefined : `/of/${[...new Set(names)].map((name) => `:${name}`).join('/')}`;
}
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('`${1}`', '\ud800', '\u2028', "'", '"', '\\'),
);
const date = fc.oneof(
  fc
    .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true })
    .map((day) => day.toISOString()),
  fc.constantFrom('2026-03-29', '2024-02-29', '2026-03-29T02:30:00+02:00'),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 1e21, 5e-324, -1.5),
);
const all = fc.constantFrom('eq', 'ne', 'gt', 'ge', 'lt', 'le');
const equalities = fc.constantFrom('eq', 'ne');
const letter = fc.constantFrom('A', 'B', 'From', 'To');

const filter = letter.chain((name) =>
  fc.oneof(
    fc.record({
      field: fc.constantFrom('note', 'odd "name"', 'class', 'constructor', 'größe \u2028 日本'),
      op: all,
      value: fc.oneof(text, bound('text', name)),
    }),
    fc.record({
      field: fc.constant('status'),
      op: equalities,
      value: fc.oneof(fc.constantFrom('pending', 'paid', "it's"), bound('select', name)),
    }),
    fc.record({ field: fc.constantFrom('total', 'quantity'), op: all, value: fc.oneof(number, bound('number', name)) }),
    fc.record({ field: fc.constant('gift'), op: equalities, value: fc.oneof(fc.boolean(), bound('flag', name)) }),
    fc.record({ field: fc.constantFrom('createdAt', 'paidAt'), op: all, value: fc.oneof(date, bound('date', name)) }),
  ),
);

export const whereOf: fc.Arbitrary<QueryFilter[]> = fc.array(filter as fc.Arbitrary<QueryFilter>, { maxLength: 5 });
