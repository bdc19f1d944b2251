/** Resolved cases with a later contradiction appear in the queue again, as work of a separate kind. */
import type { Money } from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import { contradictionId, type Contradiction, type WatchedKind } from '../../contradictions/domain/contradiction';
import type { WorkItemFacts } from '../domain/work-item';
import { segmentOf } from './owners';
import type { Prices, WorkOwner } from './ports';

const idsShown = 40;

function projectContradiction(found: Contradiction, money: Money | null): WorkItemFacts | null {
  if (found.status !== 'open') return null;
  const { kind, itemId, tenantId, title, text, objects, createdAt } = found;
  return {
    ...{ kind, itemId, tenantId, title, money },
    state: 'stopped',
    status: 'contradicted',
    reason: text,
    since: createdAt,
    ids: [itemId, ...(tenantId === null ? [] : [tenantId]), ...objects].slice(0, idsShown),
  };
}

/** The same kind of work, with the records whose resolution the watch found contradicted. */
export function withContradictions(
  owner: WorkOwner & { readonly kind: WatchedKind },
  contradictions: RevisionedCollection<Contradiction>,
  prices: Prices,
): WorkOwner {
  const { kind } = owner;
  const project = async (found: Contradiction) => projectContradiction(found, await prices.ofWorkspace(found.tenantId));
  return {
    kind,
    segments: [...owner.segments, segmentOf(contradictions, 'contradicted', { status: 'open', kind }, project)],
    read: async (itemId) => {
      const facts = await owner.read(itemId);
      if (facts) return facts;
      const found = await contradictions.findById(contradictionId(kind, itemId));
      return found && project(found);
    },
  };
}
