/**
 * The collections whose rows belong to tenants, by the declarations of a project's pages. A declaration of one page
 * applies to every page, so that no page can read the rows of all tenants by declaring the same collection again.
 */
import {
  collectionOf,
  tenantField,
  tenantPathOf,
  type RehearsedCalculation,
  type Resource,
} from '@platform/page-runtime';

export interface TenantTable {
  readonly collection: string;
  /** The path of the tenant in a row. */
  readonly path: string;
}

/** By collection; several paths when pages contradict each other. */
export type TenantTables = ReadonlyMap<string, ReadonlySet<string>>;

/** The declarations of a page's calculations. */
export function tenantTablesOf(calculations: readonly RehearsedCalculation[]): TenantTable[] {
  return calculations.flatMap(({ resource }) => {
    if (!resource.tenantScoped) return [];
    const named = Object.values(resource.fields).flatMap(({ labels }) =>
      labels && labels.shared !== true ? [{ collection: labels.from, path: labels.tenantField ?? tenantField }] : [],
    );
    return [{ collection: collectionOf(resource), path: tenantPathOf(resource) }, ...named];
  });
}

export function joinTenantTables(declared: Iterable<TenantTable>): TenantTables {
  const joined = new Map<string, Set<string>>();
  for (const { collection, path } of declared)
    joined.set(collection, (joined.get(collection) ?? new Set<string>()).add(path));
  return joined;
}

/**
 * The resource in the form in which it may be read: with tenants when any page declares them, and by the path that all
 * pages name. Labels from a collection with tenants are those of the caller's own tenant. Throws an error when pages
 * contradict each other.
 */
export function ownedResource(resource: Resource, tables: TenantTables): Resource {
  const path = pathIn(tables, collectionOf(resource), resource.tenantScoped ? tenantPathOf(resource) : undefined);
  const scoped = resource.tenantScoped || path !== undefined;
  const fields = Object.fromEntries(
    Object.entries(resource.fields).map(([name, { labels, ...field }]) => {
      const own =
        labels && pathIn(tables, labels.from, labels.shared ? undefined : (labels.tenantField ?? tenantField));
      if (!labels || (own !== undefined && !scoped)) return [name, field];
      return [name, { ...field, labels: own === undefined ? labels : { ...labels, shared: false, tenantField: own } }];
    }),
  );
  return { ...resource, tenantScoped: scoped, ...(path !== undefined && { tenantField: path }), fields };
}

function pathIn(tables: TenantTables, collection: string, declared: string | undefined): string | undefined {
  const paths = new Set([...(tables.get(collection) ?? []), ...(declared === undefined ? [] : [declared])]);
  if (paths.size > 1) throw new Error(`pages name different tenants of the rows of ${collection}`);
  return [...paths][0];
}
