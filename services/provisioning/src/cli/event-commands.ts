/** What `npm run ops` does about provider events that provisioning admitted: lists, shows, and records their ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { resolveOffline, type OfflineWork, type Terminal } from '@platform/durable/investigation';
import type { EventAdmission } from '../domain/event-admission';
import { collectionsOf, type ProvisioningCollections } from '../workflows/ports';
import type { ReadPorts } from '../workflows/read-attempts';
import { admissionInvestigation } from '../workflows/resolve-event-admission';
import type { EventCommand } from './arguments';

interface Reads extends Pick<ProvisioningCollections, 'admissions'> {
  readonly executorState: ReadPorts['executorState'];
}

const listed = 100;

/** Does what was asked for; answers the exit code. */
export async function runEventCommand(
  asked: EventCommand,
  { store, clock, terminal }: OfflineWork,
  executorState: ReadPorts['executorState'],
): Promise<number> {
  const { admissions } = collectionsOf(store);
  const reads: Reads = { admissions, executorState };
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
      return resolveOffline(
        admissionInvestigation,
        { admissions, clock, retryPolicy: { tries: 5, pause: () => delay(500) } },
        {
          ...asked,
          idName: 'event id',
          describe: async ({ record }) => JSON.stringify(await shown(reads, record), null, 2),
          becomes: ({ resolution }) =>
            `The event becomes completed (${resolution.outcome === 'applied' ? 'success' : 'skipped'}). Nothing is sent; the receiver is told when it sends the event again.`,
          statusOf: ({ status }) => status,
        },
        terminal,
      );
  }
}

async function shown({ executorState }: Reads, admission: EventAdmission): Promise<object> {
  const { _id: eventId, outbox: _outbox, revision: _revision, ...rest } = admission;
  const { instance, incarnation } = admission.executor;
  return { eventId, ...rest, executor: { instance, incarnation, state: await executorState(incarnation) } };
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
