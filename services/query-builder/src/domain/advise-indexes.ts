/**
 * Which index a query needs: the fields that are fixed by equality first (the tenant before all), then one range. What
 * a page asks besides (`ne`, the group, the measure) is cheaper without: an index for `ne` is slower than a scan.
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
  /** The queries that it serves. */
  readonly queries: readonly string[];
}

interface Want {
  readonly table: string;
  readonly fields: readonly string[];
  readonly query: string;
}

/** The index of one calculation, by paths; undefined where a scan, or the view's own index, is all that there is. */
export function indexFor({ resource, calculation }: RehearsedCalculation): readonly string[] | undefined {
  if (resource.view === true) return undefined;
  const tenant = resource.tenantScoped ? [tenantPathOf(resource)] : [];
  const fieldsOf = (ops: readonly string[]): string[] => {
    // To equal a day is to lie within it.
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

/** The fewest indexes that serve all queries: one whose fields begin another one's is left out. Sorted by table and key. */
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

/** Whether `index` serves `want`: the same table, and its first fields are those wanted, the equal ones in any order. */
function begins(index: Want, want: Want): boolean {
  if (index.table !== want.table || index.fields.length < want.fields.length) return false;
  return want.fields.every((field, at) => index.fields[at] === field);
}

/** Whether an index that exists serves as well. */
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
