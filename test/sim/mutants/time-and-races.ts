/**
 * Law-breaking builds that once passed every proof: leases and windows that time opens, executors that lost a race and
 * still act, orders that only a crash exposes, and a store that is asked for less than a majority.
 */
import type { Mutant } from './mutant';

const operator = (path: string) => `services/operator/src/${path}`;
const provisioning = (path: string) => `services/provisioning/src/${path}`;

const leaseMs = '900_000';
/** Histories play on a model of the store, and the adapter is what these builds change. */
const outsideOfHistories = "the store's adapter is not part of a history";

export const timeAndRaceMutants: readonly Mutant[] = [
  {
    id: 'leases-running-operations',
    breaks: ['L4', 'I3'],
    what: 'a running operation may be taken over after fifteen minutes',
    file: operator('operations/domain/admission.ts'),
    find: "return { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } };",
    replace: `return now.getTime() - stored.updatedAt.getTime() < ${leaseMs} ? { kind: 'refuse', operation: stored, refusal: { code: 'operation_running' } } : { kind: 'resume', operation: { ...stored, status: 'failed' } as unknown as FailedOperation };`,
    suite: operator('operations/domain/admission.unit.spec.ts'),
    chaos: ['I3', 'I4'],
    scenes: ['time'],
  },
  {
    id: 'sends-again-after-an-hour',
    breaks: ['L3', 'I3'],
    what: 'an operation that needs reconciliation may be asked for again after an hour',
    file: operator('operations/domain/admission.ts'),
    find: "return { kind: 'refuse', operation: stored, refusal: { code: 'reconciliation_required', detail: stored.error.message } };",
    replace:
      "return now.getTime() - stored.updatedAt.getTime() < 3_600_000 ? { kind: 'refuse', operation: stored, refusal: { code: 'reconciliation_required', detail: stored.error.message } } : { kind: 'resume', operation: { ...stored, status: 'failed' } as unknown as FailedOperation };",
    suite: operator('operations/domain/admission.unit.spec.ts'),
    chaos: ['I3'],
    scenes: ['time'],
  },
  {
    id: 'counts-the-window-from-the-last-write',
    breaks: ['I2'],
    what: 'the 23 hours of a repeat are counted from the last write, so that keys are used which the provider has dropped',
    file: operator('operations/domain/admission.ts'),
    find: 'now.getTime() - stored.createdAt.getTime() >= retryWindowMs',
    replace: 'now.getTime() - stored.updatedAt.getTime() >= retryWindowMs',
    suite: operator('operations/domain/admission.unit.spec.ts'),
    chaos: ['I2'],
    scenes: ['time'],
  },
  {
    id: 'executes-pending-events-again',
    breaks: ['L4', 'I10'],
    what: 'a provider event that is pending is executed again after fifteen minutes',
    file: operator('provider-events/workflows/handle-provider-event.ts'),
    find: "if (standing.status === 'pending') return 'done';",
    replace: `if (standing.status === 'pending') return ports.clock.now().getTime() - standing.createdAt.getTime() < ${leaseMs} ? 'done' : execute(ports, event, standing);`,
    suite: operator('provider-events/workflows/unfinished-event.unit.spec.ts'),
    chaos: ['I10'],
    scenes: ['planted'],
  },
  {
    id: 'computes-payloads-again',
    breaks: ['I13'],
    what: 'a repeat computes its payload from what the workspace has become, under the same key',
    file: operator('operations/workflows/admit-attempt.ts'),
    find: 'const checkpoint = refused || stored.checkpoint ? undefined : action.checkpoint(context);',
    replace:
      'const checkpoint = refused ? undefined : action.checkpoint(context); if (checkpoint) stored = { ...stored, checkpoint: undefined } as never;',
    suite: operator('operations/workflows/retried-payload.unit.spec.ts'),
    chaos: ['I13'],
    scenes: ['planted'],
  },
  {
    id: 'sends-after-a-lost-race',
    breaks: ['L5', 'I1'],
    what: 'an executor that lost the race for its attempt sends all the same',
    file: operator('operations/workflows/admit-attempt.ts'),
    find: "if (admitted.kind === 'lost') return runningElsewhere(stored);\n  return performAttempt(ports, action, admitted.record as RunningOperation, context, first);",
    replace:
      "const running = (admitted.kind === 'lost' ? { ...stored, ...next } : admitted.record) as RunningOperation; return performAttempt(ports, action, running, context, first);",
    suite: operator('operations/workflows/races.unit.spec.ts'),
    chaos: ['I1'],
    scenes: ['planted'],
  },
  {
    id: 'sends-what-it-could-not-write',
    breaks: ['L1', 'L5', 'I1'],
    what: 'an executor whose write of the call was refused sends all the same',
    file: 'libs/durable/src/effects/runner.ts',
    find: "if (written.kind === 'lost') return { kind: 'lost', record: written.record };\n    stored = working = written.record as Working;",
    replace: "if (written.kind === 'written') stored = working = written.record as Working;",
    suite: operator('operations/workflows/resolved-meanwhile.unit.spec.ts'),
  },
  {
    id: 'migrates-what-it-did-not-reserve',
    breaks: ['L5', 'I9'],
    what: 'a stale executor of a migration goes on with workspaces that it could not reserve',
    file: operator('migrations/workflows/run-migration.ts'),
    find: "if (reserved !== 'written') return void (halt ??= reserved === 'lost' ? 'stale' : 'store_unavailable');",
    replace: "if (reserved === 'unknown') return void (halt ??= 'store_unavailable');",
    suite: operator('migrations/workflows/run-migration.unit.spec.ts'),
  },
  {
    id: 'shows-the-tenant-before-its-marker',
    breaks: ['I12'],
    what: "the tenant's row is written before the marker by which the commit gate judges",
    file: provisioning('workflows/creation-steps.ts'),
    find: 'const { retryPolicy, markers } = run.ports;\n  const insert = (read: CreationMarker | null)',
    replace:
      "const { retryPolicy, markers } = run.ports;\n  await insertOnce(run, run.ports.tenants, { _id: tenantId, name: run.attempt.workspaceName, status: 'provisioned', owners: [run.attempt.userId] });\n  const insert = (read: CreationMarker | null)",
    suite: provisioning('workflows/create-workspace.unit.spec.ts'),
    chaos: ['I12'],
  },
  {
    id: 'expires-trials',
    breaks: ['I11'],
    what: 'the reservation of a trial is free again after thirty days',
    file: provisioning('domain/reservation.ts'),
    find: 'if (read && read.tenantId !== null)\n    return read.tenantId === holder.tenantId',
    replace:
      'if (read && read.tenantId !== null && now.getTime() - read.updatedAt.getTime() < 30 * 86_400_000)\n    return read.tenantId === holder.tenantId',
    suite: provisioning('domain/reservation.unit.spec.ts'),
  },
  {
    id: 'cancels-old-preparations',
    breaks: ['L4', 'I11'],
    what: 'the reconciliation cancels a creation that has prepared for twenty minutes and releases what it holds',
    file: provisioning('workflows/reconcile.ts'),
    find: "if (!attempt.preparedAt) return 'not_prepared';",
    replace:
      "if (!attempt.preparedAt) { if (ports.clock.now().getTime() - attempt.createdAt.getTime() < 1_200_000) return 'not_prepared'; const ended = await ports.attempts.mutate(attempt, cancel(attempt, ports.clock.now())); if (ended.outcome === 'applied') await endReservations(ports, ended.record as EndedAttempt); return 'cancelled'; }",
    suite: provisioning('workflows/reconcile.unit.spec.ts'),
  },
  {
    id: 'leaves-interrupted-events',
    breaks: ['L3', 'I18'],
    what: "the receiver's start leaves events pending whose process has ended",
    file: 'services/billing-webhook/src/workflows/stop-interrupted.ts',
    find: "if (!earlier || admission === 'unavailable') return false;",
    replace: 'if (earlier || !earlier) return false;',
    suite: 'services/billing-webhook/src/workflows/stop-interrupted.unit.spec.ts',
    chaos: ['I18'],
    scenes: ['planted'],
  },
  {
    id: 'never-clears-what-a-crash-left',
    breaks: ['L6', 'I18'],
    what: 'no sweep clears the transition that a crash left after its outcome was journalled',
    file: operator('operations/workflows/finish-clearing.ts'),
    find: 'if (!transition) continue;',
    replace: 'if (transition ?? true) continue;',
    suite: operator('operations/workflows/operator.sweep.unit.spec.ts'),
    chaos: ['I18'],
    scenes: ['planted'],
  },
  {
    id: 'reads-what-may-be-rolled-back',
    breaks: ['L1'],
    what: 'reads ask for the read concern `local`',
    file: 'libs/mongo/src/adapter/connect.ts',
    find: "readConcern: new ReadConcern('majority'),",
    replace: "readConcern: new ReadConcern('local'),",
    suite: 'libs/mongo/src/adapter/concerns.int.spec.ts',
    notSimulated: outsideOfHistories,
  },
  {
    id: 'acknowledges-before-it-is-durable',
    breaks: ['L1'],
    what: 'writes ask for one member and no journal',
    file: 'libs/mongo/src/adapter/connect.ts',
    find: "writeConcern: { w: 'majority', journal: true, wtimeoutMS: majorityMs },",
    replace: 'writeConcern: { w: 1, journal: false, wtimeoutMS: majorityMs },',
    suite: 'libs/mongo/src/adapter/concerns.int.spec.ts',
    notSimulated: outsideOfHistories,
  },
  {
    id: 'writes-without-its-fence',
    breaks: ['L5', 'I7'],
    what: "the store's adapter does not name the revision that a write replaces",
    file: 'libs/mongo/src/adapter/stored-document.ts',
    find: 'return filter as DriverFilter<StoredDocument>;',
    replace:
      "const { revision: _fence, ...rest } = filter as Record<string, unknown>; return (Object.keys(filter).length === 2 && '_id' in filter ? rest : filter) as DriverFilter<StoredDocument>;",
    suite: 'libs/mongo/src/adapter/store.mongo.int.spec.ts',
    notSimulated: outsideOfHistories,
    chaos: ['I7'],
    scenes: ['zombie'],
  },
];
