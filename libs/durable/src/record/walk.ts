/** All records that match, page by page in the order of an index, however many there are. */
import type { Revisioned } from '@platform/kernel';
import type { Filter, RevisionedCollection, Scalar } from '@platform/mongo';

const pageSize = 100;

interface WalkOptions {
  /** Fields in the order of an index that ends in `_id`; the default is the order of the ids. */
  readonly sort?: readonly string[];
  readonly pageSize?: number;
}

/** The value at a dotted path; null where there is none. */
function valueAt(record: object, path: string): Scalar {
  const value = path
    .split('.')
    .reduce<unknown>((at, field) => (at as Record<string, unknown> | undefined)?.[field], record);
  return (value ?? null) as Scalar;
}

/** Records may change during the walk: one that matches all the time is returned once. Throws StoreUnavailableError. */
export async function* walk<T extends Revisioned>(
  collection: Pick<RevisionedCollection<T>, 'find'>,
  filter: Filter,
  { sort = ['_id'], pageSize: limit = pageSize }: WalkOptions = {},
): AsyncGenerator<T> {
  const order = Object.fromEntries(sort.map((field) => [field, 1 as const]));
  let after: readonly Scalar[] | undefined;
  for (;;) {
    const page = await collection.find(filter, { sort: order, limit, ...(after && { after }) });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = sort.map((path) => valueAt(last, path));
  }
}
