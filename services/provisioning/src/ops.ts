/** `npm run ops` for provisioning attempts: investigations off-line, with database credentials and without any effect. */
import { setTimeout as delay } from 'node:timers/promises';
import { createInterface } from 'node:readline/promises';
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
import { supersession } from '@platform/service-host';
import { readArguments, usage, type OpsCommand } from './cli/arguments';
import { incarnationsCollection } from './store/collections';
import { attemptTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { collectionsOf, createTurns } from './workflows/ports';
import { listUnresolved, readAttempt, type ReadPorts } from './workflows/read-attempts';
import { planResolution, recordResolution, type ResolvePorts } from './workflows/resolve-attempt';

const patience = { tries: 5, pause: () => delay(500) };

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

async function run(command: Exclude<OpsCommand, { kind: 'help' }>, store: Store, clock: Clock): Promise<number> {
  const collections = collectionsOf(store);
  const incarnations = store.collection(incarnationsCollection);
  const reads: ReadPorts = {
    ...collections,
    executorState: async (incarnation) => supersession(await incarnations.findById(incarnation)),
  };
  switch (command.kind) {
    case 'list': {
      const { attempts, total } = await listUnresolved(reads);
      for (const { createdAt, tenantId, status, planId, executor, lastError } of attempts)
        say([createdAt, tenantId, status, planId, `executor ${executor.state}`, lastError?.message ?? ''].join('  '));
      say(`${attempts.length} of ${total} unresolved attempts shown`);
      return 0;
    }
    case 'show': {
      const attempt = await readAttempt(reads, command.attemptId);
      if (!attempt) return complain('There is no such provisioning attempt.');
      say(JSON.stringify(attempt, null, 2));
      return 0;
    }
    case 'resolve':
      return resolveAttempt(command, reads, {
        ...collections,
        clock,
        databaseNow: () => store.now(),
        limits: noLimits,
        patience,
        turns: createTurns(),
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
  say(JSON.stringify(await readAttempt(reads, attempt._id), null, 2));
  for (const warning of warnings) say(`\nNote: ${warning}`);
  say(
    `\nWill be written, once and for good:\n${JSON.stringify(resolution, null, 2)}\nThe attempt becomes ${resolution.outcome === 'applied' ? 'committed' : 'cancelled'}. Nothing is sent to the payment provider or to listeners.`,
  );
  if (!yes && !(await confirmed(attempt._id))) return complain('Nothing was written.');
  const recorded = await recordResolution(ports, planned.value);
  if (!recorded.ok) return complain(recorded.error);
  say(`Recorded. Attempt ${attempt._id} is ${recorded.value.status}.`);
  return 0;
}

async function confirmed(attemptId: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (
      (await asking.question('\nType the tenant id to write this, anything else to leave it: ')).trim() === attemptId
    );
  } finally {
    asking.close();
  }
}

async function main(): Promise<number> {
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const database = process.env['MONGODB_DATABASE'] ?? 'provisioning';
  if (process.argv[2] === 'migrate')
    return runSchemaCommand({ database, schemaSteps, args: process.argv.slice(3), url, say });
  if (process.argv[2] === 'audit')
    return runAuditCommand({
      url,
      database,
      schemaSteps,
      args: process.argv.slice(3),
      say,
      complain,
      trails: { provisioning: (store, expectedHash) => verifyTrail(attemptTrail(store), expectedHash) },
    });
  const command = readArguments(process.argv.slice(2));
  if (!command.ok) return complain(`${command.error}\n\n${usage}`);
  if (command.value.kind === 'help') {
    say(usage);
    return 0;
  }
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
    return await run(command.value, store, clock);
  } finally {
    await store.close();
  }
}

main().then(
  (code) => void (process.exitCode = code),
  (error: unknown) =>
    void (process.exitCode = complain(
      error instanceof StoreUnavailableError ? 'The database does not answer. Is MONGODB_URL right?' : String(error),
    )),
);
