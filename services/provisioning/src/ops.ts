/** `npm run ops` for provisioning attempts: investigations off-line, with database credentials and without any effect. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  readAppliedProposal,
  resolveOffline,
  resolveProven,
  runOffline,
  type OfflineWork,
  type Terminal,
} from '@platform/durable/investigation';
import { signedProposalSchema } from '@platform/contracts-provisioning';
import { incarnationsCollection, instanceTrail } from '@platform/durable/boot';
import { askOffLine, recordInstanceGone } from '@platform/durable/executors';
import { verifyTrail } from '@platform/durable/trail';
import { createKeyedMutex } from '@platform/durable/record';
import { silentLog } from '@platform/kernel';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import { runEventCommand } from './cli/event-commands';
import command from './cli/ops.command.cjs';
import type { Attempt } from './domain/attempt';
import type { Deletion } from './domain/deletion';
import { attemptTrail, eventTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { collectionsOf, type ProvisioningCollections } from './workflows/ports';
import { listUnresolved, readAttempt, type ReadPorts } from './workflows/read-attempts';
import { attemptBecomes } from './workflows/read-attempt-resolution';
import { deletionBecomes } from './workflows/read-deletion-resolution';
import { deletionInvestigation } from './workflows/resolve-deletion';
import { attemptInvestigation, type ResolvePorts } from './workflows/resolve-attempt';

/** A resolution makes no reservation, so the limits are not used. */
const noLimits = {
  freeWorkspacesPerCard: 0,
  trialDays: 0,
  creationsPerUser: 0,
  creationWindowMs: 0,
  listenerTimeoutMs: 0,
};

const patience = { tries: 5, pause: () => delay(500) };

type AboutDeletions = Extract<OpsCommand, { readonly kind: `${string}deletion${string}` }>;

async function workOnDeletions(
  asked: AboutDeletions,
  deletions: ProvisioningCollections['deletions'],
  work: OfflineWork,
): Promise<number> {
  const { clock, terminal } = work;
  const { print, complain } = terminal;
  switch (asked.kind) {
    case 'list_deletions': {
      const open = await deletions.find(
        { status: { $in: ['requested', 'calling', 'reconciliation_required'] } },
        { sort: { createdAt: 1, _id: 1 }, limit: 100 },
      );
      if (asked.json) {
        print(JSON.stringify({ deletions: open }, null, 2));
        return 0;
      }
      for (const { createdAt, tenantId, status, listenerCalls } of open)
        print([createdAt.toISOString(), tenantId, status, `${listenerCalls.length} listeners called`].join('  '));
      print(`${open.length} deletions shown`);
      return 0;
    }
    case 'show_deletion': {
      const deletion = await deletions.findById(asked.tenantId);
      if (!deletion) return complain('There is no deletion of this workspace.');
      print(JSON.stringify(deletion, null, 2));
      return 0;
    }
    case 'resolve_deletion':
      return resolveOffline(
        deletionInvestigation,
        { deletions, clock, retryPolicy: patience },
        { ...deletionInWords(asked.yes), request: asked.request },
        work,
      );
  }
}

const deletionInWords = (yes: boolean) => ({
  yes,
  idName: 'tenant id',
  describe: async ({ record }: { readonly record: Deletion }) => JSON.stringify(record, null, 2),
  becomes: deletionBecomes,
  statusOf: ({ status }: Deletion) => status,
});

async function list(reads: ReadPorts, json: boolean, { print }: Terminal): Promise<number> {
  const { attempts, total } = await listUnresolved(reads);
  if (json) {
    print(JSON.stringify({ attempts, total }, null, 2));
    return 0;
  }
  for (const { createdAt, tenantId, status, planId, executor, lastError } of attempts)
    print([createdAt, tenantId, status, planId, `executor ${executor.state}`, lastError?.message ?? ''].join('  '));
  print(`${attempts.length} of ${total} unresolved attempts shown`);
  return 0;
}

async function resolve(
  asked: Extract<OpsCommand, { kind: 'apply' | 'resolve' }>,
  work: OfflineWork,
  collections: ProvisioningCollections,
  show: (id: string) => Promise<string>,
): Promise<number> {
  const { store, clock, terminal, people } = work;
  const ports: ResolvePorts = {
    ...collections,
    provider: work.provider,
    providerNow: work.providerNow,
    clock,
    databaseNow: () => store.now(),
    limits: noLimits,
    retryPolicy: patience,
    mutex: createKeyedMutex(),
    log: silentLog,
  };
  const inWords = {
    yes: asked.yes,
    idName: 'tenant id',
    describe: ({ record }: { readonly record: Attempt }) => show(record._id),
    becomes: ({ resolution }: { readonly resolution: Parameters<typeof attemptBecomes>[0] }) =>
      attemptBecomes(resolution),
    statusOf: ({ status }: Attempt) => status,
  };
  if (asked.kind === 'resolve')
    return resolveOffline(attemptInvestigation, ports, { ...inWords, request: asked.request }, work);
  const proposals = { people, clock, schema: signedProposalSchema };
  const read = await readAppliedProposal(asked.applied, asked.about, proposals);
  if (!read.ok) return terminal.complain(read.error);
  return asked.about === 'deletion'
    ? resolveProven(deletionInvestigation, ports, { ...deletionInWords(asked.yes), ...read.value }, work)
    : resolveProven(attemptInvestigation, ports, { ...inWords, ...read.value }, work);
}

async function perform(asked: OpsCommand, work: OfflineWork): Promise<number> {
  const { store, clock, terminal } = work;
  const { print, complain } = terminal;
  const collections = collectionsOf(store);
  const reads: ReadPorts = {
    ...collections,
    askExecutors: askOffLine(store.collection(incarnationsCollection)),
  };
  const show = async (id: string) => JSON.stringify(await readAttempt(reads, id), null, 2);
  switch (asked.kind) {
    case 'list':
      return list(reads, asked.json, terminal);
    case 'show': {
      if (!(await reads.attempts.findById(asked.attemptId))) return complain('There is no such provisioning attempt.');
      print(await show(asked.attemptId));
      return 0;
    }
    case 'list_deletions':
    case 'show_deletion':
    case 'resolve_deletion':
      return workOnDeletions(asked, collections.deletions, work);
    case 'list_events':
    case 'show_event':
    case 'apply_event':
    case 'resolve_event':
      return runEventCommand(asked, work, reads.askExecutors);
    case 'gone': {
      const boots = store.collection(incarnationsCollection);
      return recordInstanceGone(
        { boots, ask: reads.askExecutors, clock, people: work.people, terminal },
        asked.request,
      );
    }
    case 'apply':
    case 'resolve':
      return resolve(asked, work, collections, show);
  }
}

runOffline({
  command,
  database: 'provisioning',
  schemaSteps,
  trails: {
    provisioning: (store, expectedHash) => verifyTrail(attemptTrail(store), expectedHash),
    'provisioning-events': (store, expectedHash) => verifyTrail(eventTrail(store), expectedHash),
    'provisioning-instances': (store, expectedHash) => verifyTrail(instanceTrail(store), expectedHash),
  },
  ask: opsCommandOf,
  work: perform,
});
