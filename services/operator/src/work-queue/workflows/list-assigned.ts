/**
 * One page of the unresolved cases that are assigned to a person, most money at risk × age first, as in the whole
 * queue. Work on a case outlives it, so most of a person's cases have ended: they are looked through in portions, and
 * only unresolved ones are kept.
 */
import { caseWorkLimits } from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import { casesOf, type ProgressPorts } from '../../casework/workflows/case-progress';
import { compareRanked, type QueuePosition } from '../domain/rank';
import type { WorkItem } from '../domain/work-item';
import type { WorkFilter, WorkPage } from './list-work';
import { encodeQueueCursor } from './queue-cursor';

export interface AssignedPage extends WorkPage {
  /** How many there are, on this page and on the others. */
  readonly total: number;
  /** The cases that were looked through, when the person has worked on more. */
  readonly onlyLast?: number;
}

type Ports = ProgressPorts & { readonly items: Pick<RevisionedCollection<WorkItem>, 'find'> };

/** `position` continues an earlier page; without it the list begins, as of now. */
export async function listAssigned(
  ports: Ports,
  person: string,
  filter: WorkFilter,
  position: QueuePosition | null,
  limit: number,
): Promise<AssignedPage> {
  const asOf = position?.asOf ?? ports.clock.now();
  const { found, all } = await unresolvedOf(ports, person, filter);
  found.sort((a, b) => compareRanked(a, b, asOf));
  const left = position ? found.filter((item) => compareRanked(item, position.last, asOf) > 0) : found;
  const items = left.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    asOf,
    total: found.length,
    ...(!all && { onlyLast: caseWorkLimits.assignedCases }),
    ...(last && left.length > limit && { nextCursor: encodeQueueCursor({ asOf, last }) }),
  };
}

async function unresolvedOf(
  ports: Ports,
  person: string,
  { kind, state, tenantId, cause }: WorkFilter,
): Promise<{ found: WorkItem[]; all: boolean }> {
  const found: WorkItem[] = [];
  let looked = 0;
  for await (const portion of casesOf(ports, person)) {
    const keys = portion.slice(0, caseWorkLimits.assignedCases - looked);
    const items = await ports.items.find({ _id: { $in: keys } }, { sort: { _id: 1 }, limit: Math.max(keys.length, 1) });
    found.push(
      ...items.filter(
        (item) =>
          (kind ?? item.kind) === item.kind &&
          (state ?? item.state) === item.state &&
          (tenantId ?? item.tenantId) === item.tenantId &&
          (cause ?? item.cause) === item.cause,
      ),
    );
    looked += keys.length;
    if (keys.length < portion.length) return { found, all: false };
  }
  return { found, all: true };
}
