/**
 * What is computed per row: the key of its group and the number that is measured. Every expression answers for every
 * value that a field may hold in fact, so one odd document never fails a chart. The guards stand in here and not in
 * `$match`, where they would cost an index more than they do here.
 */
import type { Bucket } from '../vocabulary';

export type Expression =
  string | number | boolean | null | Date | readonly Expression[] | { readonly [operator: string]: Expression };

const parts = { year: '$$p.year', month: '$$p.month', day: '$$p.day' } as const;
const times = (value: Expression, factor: number): Expression => ({ $multiply: [value, factor] });

const keys: Readonly<Record<Bucket, Expression>> = {
  day: { $add: [times(parts.year, 10_000), times(parts.month, 100), parts.day] },
  month: { $add: [times(parts.year, 100), parts.month] },
  quarter: { $add: [times(parts.year, 10), { $toInt: { $ceil: { $divide: [parts.month, 3] } } }] },
  year: parts.year,
};

/** Dates whose local year has at most four digits in every zone. Between them lie, in the order over all types, dates only. */
const firstDate = new Date('0001-01-02T00:00:00Z');
const lastDate = new Date('9999-12-30T00:00:00Z');

/**
 * YYYYMMDD, YYYYMM, YYYYQ or YYYY of the row's own instant in the zone; null for what is no date of the years 1 to 9999.
 * Never by truncating to local midnight and reading that again: around a change of the clock that names another day.
 */
export function bucketKey(field: string, bucket: Bucket, zone: string): Expression {
  const key = { $let: { vars: { p: { $dateToParts: { date: `$${field}`, timezone: zone } } }, in: keys[bucket] } };
  return { $cond: [{ $and: [{ $gte: [`$${field}`, firstDate] }, { $lte: [`$${field}`, lastDate] }] }, key, null] };
}

export function textKey(field: string): Expression {
  return { $cond: [{ $eq: [{ $type: `$${field}` }, 'string'] }, `$${field}`, null] };
}

/** Where rows name others by ObjectId; the answer gives its digits. */
export function idKey(field: string): Expression {
  return { $cond: [{ $eq: [{ $type: `$${field}` }, 'objectId'] }, `$${field}`, null] };
}

export function truthKey(field: string): Expression {
  return { $cond: [{ $eq: [{ $type: `$${field}` }, 'bool'] }, `$${field}`, null] };
}

/**
 * The field where it holds a finite number, else null, which no accumulator counts. Between the two infinities lie, in
 * the order over all types, the finite numbers of every kind and nothing else; NaN lies below them.
 */
export function finiteNumber(field: string): Expression {
  return { $cond: [isFinite(field), `$${field}`, null] };
}

/** 1 where the field holds something that is no finite number: a text, a list, NaN. Null and missing are 0. */
export function otherThanNumber(field: string): Expression {
  return { $cond: [isFinite(field), 0, { $cond: [{ $gt: [`$${field}`, null] }, 1, 0] }] };
}

function isFinite(field: string): Expression {
  return { $and: [{ $gt: [`$${field}`, -Infinity] }, { $lt: [`$${field}`, Infinity] }] };
}
