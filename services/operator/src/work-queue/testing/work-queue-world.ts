/** A work queue on a store in memory, with one owner whose records are a map. */
import type { WorkChange } from '@platform/contracts-operator';
import { createSequentialIds, silentLog } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { createTickingClock } from '@platform/testing';
import type { WorkItemFacts } from '../domain/work-item';
import { workItemsCollection } from '../store/work-items';
import type { OwnerPage, Unavailable, WorkOwner } from '../workflows/ports';

export const queueStart = Date.parse('2026-01-01T00:00:00.000Z');

export function workFacts(itemId: string, change: Partial<WorkItemFacts> = {}): WorkItemFacts {
  return {
    kind: 'operation',
    itemId,
    tenantId: 'acme',
    state: 'stopped',
    status: 'reconciliation_required',
    title: 'credit_customer',
    money: { amountCents: 500, currency: 'usd' },
    since: new Date(queueStart),
    ids: [itemId, 'acme'],
    ...change,
  };
}

/** An owner whose records are a map; `asked` counts single reads. */
function fakeOwner(records: Map<string, WorkItemFacts>, pageSize = 3) {
  const owner: WorkOwner & { calls: number; away: boolean } = {
    kind: 'operation',
    calls: 0,
    away: false,
    segments: [
      {
        page: async (cursor): Promise<OwnerPage | Unavailable> => {
          if (owner.away) return { unavailable: 'away' };
          const all = [...records.values()].sort(
            (a, b) => a.since.getTime() - b.since.getTime() || (a.itemId < b.itemId ? -1 : 1),
          );
          const from = Number(cursor ?? 0);
          return {
            facts: all.slice(from, from + pageSize),
            ...(all.length > from + pageSize && { nextCursor: String(from + pageSize) }),
          };
        },
      },
    ],
    read: async (itemId) => {
      owner.calls += 1;
      return owner.away ? { unavailable: 'away' } : (records.get(itemId) ?? null);
    },
  };
  return owner;
}

export function createQueueWorld(records = new Map<string, WorkItemFacts>(), pageSize?: number) {
  const clock = createTickingClock();
  const store = createFakeStore({ clock, ids: createSequentialIds(1) });
  const items = store.collection(workItemsCollection);
  const changes: WorkChange[] = [];
  const owner = fakeOwner(records, pageSize);
  return {
    items,
    clock,
    records,
    owner,
    changes,
    ports: {
      items,
      owners: [owner],
      clock,
      log: silentLog,
      announce: (change: WorkChange) => void changes.push(change),
    },
  };
}
