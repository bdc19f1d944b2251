/** What `npm run ops` does about provider events that provisioning admitted: lists, shows, and records their ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { resolveOffline, type OfflineWork, type Terminal } from '@platform/durable/investigation';
import type { EventAdmission } from '../domain/event-admission';
import type { AskExecutors } from '@platform/durable/executors';
import { collectionsOf, type ProvisioningCollections } from '../workflows/ports';
import { admissionInvestigation } from '../workflows/resolve-event-admission';
import { admissionKey } from '../workflows/work-keys';
import type { EventCommand } from './arguments';

interface Reads extends Pick<ProvisioningCollections, 'admissions'> {
  readonly askExecutors: AskExecutors;
}

const listed = 100;

/** Does what was asked for; answers the exit code. */
export async function runEventCommand(
  asked: EventCommand,
  work: OfflineWork,
  askExecutors: AskExecutors,
): Promise<number> {
  const { store, clock, terminal } = work;
  const { admissions, attempts } = collectionsOf(store);
  const reads: Reads = { admissions, askExecutors };
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
        { admissions, attempts, provider: work.provider, clock, retryPolicy: { tries: 5, pause: () => delay(500) } },
        {
          ...asked,
          idName: 'event id',
          describe: async ({ record }) => JSON.stringify(await shown(reads, record), null, 2),
          becomes: ({ resolution }) =>
            `The event becomes completed (${resolution.outcome === 'applied' ? 'success' : 'skipped'}). Nothing is sent; the receiver gets the outcome when it sends the event again.`,
          statusOf: ({ status }) => status,
        },
        work,
      );
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
