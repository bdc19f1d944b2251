/** The closed vocabularies of queries, which the builder, the generated code and the page host share. */

export const filterOps = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
export type FilterOp = (typeof filterOps)[number];

export const aggregateOps = ['sum', 'avg', 'min', 'max'] as const;
export type AggregateOp = (typeof aggregateOps)[number];

export const measureOps = ['count', ...aggregateOps] as const;
export type MeasureOp = (typeof measureOps)[number];

export const buckets = ['day', 'month', 'quarter', 'year'] as const;
export type Bucket = (typeof buckets)[number];

export const orderings = ['group', 'measure'] as const;
export type Ordering = (typeof orderings)[number];

export const directions = ['asc', 'desc'] as const;
export type Direction = (typeof directions)[number];

export const responseShapes = ['series', 'card', 'value', 'items'] as const;
export type ResponseShape = (typeof responseShapes)[number];

/** Most points of a series, with and without its own limit. */
export const maxSeriesPoints = 1_000;

/** The kind of a data type's values; `opaque` cannot be filtered, grouped or measured. */
export type ValueKind = 'text' | 'select' | 'number' | 'date' | 'boolean' | 'opaque';

export const dataTypes = {
  string: 'text',
  email: 'text',
  url: 'text',
  phone: 'text',
  rich_text: 'text',
  select: 'select',
  relation: 'text',
  number: 'number',
  price: 'number',
  percentage: 'number',
  date: 'date',
  boolean: 'boolean',
  address: 'opaque',
  file: 'opaque',
  image: 'opaque',
  permissions: 'opaque',
} as const satisfies Record<string, ValueKind>;

export type DataType = keyof typeof dataTypes;
