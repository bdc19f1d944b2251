/**
 * An investigator's work on a job that a kill left: proves each unresolved workspace from the ledger, then closes the
 * job.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, silentLog, systemClock } from '@platform/kernel';
import {
  closingInvestigation,
  itemInvestigation,
} from '../../services/operator/src/migrations/workflows/resolve-migration';
import type { Books } from './migration-books';

export interface Investigated {
  readonly applied: number;
  readonly notApplied: number;
  readonly neverBegun: number;
}

const by = 'chaos@example.com';
const executorStopped = 'its process was killed with SIGKILL by this run and has been superseded since';

/**
 * A request outlives its sender: the provider may execute it after the gateway is dead. The twin's only clients are
 * those of this run, so it soon becomes idle.
 */
const quietMs = 3_000;

async function untilNothingArrives(books: Books, migrationId: string): Promise<void> {
  for (let seen = -1; ;) {
    const { length } = await books.effects(migrationId);
    if (length === seen) return;
    seen = length;
    await delay(quietMs);
  }
}

const quietMinutes = 11;

export async function investigate(books: Books, migrationId: string): Promise<Investigated> {
  const ports = {
    ...books,
    clock: systemClock,
    // The twin executes every request at once, and none has arrived for a while, so no request is in transit any more.
    providerNow: async (sentAt: Date) => new Date(sentAt.getTime() + quietMinutes * 60_000),
    log: silentLog,
    retryPolicy: { tries: 20, pause: (attempt: number) => delay(backoffMs(attempt, 100, 2_000)) },
  };
  await untilNothingArrives(books, migrationId);
  const done = new Map(
    (await books.effects(migrationId)).map(({ idempotencyKey, objectId }) => [idempotencyKey, objectId]),
  );
  let applied = 0;
  let notApplied = 0;
  for (const item of await books.itemsOf(migrationId, 'reconciliation_required')) {
    const object = done.get(`${migrationId}:${item.tenantId}:plan`);
    const planned = await itemInvestigation.plan(ports, {
      id: item._id,
      outcome: object ? 'applied' : 'not_applied',
      providerObject: object ?? null,
      executorStopped,
      by,
    });
    if (!planned.ok) throw new Error(`${item._id}: ${planned.error}`);
    const recorded = await itemInvestigation.record(ports, planned.value);
    if (!recorded.ok) throw new Error(`${item._id}: ${recorded.error}`);
    if (object) applied += 1;
    else notApplied += 1;
  }
  const planned = await closingInvestigation.plan(ports, { id: migrationId, executorStopped, by });
  if (!planned.ok) throw new Error(`${migrationId}: ${planned.error}`);
  const recorded = await closingInvestigation.record(ports, planned.value);
  if (!recorded.ok) throw new Error(`${migrationId}: ${recorded.error}`);
  return { applied, notApplied, neverBegun: planned.value.beside.neverBegun };
}
