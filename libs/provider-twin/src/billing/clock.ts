/**
 * Time moves only here. Everything that falls due before the new instant happens in order, each at its own instant and
 * as one transaction, so a year of renewals has the same result as a year of waiting.
 */
import { pruneKeys } from '../idempotency';
import { enterEffect } from '../ledger';
import type { State } from '../state';
import type { Twin } from '../twin';
import { taskOf, type Task } from './tasks';
import { createHeap } from './heap';

const timed = ['subscription_schedule', 'subscription', 'invoice', 'checkout.session'] as const;
const eventLifeSeconds = 30 * 86_400;

interface Due {
  at: number;
  rank: number;
  table: (typeof timed)[number];
  id: string;
}

const order = (a: Due, b: Due): number => a.at - b.at || a.rank - b.rank || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

function dueOf(twin: Twin, table: Due['table'], id: string): { due: Due; task: Task } | undefined {
  const row = twin.state.get(table, id);
  const task = row && taskOf(twin, table, row);
  return task && { due: { at: task.at, rank: timed.indexOf(table), table, id }, task };
}

function pruneEvents(state: State, now: number): void {
  for (const event of state.rows('event')) {
    if (event.created + eventLifeSeconds > now) return;
    state.remove('event', event.id);
  }
}

/** Moves the clock to `target` (seconds, not before now) and returns how many things happened on the way. */
export function advanceTo(twin: Twin, target: number): number {
  const queue = createHeap<Due>(order);
  const noRequest = { requestId: null, idempotencyKey: null };
  for (const table of timed)
    for (const row of twin.state.rows(table)) {
      const found = dueOf(twin, table, row.id);
      if (found) queue.push(found.due);
    }
  const changed = new Set<string>();
  const watch = twin.state.watch((changes) => {
    for (const [table, id] of changes) if ((timed as readonly string[]).includes(table)) changed.add(`${table}|${id}`);
  });
  let effects = 0;
  for (let next = queue.pop(); next && next.at <= target; next = queue.pop()) {
    const { table, id, at } = next;
    const current = dueOf(twin, table, id);
    if (!current || current.due.at !== at) continue;
    twin.transact(noRequest, () => {
      twin.setNow(Math.max(at, twin.now()));
      const answer = current.task.run() ?? { id };
      enterEffect(twin, {
        method: 'CLOCK',
        path: `/_twin/clock/${current.task.name}`,
        idempotencyKey: null,
        requestId: null,
        status: 200,
        answer,
      });
    });
    effects += 1;
    for (const key of changed) {
      const [name, changedId = ''] = key.split('|');
      const found = dueOf(twin, name as Due['table'], changedId);
      if (found) queue.push(found.due);
    }
    changed.clear();
    if (effects % 500 === 0) twin.state.transact(() => pruneEvents(twin.state, twin.now()));
  }
  watch();
  twin.state.transact(() => {
    twin.setNow(target);
    pruneEvents(twin.state, target);
    pruneKeys(twin.state, target);
  });
  return effects;
}
