/**
 * The commands of `npm run ops` about provider events that provisioning admitted: list, show, and record their
 * resolutions.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { signedProposalSchema } from '@platform/contracts-provisioning';
import {
  readAppliedProposal,
  resolveOffline,
  resolveProven,
  type OfflineWork,
  type OutcomeProofs,
  type Terminal,
} from '@platform/durable/investigation';
import type { EventAdmission } from '../domain/event-admission';
import type { AskExecutors } from '@platform/durable/executors';
import { collectionsOf, type ProvisioningCollections } from '../workflows/ports';
import { admissionBecomes } from '../workflows/read-admission-resolution';
import { admissionInvestigation } from '../workflows/resolve-event-admission';
import { admissionKey } from '../workflows/work-keys';
import type { EventCommand } from './arguments';

interface Reads extends Pick<ProvisioningCollections, 'admissions'> {
  readonly askExecutors: AskExecutors;
}

const listed = 100;
const patience = { tries: 5, pause: () => delay(500) };

/** Runs the command; returns the exit code. */
export async function runEventCommand(
  asked: EventCommand,
  work: OfflineWork,
  askExecutors: AskExecutors,
): Promise<number> {
  const { store, clock, terminal } = work;
  const { admissions, attempts } = collectionsOf(store);
  const reads: Reads = { admissions, askExecutors };
  const ports = { admissions, attempts, provider: work.provider, clock, retryPolicy: patience };
  const inWords = {
    idName: 'event id',
    describe: async ({ record }: { readonly record: EventAdmission }) =>
      JSON.stringify(await shown(reads, record), null, 2),
    becomes: ({ resolution }: { readonly resolution: Pick<OutcomeProofs, 'outcome'> }) => admissionBecomes(resolution),
    statusOf: ({ status }: EventAdmission) => status,
  };
  switch (asked.kind) {
    case 'list_events':
      return list(reads, asked.json, terminal);
    case 'show_event': {
      const admission = await admissions.findById(asked.eventId);
      if (!admission) return terminal.complain('Provisioning has admitted no such event.');
      terminal.print(JSON.stringify(await shown(reads, admission), null, 2));
      return 0;
    }
    case 'resolve_event':
      return resolveOffline(admissionInvestigation, ports, { ...inWords, ...asked }, work);
    case 'apply_event': {
      const proposals = { people: work.people, clock, schema: signedProposalSchema };
      const read = await readAppliedProposal(asked.applied, 'event_admission', proposals);
      if (!read.ok) return terminal.complain(read.error);
      const { providerObject: _none, ...request } = read.value.request;
      const { differs } = read.value;
      return resolveProven(admissionInvestigation, ports, { ...inWords, yes: asked.yes, request, differs }, work);
    }
  }
}

async function shown({ askExecutors }: Reads, admission: EventAdmission): Promise<object> {
  const { _id: eventId, outbox: _outbox, revision: _revision, ...rest } = admission;
  const { executor } = admission;
  const [knowledge] = await askExecutors([{ key: admissionKey(eventId), executor, wroteAt: admission.updatedAt }]);
  return { eventId, ...rest, executor: { ...executor, ...knowledge } };
}

async function list(reads: Reads, json: boolean, { print }: Terminal): Promise<number> {
  const pending = { status: 'pending' };
  const found = await reads.admissions.find(pending, { sort: { createdAt: 1, _id: 1 }, limit: listed });
  const total = await reads.admissions.count(pending);
  if (json) {
    const events = await Promise.all(found.map((each) => shown(reads, each)));
    print(JSON.stringify({ events, total }, null, 2));
    return 0;
  }
  for (const { createdAt, _id, type, executor } of found)
    print([createdAt.toISOString(), _id, type, `${executor.instance} (${executor.incarnation})`].join('  '));
  print(`${found.length} of ${total} events without an outcome shown`);
  return 0;
}
