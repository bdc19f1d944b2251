/**
 * The labels that people read instead of a series' ids: one look-up for the groups in the answer, within the same
 * command.
 */
import type { SeriesCalculation } from '../chain';
import { tenantField, type Resource } from '../resource';
import type { Stage } from './stage';

/** The stages after a series whose groups have labels; none for any other. */
export function labelStages(
  resource: Resource,
  { groupBy, tenantId }: Pick<SeriesCalculation, 'groupBy' | 'tenantId'>,
): Stage[] {
  const labels = Object.hasOwn(resource.fields, groupBy) ? resource.fields[groupBy]?.labels : undefined;
  if (!labels) return [];
  const { from, key = '_id', field, shared, tenantField: tenantPath = tenantField } = labels;
  // The label of another tenant's row would be a leak, even when an id in one's own row refers to it.
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
