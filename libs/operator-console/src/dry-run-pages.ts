/** A dry run is read to its last page, so that the page shows exactly what would be started. */
import type { MigrationDryRun } from '@platform/contracts-operator';

/**
 * The pages so far as one: workspaces in order, totals summed by currency. The last page contains the digest of the
 * list.
 */
export function joinPages(pages: readonly [MigrationDryRun, ...MigrationDryRun[]]): MigrationDryRun {
  const totals = new Map<string, MigrationDryRun['pageTotals'][number]>();
  for (const { pageTotals } of pages)
    for (const each of pageTotals) {
      const sum = totals.get(each.currency);
      totals.set(each.currency, {
        ...each,
        total: each.total + (sum?.total ?? 0),
        workspaces: each.workspaces + (sum?.workspaces ?? 0),
      });
    }
  return {
    ...pages.at(-1)!,
    workspaces: pages.flatMap(({ workspaces }) => workspaces),
    pageTotals: [...totals.values()],
  };
}

/** Whether another page belongs to the same list of workspaces; if not, the list is read again from its beginning. */
export function sameList(pages: readonly MigrationDryRun[], next: MigrationDryRun): boolean {
  return pages.every(({ digest }) => digest === next.digest);
}
