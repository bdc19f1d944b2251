/** `npm run ops` for provisioning attempts: investigations off-line, with database credentials and without any effect. */
import { setTimeout as delay } from 'node:timers/promises';
import { askForWord, exitCodes, requireConfirmation, runCommand, type CommandRun } from '@platform/command-line';
import { executorStateIn } from '@platform/durable/boot';
import { createIds, silentLog, systemClock, type Clock } from '@platform/kernel';
import {
  connectStore,
  createDatabaseClock,
  runAuditCommand,
  runSchemaCommand,
  StoreUnavailableError,
  verifyTrail,
  type Store,
} from '@platform/mongo';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import command from './cli/ops.command.cjs';
import { attemptTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { collectionsOf, createKeyedMutex } from './workflows/ports';
import { listUnresolved, readAttempt, type ReadPorts } from './workflows/read-attempts';
import { planResolution, recordResolution, type ResolvePorts } from './workflows/resolve-attempt';

type RecordCommand = Extract<OpsCommand, { kind: 'list' | 'show' | 'resolve' }>;
const retryPolicy = { tries: 5, pause: () => delay(500) };

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

async function run(command: RecordCommand, store: Store, clock: Clock): Promise<number> {
  const collections = collectionsOf(store);
  const reads: ReadPorts = {
    ...collections,
    executorState: executorStateIn(store),
  };
  switch (command.kind) {
    case 'list': {
      const { attempts, total } = await listUnresolved(reads);
      for (const { createdAt, tenantId, status, planId, executor, lastError } of attempts)
        print([createdAt, tenantId, status, planId, `executor ${executor.state}`, lastError?.message ?? ''].join('  '));
      print(`${attempts.length} of ${total} unresolved attempts shown`);
      return 0;
    }
    case 'show': {
      const attempt = await readAttempt(reads, command.attemptId);
      if (!attempt) return complain('There is no such provisioning attempt.');
      print(JSON.stringify(attempt, null, 2));
      return 0;
    }
    case 'resolve':
      return resolveAttempt(command, reads, {
        ...collections,
        clock,
        databaseNow: () => store.now(),
        limits: noLimits,
        retryPolicy,
        mutex: createKeyedMutex(),
        log: silentLog,
      });
  }
}

/** A resolution takes no reservation, so no limit decides anything. */
const noLimits = {
  freeWorkspacesPerCard: 0,
  trialDays: 0,
  creationsPerUser: 0,
  creationWindowMs: 0,
  listenerTimeoutMs: 0,
};

async function resolveAttempt(
  { request, yes }: Extract<OpsCommand, { kind: 'resolve' }>,
  reads: ReadPorts,
  ports: ResolvePorts,
): Promise<number> {
  const planned = await planResolution(ports, request);
  if (!planned.ok) return complain(planned.error);
  const { attempt, resolution, warnings } = planned.value;
  print(JSON.stringify(await readAttempt(reads, attempt._id), null, 2));
  for (const warning of warnings) print(`\nNote: ${warning}`);
  print(
    `\nWill be written, once and for good:\n${JSON.stringify(resolution, null, 2)}\nThe attempt becomes ${resolution.outcome === 'applied' ? 'committed' : 'cancelled'}. Nothing is sent to the payment provider or to listeners.`,
  );
  if (!yes && !(await confirmed(attempt._id))) return complain('Nothing was written.');
  const recorded = await recordResolution(ports, planned.value);
  if (!recorded.ok) return complain(recorded.error);
  print(`Recorded. Attempt ${attempt._id} is ${recorded.value.status}.`);
  return 0;
}

function confirmed(attemptId: string): Promise<boolean> {
  return askForWord('\nType the tenant id to write this, anything else to leave it: ', attemptId);
}

async function runOps(asked: OpsCommand): Promise<number> {
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const database = process.env['MONGODB_DATABASE'] ?? 'provisioning';
  if (asked.kind === 'migrate') return runSchemaCommand({ database, schemaSteps, apply: asked.apply, url, print });
  if (asked.kind === 'audit')
    return runAuditCommand({
      url,
      database,
      schemaSteps,
      expect: asked.expect,
      print,
      trails: { provisioning: (store, expectedHash) => verifyTrail(attemptTrail(store), expectedHash) },
    });
  // The clock of the services, by which the trail takes resolutions in.
  const clock = createDatabaseClock(systemClock);
  const store = await connectStore({
    url,
    database,
    schemaSteps,
    clock,
    ids: createIds(clock),
    log: silentLog,
    appName: 'ops',
  });
  try {
    await clock.measure(() => store.now());
    return await run(asked, store, clock);
  } finally {
    await store.close();
  }
}

/** Before the database is asked: a resolution that cannot be confirmed is not begun. */
function start(run: CommandRun<typeof command>): Promise<number> | number {
  const asked = opsCommandOf(run);
  if (asked.kind === 'resolve') requireConfirmation(asked.yes);
  return runOps(asked);
}

void runCommand(command, start, {
  describe: (error) => ({
    text:
      error instanceof StoreUnavailableError ? 'The database does not answer. Is MONGODB_URL right?' : String(error),
    code: exitCodes.failed,
  }),
});
