/** Writes page code's requests and declarations as plain data; the schemas of `wire.ts` read it on the other side. */
import { CalendarDay, compileCustom, type Calculation, type Resource } from '@platform/page-runtime';
import type { PageHere } from '../project/load-page';
import { describedPage } from './wire';
import { writeStages } from './wire-stages';

/** A calculation as JSON, with dates marked. */
export function writeCalculation(resource: Resource, given: Calculation): unknown {
  const where = given.where.map((each) => ({ ...each, value: writeValue(each.value) }));
  if (given.kind === 'series' || !given.custom) return { ...given, where };
  const { id, measure } = given.custom.definition;
  return { ...given, where, custom: { id, measure, stages: writeStages(compileCustom(resource, given.custom)) } };
}

function writeValue(given: string | number | boolean | Date): unknown {
  if (given instanceof CalendarDay) return { day: given.day };
  return given instanceof Date ? { date: given.toISOString() } : given;
}

/** The schema is on the other side only: members that are no data are left out. */
export function writeResource(resource: Resource): unknown {
  const { name, title, collection, view, tenantScoped, tenantField, fields } = resource;
  return { name, title, collection, view, tenantScoped, tenantField, fields };
}

/** A page's declarations as JSON, for the schema `describedPage`. */
export function describePage({ definition, routes }: Pick<PageHere, 'definition' | 'routes'>): unknown {
  const { title, permission, blocks } = definition;
  return {
    title,
    permission,
    ...(blocks && { blocks: [...blocks] }),
    routes: routes.map(({ note, permission: guard, rehearsal }) => ({
      method: note.method,
      endpoint: note.endpoint,
      permission: guard,
      parameters: rehearsal.parameters.map((each) => ({ ...each, uses: [...each.uses] })),
      calculations: rehearsal.calculations.map(({ resource, calculation }) => ({
        resource: writeResource(resource),
        calculation: writeCalculation(resource, calculation),
      })),
      needsTenant: rehearsal.needsTenant,
    })),
  };
}

/**
 * What the serving process would not accept of a page's declarations; undefined when it accepts them. It ends a process
 * that sends anything else, so such a page must fail its trial.
 */
export function descriptionFault(page: Pick<PageHere, 'definition' | 'routes'>): string | undefined {
  const read = describedPage.safeParse(JSON.parse(JSON.stringify(describePage(page))));
  const [issue] = read.error?.issues ?? [];
  return issue && `${issue.path.map(String).join('.')} of the page cannot be served: ${issue.message}`;
}
