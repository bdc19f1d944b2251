/** What people read instead of the ids of a series: one look-up for the groups that are answered, within the same command. */
import type { SeriesCalculation } from '../chain';
import { tenantField, type Resource } from '../resource';
import type { Stage } from './stage';

/** The stages behind a series whose groups are labelled; none for any other. */
export function labelStages(
  resource: Resource,
  { groupBy, tenantId }: Pick<SeriesCalculation, 'groupBy' | 'tenantId'>,
): Stage[] {
  const labels = Object.hasOwn(resource.fields, groupBy) ? resource.fields[groupBy]?.labels : undefined;
  if (!labels) return [];
  const { from, key = '_id', field, shared, tenantField: tenantPath = tenantField } = labels;
  // The label of another tenant's row would be a leak, also where an id in a row of one's own names it.
  const own = resource.tenantScoped && shared !== true ? [{ $match: { [tenantPath]: { $eq: tenantId! } } }] : [];
  return [
    {
      $lookup: {
        from,
        localField: '_id',
        foreignField: key,
        pipeline: [...own, { $limit: 1 }, { $project: { _id: 0, text: `$${field}` } }],
        as: 'label',
      },
    },
  ];
}
