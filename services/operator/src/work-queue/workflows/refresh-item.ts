/**
 * Makes one row equal to its owner's record. The row is read before the owner and fences the write, so a process that
 * read an older state of the record loses the race and reads both again.
 */
import type { WorkKind } from '@platform/contracts-operator';
import { hasSameFacts, workItemKey, workItemOf, type WorkItem, type WorkItemFacts } from '../domain/work-item';
import { isUnavailable, type Unavailable, type WorkOwner, type WorkQueuePorts } from './ports';

/** `absent`: the record is not unresolved, and the queue has no row. */
export type Refreshed = 'absent' | 'removed' | 'changed' | 'unchanged' | 'raced' | Unavailable;

const races = 4;

/** Throws StoreUnavailableError. */
export async function refreshItem(ports: WorkQueuePorts, kind: WorkKind, itemId: string): Promise<Refreshed> {
  const owner = ports.owners.find((each) => each.kind === kind);
  if (!owner) return { unavailable: `no owner is known here of ${kind}` };
  for (let race = 0; race < races; race += 1) {
    const done = await refreshOnce(ports, owner, itemId);
    if (done !== 'raced') return done;
  }
  return 'raced';
}

async function refreshOnce(ports: WorkQueuePorts, owner: WorkOwner, itemId: string): Promise<Refreshed> {
  const row = await ports.items.findById(workItemKey(owner.kind, itemId));
  const facts = await owner.read(itemId);
  if (isUnavailable(facts)) return facts;
  if (!facts) return row ? removeRow(ports, row) : 'absent';
  if (!row) return insertRow(ports, facts);
  if (hasSameFacts(row, facts)) return 'unchanged';
  const { outcome } = await ports.items.mutate(row, workItemOf(facts, ports.clock.now()));
  if (outcome !== 'applied') return 'raced';
  announce(ports, facts, facts.state);
  return 'changed';
}

/** A row that another process inserted meanwhile is not changed. */
export async function insertRow(ports: WorkQueuePorts, facts: WorkItemFacts): Promise<'changed' | 'raced'> {
  const { outcome } = await ports.items.insert(workItemOf(facts, ports.clock.now()));
  if (outcome !== 'applied') return 'raced';
  announce(ports, facts, facts.state);
  return 'changed';
}

async function removeRow(ports: WorkQueuePorts, row: WorkItem): Promise<'removed' | 'raced'> {
  const { outcome } = await ports.items.remove(row);
  if (outcome !== 'applied') return 'raced';
  announce(ports, row, null);
  return 'removed';
}

function announce(
  { announce: notify, clock }: WorkQueuePorts,
  { kind, itemId, tenantId }: Pick<WorkItemFacts, 'kind' | 'itemId' | 'tenantId'>,
  state: WorkItemFacts['state'] | null,
): void {
  notify({ kind, id: itemId, tenantId, state, at: clock.now().toISOString() });
}
