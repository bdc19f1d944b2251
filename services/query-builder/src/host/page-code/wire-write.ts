/** Writes page code's requests and declarations as plain data; the schemas of `wire.ts` read it on the other side. */
import { CalendarDay, compileCustom, type Calculation, type Resource } from '@platform/page-runtime';
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
