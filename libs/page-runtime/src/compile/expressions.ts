/**
 * The expressions per row: the key of its group and the measured number. Every expression handles every value that a
 * field may actually have, so one odd document never fails a chart. The guards are here and not in `$match`, where they
 * would prevent the use of an index.
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

/**
 * Dates whose local year has at most four digits in every zone. In the order over all types, only dates are between
 * them.
 */
const firstDate = new Date('0001-01-02T00:00:00Z');
const lastDate = new Date('9999-12-30T00:00:00Z');

/**
 * YYYYMMDD, YYYYMM, YYYYQ or YYYY of the row's own instant in the zone; null for values that are not dates of the years
 * 1 to 9999. The key is never computed by truncating to local midnight and reading that again, which gives another day
 * around a clock change.
 */
export function bucketKey(field: string, bucket: Bucket, zone: string): Expression {
  const key = { $let: { vars: { p: { $dateToParts: { date: `$${field}`, timezone: zone } } }, in: keys[bucket] } };
  return { $cond: [{ $and: [{ $gte: [`$${field}`, firstDate] }, { $lte: [`$${field}`, lastDate] }] }, key, null] };
}

export function textKey(field: string): Expression {
  return { $cond: [{ $eq: [{ $type: `$${field}` }, 'string'] }, `$${field}`, null] };
}

/** For fields that refer to rows by ObjectId; the answer contains its digits. */
export function idKey(field: string): Expression {
  return { $cond: [{ $eq: [{ $type: `$${field}` }, 'objectId'] }, `$${field}`, null] };
}

/**
 * The number of a group as points contain it, a double: values that people read as one number are one group, and the
 * group of a point can be found again among its rows. Null for anything that no double can represent.
 */
export function numberKey(field: string): Expression {
  const most = Number.MAX_VALUE;
  const inRange: Expression = { $and: [{ $gte: [`$${field}`, -most] }, { $lte: [`$${field}`, most] }] };
  return { $cond: [inRange, { $toDouble: `$${field}` }, null] };
}

export function truthKey(field: string): Expression {
  return { $cond: [{ $eq: [{ $type: `$${field}` }, 'bool'] }, `$${field}`, null] };
}

/**
 * The field's value when it is a finite number, otherwise null, which no accumulator counts. In the order over all
 * types, only finite numbers of every kind are between the two infinities; NaN is below them.
 */
export function finiteNumber(field: string): Expression {
  return { $cond: [isFinite(field), `$${field}`, null] };
}

/** 1 when the field's value is something other than a finite number: a text, a list, NaN. Null and missing are 0. */
export function otherThanNumber(field: string): Expression {
  return { $cond: [isFinite(field), 0, { $cond: [{ $gt: [`$${field}`, null] }, 1, 0] }] };
}

function isFinite(field: string): Expression {
  return { $and: [{ $gt: [`$${field}`, -Infinity] }, { $lt: [`$${field}`, Infinity] }] };
}
