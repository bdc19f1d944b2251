/** The calculations that models of page projects import: those behind the templates of this package. */
import type { CustomCalculation } from '@platform/builder';

/** How many different values a field has; rows without a value do not count. */
export const distinctCount: CustomCalculation<{ readonly field: string }> = {
  id: 'distinct-count',
  measure: 'count',
  compile: ({ field }, fields) => [
    { $group: { _id: `$${fields.path(field)}` } },
    { $match: { _id: { $ne: null } } },
    { $group: { _id: null, y: { $sum: 1 } } },
  ],
};
