/**
 * Checks, when a page is loaded, the fields that its blocks show behind figures. Without this check, only a reader who
 * opens the rows would notice a missing field.
 */
import { pageRoutePrefix } from '@platform/base/page';
import { canBreakDown, canShow, type PageDefinition, type Rehearsal } from '@platform/page-runtime';

/** Undefined when there is no error. */
export function mistakeInBlocks(
  { blocks = [] }: PageDefinition,
  routes: readonly { readonly note: { readonly endpoint: string }; readonly rehearsal: Rehearsal }[],
  pageRef: string,
): string | undefined {
  for (const { title, fetchUrl, breakdown = [], rows = [] } of blocks) {
    const route = routes.find(({ note }) => fetchUrl === `${pageRoutePrefix}${pageRef}${note.endpoint}`);
    const resource = route?.rehearsal.calculations[0]?.resource;
    if (!resource) continue;
    const part = breakdown.find((field) => !canBreakDown(resource, field));
    if (part !== undefined)
      return `the block ${JSON.stringify(title)}: ${resource.name} cannot be broken down by ${JSON.stringify(part)}`;
    const column = rows.find((field) => !canShow(resource, field));
    if (column !== undefined)
      return `the block ${JSON.stringify(title)}: a row of ${resource.name} cannot show ${JSON.stringify(column)}`;
  }
  return undefined;
}
