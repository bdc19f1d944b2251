/**
 * One page of the unresolved cases that are assigned to a person, most money at risk × age first, as in the whole
 * queue.
 */
import type { RevisionedCollection } from '@platform/mongo';
import { casesOf, type StandPorts } from '../../casework/workflows/stands';
import { compareRanked } from '../domain/rank';
import type { WorkItem } from '../domain/work-item';
import type { WorkFilter, WorkPage } from './list-work';

const atOnce = 200;

export async function listAssigned(
  ports: StandPorts & { readonly items: Pick<RevisionedCollection<WorkItem>, 'find'> },
  person: string,
  { kind, state, tenantId, cause }: WorkFilter,
  limit: number,
): Promise<WorkPage> {
  const asOf = ports.clock.now();
  const keys = await casesOf(ports, person);
  const found: WorkItem[] = [];
  for (let at = 0; at < keys.length; at += atOnce) {
    const some = keys.slice(at, at + atOnce);
    found.push(...(await ports.items.find({ _id: { $in: some } }, { sort: { _id: 1 }, limit: some.length })));
  }
  const wanted = found.filter(
    (item) =>
      (kind ?? item.kind) === item.kind &&
      (state ?? item.state) === item.state &&
      (tenantId ?? item.tenantId) === item.tenantId &&
      (cause ?? item.cause) === item.cause,
  );
  return { items: wanted.sort((a, b) => compareRanked(a, b, asOf)).slice(0, limit), asOf };
}
