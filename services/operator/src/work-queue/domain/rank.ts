/**
 * The order of the work queue: money at risk × age, largest first. Age grows, so no stored key has this order; but
 * items of equal weight are ordered by age alone, which an index supports. A page merges the weights as of an instant
 * that its cursor fixes, and a cursor determines the place in every weight.
 */
export interface Ranked {
  readonly _id: string;
  readonly weight: number;
  readonly since: Date;
}

/** Where a page ended: the last item shown, and the instant by which ages are computed. */
export interface QueuePosition {
  readonly asOf: Date;
  readonly last: Ranked;
}

/** A bigint, because the products exceed the exact range of a number. */
function score({ weight, since }: Ranked, asOf: Date): bigint {
  return BigInt(weight) * BigInt(asOf.getTime() - since.getTime());
}

/**
 * Negative when `a` comes first. Items without money come last; ties go to the heavier, then the older, then the
 * smaller id.
 */
export function compareRanked(a: Ranked, b: Ranked, asOf: Date): number {
  if ((a.weight === 0) !== (b.weight === 0)) return a.weight === 0 ? 1 : -1;
  const difference = score(b, asOf) - score(a, asOf);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return b.weight - a.weight || a.since.getTime() - b.since.getTime() || (a._id < b._id ? -1 : a._id > b._id ? 1 : 0);
}

/** Where to continue among the items of one weight: after this item, from this instant on, or nowhere. */
export type WeightStart =
  | { readonly kind: 'start' }
  | { readonly kind: 'after'; readonly since: Date; readonly _id: string }
  | { readonly kind: 'from'; readonly since: Date }
  | { readonly kind: 'done' };

/** The first place of `weight` that comes after the position, in the order of {@link compareRanked}. */
export function startIn(weight: number, position: QueuePosition | null): WeightStart {
  if (!position) return { kind: 'start' };
  const { asOf, last } = position;
  if (weight === last.weight) return { kind: 'after', since: last.since, _id: last._id };
  if (last.weight === 0) return { kind: 'done' };
  if (weight === 0) return { kind: 'start' };
  const reached = score(last, asOf);
  const divisor = BigInt(weight);
  // Floor division, also for negative values: clocks differ, so an item may be a few milliseconds younger than the
  // instant.
  const quotient = reached / divisor - (reached < 0n && reached % divisor !== 0n ? 1n : 0n);
  const exact = quotient * divisor === reached;
  // At an equal product the heavier weight comes first, and was already listed.
  const oldestAge = exact && weight > last.weight ? quotient - 1n : quotient;
  return { kind: 'from', since: new Date(asOf.getTime() - Number(oldestAge)) };
}
