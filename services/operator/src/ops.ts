/** `npm run ops`: investigations off-line, with database credentials and without any effect (contracts §3). */
import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { askForWord, exitCodes, requireConfirmation, runCommand, type CommandRun } from '@platform/command-line';
import { createIds, silentLog, systemClock, type Clock } from '@platform/kernel';
import {
  connectStore,
  createDatabaseClock,
  runSchemaCommand,
  StoreUnavailableError,
  type Store,
} from '@platform/mongo';
import { supersession } from '@platform/service-host';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import { runAudit } from './cli/audit';
import { collectOffline } from './cli/collect-offline';
import { describeList, describeOperation } from './cli/describe-operation';
import { runMigrationCommand, type Terminal } from './cli/migration-commands';
import command from './cli/ops.command.cjs';
import { evidenceView } from './operations/http/evidence-view';
import { incarnationsCollection } from './store/executor-incarnations';
import { schemaSteps } from './store/schema-steps';
import { operationsCollection } from './operations/store/operations';
import { mirrorRefreshesCollection } from './mirror/store/mirror-refreshes';
import { subscriptionsCollection } from './mirror/store/subscriptions';
import { verifyCase } from './cases/workflows/sign-case';
import { executorStates, listOperations, type ReadPorts } from './operations/workflows/read-operation';
import { planResolution, recordResolution } from './operations/workflows/resolve-operation';

const pageSize = 50;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function run(
  command: Extract<OpsCommand, { kind: 'list' | 'show' | 'evidence' | 'resolve' }>,
  store: Store,
  clock: Clock,
): Promise<number> {
  const operations = store.collection(operationsCollection);
  const incarnations = store.collection(incarnationsCollection);
  const reads: ReadPorts = {
    operations,
    executorState: async (incarnation) => supersession(await incarnations.findById(incarnation)),
  };
  switch (command.kind) {
    case 'list':
      return list(reads, command);
    case 'show':
      return show(reads, command.operationId);
    case 'evidence':
      return evidence(store, reads, command.operationId);
    case 'resolve':
      return resolve(store, reads, clock, command);
  }
}

async function list(reads: ReadPorts, { status, cursor }: Extract<OpsCommand, { kind: 'list' }>): Promise<number> {
  const page = await listOperations(reads, { status, limit: pageSize, ...(cursor !== undefined && { cursor }) });
  if (!page) return complain('--cursor is not a cursor of this list');
  print(page.operations.length === 0 ? `No operation is ${status}.` : describeList(page.operations));
  if (page.nextCursor) print(`\nMore: npm run ops -- list --status ${status} --cursor ${page.nextCursor}`);
  return 0;
}

async function show(reads: ReadPorts, operationId: string): Promise<number> {
  const operation = await reads.operations.findById(operationId);
  if (!operation) return complain('There is no such operation.');
  print(describeOperation(operation, await executorStates(reads, [operation])));
  return 0;
}

async function evidence(store: Store, reads: ReadPorts, operationId: string): Promise<number> {
  const operation = await reads.operations.findById(operationId);
  if (!operation) return complain('There is no such operation.');
  const file = await collectOffline({ ...reads, subscriptions: store.collection(subscriptionsCollection) }, operation);
  if (!file) return complain('There is no such operation.');
  print(JSON.stringify(evidenceView(file), null, 2));
  return 0;
}

async function resolve(
  store: Store,
  reads: ReadPorts,
  clock: Clock,
  { request, yes }: Extract<OpsCommand, { kind: 'resolve' }>,
): Promise<number> {
  const ports = {
    operations: reads.operations,
    subscriptions: store.collection(subscriptionsCollection),
    refreshes: store.collection(mirrorRefreshesCollection),
    clock,
    log: silentLog,
  };
  const planned = await planResolution(ports, request);
  if (!planned.ok) return complain(planned.error);
  const { operation, resolution, warnings } = planned.value;
  print(describeOperation(operation, await executorStates(reads, [operation])));
  for (const warning of warnings) print(`\nNote: ${warning}`);
  print(
    `\nWill be written, once and for good:\n${JSON.stringify(resolution, null, 2)}\nThe operation becomes ${resolution.outcome === 'applied' ? 'succeeded' : 'failed'}; its transition is cleared. Nothing is sent anywhere.`,
  );
  if (!yes && !(await confirmed(operation._id))) return complain('Nothing was written.');
  const recorded = await recordResolution(ports, planned.value);
  if (!recorded.ok) return complain(recorded.error);
  print(`Recorded. Operation ${operation._id} is ${recorded.value.status}.`);
  return 0;
}

function confirmed(operationId: string): Promise<boolean> {
  return askForWord('\nType the id to write this, anything else to leave it: ', operationId);
}

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

/** Needs no database. A relative path starts where npm was called. */
function verify(file: string): number {
  const key = process.env['CASE_SIGNING_KEY'];
  if (!key) return complain('CASE_SIGNING_KEY is not set, and there is no local platform here.');
  let text: string;
  try {
    text = readFileSync(resolvePath(process.env['INIT_CWD'] ?? '.', file), 'utf8');
  } catch (error) {
    return complain(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const verified = verifyCase(text, key);
  if (!verified.ok) return complain(verified.error);
  const { case: exported, exportedAt, exportedBy } = verified.value;
  print(
    `Untouched. The case of ${exported.kind.replaceAll('_', ' ')} ${exported.id} (${exported.status}), exported ${exportedAt} by ${exportedBy}.`,
  );
  return 0;
}

const terminal: Terminal = {
  print,
  draw: (line) => void process.stdout.write(process.stdout.isTTY ? `\r\x1b[2K${line}` : `${line}\n`),
  complain,
  confirmed,
};

function runOps(asked: OpsCommand): Promise<number> | number {
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const database = process.env['MONGODB_DATABASE'] ?? 'operator';
  switch (asked.kind) {
    case 'audit':
      return runAudit(asked.expect);
    case 'migrate':
      return runSchemaCommand({ database, schemaSteps, apply: asked.apply, url, print });
    case 'verify':
      return verify(asked.file);
    case 'migration':
      return withStore(url, database, (store, clock) => runMigrationCommand(asked.command, store, clock, terminal));
    default:
      return withStore(url, database, (store, clock) => run(asked, store, clock));
  }
}

async function withStore(
  url: string,
  database: string,
  work: (store: Store, clock: Clock) => Promise<number>,
): Promise<number> {
  // The clock of the services, by which the trails take resolutions in.
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
    return await work(store, clock);
  } finally {
    await store.close();
  }
}

/** Before the database is asked: a resolution that cannot be confirmed is not begun. */
function start(run: CommandRun<typeof command>): Promise<number> | number {
  const asked = opsCommandOf(run);
  if (run.command.startsWith('resolve ')) requireConfirmation(run.values.yes);
  return runOps(asked);
}

void runCommand(command, start, {
  describe: (error) => ({
    text:
      error instanceof StoreUnavailableError
        ? 'The database does not answer; nothing was written. Is MONGODB_URL right?'
        : String(error),
    code: exitCodes.failed,
  }),
});
