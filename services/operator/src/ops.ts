/** `npm run ops`: investigations off-line, with database credentials and without any effect (contracts §3). */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { resolve as resolvePath } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';
import {
  readAppliedProposal,
  resolveOffline,
  resolveProven,
  runOffline,
  type OfflineWork,
  type Terminal,
} from '@platform/durable/investigation';
import { incarnationsCollection, instanceTrail } from '@platform/durable/boot';
import { askOffLine, recordInstanceGone, type InstanceGone } from '@platform/durable/executors';
import { verifyTrail } from '@platform/durable/trail';
import { developmentOpsCommand, inDeployment, opsLine, silentLog } from '@platform/kernel';
import { verifyCase } from './cases/workflows/sign-case';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import { collectOffline } from './cli/collect-offline';
import { describeList, describeOperation } from './cli/describe-operation';
import { runContradictionCommand } from './cli/contradiction-commands';
import { runDeadLetterCommand } from './cli/dead-letter-commands';
import { runFinanceReport, runSignedCommand } from './cli/finance-commands';
import { runImportCommand } from './cli/import-command';
import { runMigrationCommand } from './cli/migration-commands';
import command from './cli/ops.command.cjs';
import { proposalWork } from './cli/proposal-work';
import { runReconcileCommand } from './cli/reconcile-commands';
import type { Operation } from './operations/domain/operation';
import { operationBecomes } from './operations/workflows/read-resolution';
import { migrationItemTrail, migrationTrail } from './migrations/store/migration-trails';
import { mirrorRefreshesCollection } from './mirror/store/mirror-refreshes';
import { subscriptionsOf } from './access/workflows/announce-access';
import { evidenceView } from './operations/http/evidence-view';
import { operationView } from './operations/http/operation-view';
import { auditBlocksCollection } from './operations/store/audit-blocks';
import { operationsCollection } from './operations/store/operations';
import { executorStates, listOperations, type ReadPorts } from './operations/workflows/read-operation';
import { operationInvestigation, type ResolvePorts } from './operations/workflows/resolve-operation';
import { verifyAudit } from './operations/workflows/verify-audit';
import { schemaSteps } from './store/schema-steps';

const pageSize = 50;
const noSuchOperation = 'There is no such operation.';

/** The line of an off-line command as people type it where this program runs. */
const lineHere = (words: string): string =>
  inDeployment(opsLine(words), process.env['OPS_COMMAND'] ?? developmentOpsCommand);

async function work(asked: OpsCommand, work: OfflineWork): Promise<number> {
  const { store, terminal } = work;
  const reads: ReadPorts = {
    operations: store.collection(operationsCollection),
    askExecutors: askOffLine(store.collection(incarnationsCollection)),
  };
  const { print, complain } = terminal;
  switch (asked.kind) {
    case 'list':
      return list(reads, asked, terminal);
    case 'show': {
      const operation = await reads.operations.findById(asked.operationId);
      if (!operation) return complain(noSuchOperation);
      const states = await executorStates(reads, [operation]);
      print(
        asked.json ? JSON.stringify(operationView(operation, states), null, 2) : describeOperation(operation, states),
      );
      return 0;
    }
    case 'evidence': {
      const operation = await reads.operations.findById(asked.operationId);
      const subscriptions = subscriptionsOf(store, work.clock);
      const file = operation && (await collectOffline({ ...reads, subscriptions, provider: work.provider }, operation));
      if (!file) return complain(noSuchOperation);
      print(JSON.stringify(evidenceView(file), null, 2));
      return 0;
    }
    case 'resolve':
    case 'apply':
      return resolve(work, reads, asked);
    case 'deadletters':
      return runDeadLetterCommand(asked.command, work);
    case 'contradictions':
      return runContradictionCommand(asked.command, work);
    case 'finance':
      return asked.command.kind === 'report'
        ? runFinanceReport(asked.command, work)
        : runSignedCommand(asked.command, terminal);
    case 'reconcile':
      return runReconcileCommand(asked.command, work);
    case 'import':
      return runImportCommand(asked.command, work);
    case 'gone':
      return gone(work, asked.request);
    case 'migration':
      return runMigrationCommand(asked.command, work);
    case 'verify':
      return verify(asked.file, terminal);
  }
}

function gone({ store, clock, terminal, people }: OfflineWork, request: InstanceGone) {
  const boots = store.collection(incarnationsCollection);
  return recordInstanceGone({ boots, ask: askOffLine(boots), clock, people, terminal }, request);
}

async function list(
  reads: ReadPorts,
  { status, cursor, json }: Extract<OpsCommand, { kind: 'list' }>,
  { print }: Terminal,
): Promise<number> {
  const page = await listOperations(reads, { status, limit: pageSize, ...(cursor !== undefined && { cursor }) });
  if (!page) throw new Misuse('--cursor is not a cursor of this list');
  if (json) {
    const { operations, nextCursor } = page;
    const shown = operations.map((operation) => operationView(operation));
    print(JSON.stringify({ operations: shown, ...(nextCursor !== undefined && { nextCursor }) }, null, 2));
    return 0;
  }
  print(page.operations.length === 0 ? `No operation is ${status}.` : describeList(page.operations));
  if (page.nextCursor) print(`\nMore: ${lineHere(`list --status ${status} --cursor ${page.nextCursor}`)}`);
  return 0;
}

function resolvePorts({ store, clock, provider, providerNow }: OfflineWork): ResolvePorts {
  return {
    provider,
    providerNow,
    operations: store.collection(operationsCollection),
    subscriptions: subscriptionsOf(store, clock),
    refreshes: store.collection(mirrorRefreshesCollection),
    clock,
    retryPolicy: { tries: 5, pause: () => delay(500) },
    log: silentLog,
  };
}

async function resolve(
  work: OfflineWork,
  reads: ReadPorts,
  asked: Extract<OpsCommand, { kind: 'resolve' | 'apply' }>,
): Promise<number> {
  const inWords = {
    describe: async ({ record }: { readonly record: Operation }) =>
      describeOperation(record, await executorStates(reads, [record])),
    becomes: ({ resolution }: { readonly resolution: Parameters<typeof operationBecomes>[0] }) =>
      operationBecomes(resolution),
    statusOf: ({ status }: { readonly status: string }) => status,
    yes: asked.yes,
  };
  const ports = resolvePorts(work);
  if (asked.kind === 'resolve')
    return resolveOffline(operationInvestigation, ports, { ...inWords, request: asked.request }, work);
  const read = await readAppliedProposal(asked.applied, 'operation', proposalWork(work));
  if (!read.ok) return work.terminal.complain(read.error);
  return resolveProven(operationInvestigation, ports, { ...inWords, ...read.value }, work);
}

/** Needs no database. A relative path starts where npm was called. */
function verify(file: string, { print, complain }: Terminal): number {
  const key = process.env['CASE_SIGNING_KEY'];
  if (!key) return complain('CASE_SIGNING_KEY is not set: the secret of the gateway that exported the case.');
  let text: string;
  try {
    text = readFileSync(resolvePath(process.env['INIT_CWD'] ?? '.', file), 'utf8');
  } catch (error) {
    return complain(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const verified = verifyCase(text, key);
  if (!verified.ok) {
    complain(verified.error);
    return exitCodes.negative;
  }
  const { case: exported, exportedAt, exportedBy } = verified.value;
  print(
    `Untouched. The case of ${exported.kind.replaceAll('_', ' ')} ${exported.id} (${exported.status}), exported ${exportedAt} by ${exportedBy}.`,
  );
  return 0;
}

runOffline({
  command,
  database: 'operator',
  schemaSteps,
  trails: {
    operator: (store, expectedHash) =>
      verifyAudit(
        { operations: store.collection(operationsCollection), blocks: store.collection(auditBlocksCollection) },
        expectedHash,
      ),
    migrations: (store, expectedHash) => verifyTrail(migrationTrail(store), expectedHash),
    'migration-items': (store, expectedHash) => verifyTrail(migrationItemTrail(store), expectedHash),
    'operator-instances': (store, expectedHash) => verifyTrail(instanceTrail(store), expectedHash),
  },
  ask: opsCommandOf,
  alone: (asked, terminal) => {
    if (asked.kind === 'verify') return verify(asked.file, terminal);
    return asked.kind === 'finance' && asked.command.kind !== 'report'
      ? runSignedCommand(asked.command, terminal)
      : null;
  },
  work,
});
