/**
 * Which index a query needs: first the fields that are fixed by equality (the tenant before all others), then one
 * range. Other parts of a query (`ne`, the group, the measure) are cheaper without an index: an index for `ne` is
 * slower than a scan.
 */
import {
  CalendarDay,
  collectionOf,
  pathOf,
  tenantPathOf,
  type Condition,
  type RehearsedCalculation,
} from '@platform/page-runtime';

export interface WantedIndex {
  readonly table: string;
  readonly key: Readonly<Record<string, 1>>;
  /** The queries that the index serves. */
  readonly queries: readonly string[];
}

interface Want {
  readonly table: string;
  readonly fields: readonly string[];
  readonly query: string;
}

/** The index of one calculation, by paths; undefined where only a scan, or the view's own index, can serve it. */
export function indexFor({ resource, calculation }: RehearsedCalculation): readonly string[] | undefined {
  if (resource.view === true) return undefined;
  const tenant = resource.tenantScoped ? [tenantPathOf(resource)] : [];
  const fieldsOf = (ops: readonly string[]): string[] => {
    // An equality with a day is a range, because it matches every instant of the day.
    const kindOfOp = ({ op, value }: Condition): string => (op === 'eq' && value instanceof CalendarDay ? 'le' : op);
    return calculation.where
      .filter((condition) => ops.includes(kindOfOp(condition)))
      .map(({ field }) => pathOf(resource, field));
  };
  const equal = [...new Set([...tenant, ...fieldsOf(['eq']).sort()])];
  const [range] = fieldsOf(['gt', 'ge', 'lt', 'le'])
    .filter((field) => !equal.includes(field))
    .sort();
  const fields = [...equal, ...(range === undefined ? [] : [range])];
  return fields.length > 0 ? fields : undefined;
}

/**
 * The fewest indexes that serve all queries: an index that is the beginning of another one is left out. Sorted by table
 * and key.
 */
export function adviseIndexes(
  calculations: readonly (RehearsedCalculation & { readonly query: string })[],
): WantedIndex[] {
  const wants = calculations.flatMap((each): Want[] => {
    const fields = indexFor(each);
    return fields ? [{ table: collectionOf(each.resource), fields, query: each.query }] : [];
  });
  const longest = wants.filter(
    (want) =>
      !wants.some(
        (other) =>
          other !== want &&
          begins(other, want) &&
          (other.fields.length > want.fields.length || wants.indexOf(other) < wants.indexOf(want)),
      ),
  );
  return longest
    .map(({ table, fields }) => ({
      table,
      key: Object.fromEntries(fields.map((field) => [field, 1 as const])),
      queries: [
        ...new Set(wants.filter((want) => begins({ table, fields, query: '' }, want)).map(({ query }) => query)),
      ].sort(),
    }))
    .sort((a, b) => (JSON.stringify([a.table, a.key]) < JSON.stringify([b.table, b.key]) ? -1 : 1));
}

/**
 * Whether `index` serves `want`: it has the same table, and its first fields are the wanted ones; fields that are fixed
 * by equality may be in any order.
 */
function begins(index: Want, want: Want): boolean {
  if (index.table !== want.table || index.fields.length < want.fields.length) return false;
  return want.fields.every((field, at) => index.fields[at] === field);
}

/** Whether an existing index serves as well. */
export function servedBy(
  existing: readonly { readonly key: Readonly<Record<string, unknown>> }[],
  { key }: WantedIndex,
): boolean {
  const wanted = Object.keys(key);
  return existing.some((index) => {
    const fields = Object.entries(index.key);
    return wanted.every((field, at) => fields[at]?.[0] === field && (fields[at][1] === 1 || fields[at][1] === -1));
  });
}
