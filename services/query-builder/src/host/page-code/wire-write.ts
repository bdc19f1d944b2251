/** Writes what page code asks and declares as plain data; the schemas of `wire.ts` read it on the other side. */
import { CalendarDay, type Calculation, type Resource } from '@platform/page-runtime';

/** A calculation as JSON carries it, dates marked as what they are. */
export function writeCalculation(given: Calculation): unknown {
  return { ...given, where: given.where.map((each) => ({ ...each, value: writeValue(each.value) })) };
}

function writeValue(given: string | number | boolean | Date): unknown {
  if (given instanceof CalendarDay) return { day: given.day };
  return given instanceof Date ? { date: given.toISOString() } : given;
}

/** What has a schema only on the other side: members that are no data are left out. */
export function writeResource({ name, title, tenantScoped, fields }: Resource): unknown {
  return { name, ...(title !== undefined && { title }), tenantScoped, fields };
}
