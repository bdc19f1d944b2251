/** `npm run ops` for provisioning attempts: investigations off-line, with database credentials and without any effect. */
import { setTimeout as delay } from 'node:timers/promises';
import { resolveOffline, runOffline, type OfflineWork, type Terminal } from '@platform/durable/investigation';
import { executorStateIn } from '@platform/durable/boot';
import { verifyTrail } from '@platform/durable/trail';
import { silentLog } from '@platform/kernel';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import command from './cli/ops.command.cjs';
import type { EventAdmission } from './domain/event-admission';
import { attemptTrail, eventTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { collectionsOf, createKeyedMutex, type ProvisioningCollections } from './workflows/ports';
import { listUnresolved, readAttempt, type ReadPorts } from './workflows/read-attempts';
import { admissionInvestigation } from './workflows/resolve-event-admission';
import { attemptInvestigation, type ResolvePorts } from './workflows/resolve-attempt';

/** A resolution takes no reservation, so no limit decides anything. */
const noLimits = {
  freeWorkspacesPerCard: 0,
  trialDays: 0,
  creationsPerUser: 0,
  creationWindowMs: 0,
  listenerTimeoutMs: 0,
};

type OpsReads = ReadPorts & Pick<ProvisioningCollections, 'admissions'>;

async function work(asked: OpsCommand, { store, clock, terminal }: OfflineWork): Promise<number> {
  const { print, complain } = terminal;
  const collections = collectionsOf(store);
  const reads: OpsReads = {
    ...collections,
    executorState: executorStateIn(store),
  };
  const show = async (id: string) => JSON.stringify(await readAttempt(reads, id), null, 2);
  switch (asked.kind) {
    case 'list': {
      const { attempts, total } = await listUnresolved(reads);
      if (asked.json) {
        print(JSON.stringify({ attempts, total }, null, 2));
        return 0;
      }
      for (const { createdAt, tenantId, status, planId, executor, lastError } of attempts)
        print([createdAt, tenantId, status, planId, `executor ${executor.state}`, lastError?.message ?? ''].join('  '));
      print(`${attempts.length} of ${total} unresolved attempts shown`);
      return 0;
    }
    case 'show': {
      if (!(await reads.attempts.findById(asked.attemptId))) return complain('There is no such provisioning attempt.');
      print(await show(asked.attemptId));
      return 0;
    }
    case 'list_events':
      return listEvents(reads, asked.json, terminal);
    case 'show_event': {
      const admission = await reads.admissions.findById(asked.eventId);
      if (!admission) return complain('Provisioning has admitted no such event.');
      print(JSON.stringify(await shownEvent(reads, admission), null, 2));
      return 0;
    }
    case 'resolve_event':
      return resolveOffline(
        admissionInvestigation,
        { ...collections, clock, retryPolicy: { tries: 5, pause: () => delay(500) } },
        {
          ...asked,
          idName: 'event id',
          describe: async ({ record }) => JSON.stringify(await shownEvent(reads, record), null, 2),
          becomes: ({ resolution }) =>
            `The event becomes completed (${resolution.outcome === 'applied' ? 'success' : 'skipped'}). Nothing is sent; the receiver is told when it sends the event again.`,
          statusOf: ({ status }) => status,
        },
        terminal,
      );
    case 'resolve': {
      const ports: ResolvePorts = {
        ...collections,
        clock,
        databaseNow: () => store.now(),
        limits: noLimits,
        retryPolicy: { tries: 5, pause: () => delay(500) },
        mutex: createKeyedMutex(),
        log: silentLog,
      };
      return resolveOffline(
        attemptInvestigation,
        ports,
        {
          ...asked,
          idName: 'tenant id',
          describe: ({ record }) => show(record._id),
          becomes: ({ resolution }) =>
            `The attempt becomes ${resolution.outcome === 'applied' ? 'committed' : 'cancelled'}. Nothing is sent to the payment provider or to listeners.`,
          statusOf: ({ status }) => status,
        },
        terminal,
      );
    }
  }
}

const listed = 100;

async function shownEvent({ executorState }: OpsReads, admission: EventAdmission): Promise<object> {
  const { _id: eventId, outbox: _outbox, revision: _revision, ...rest } = admission;
  const { instance, incarnation } = admission.executor;
  return { eventId, ...rest, executor: { instance, incarnation, state: await executorState(incarnation) } };
}

async function listEvents(reads: OpsReads, json: boolean, { print }: Terminal): Promise<number> {
  const pending = { status: 'pending' };
  const events = await reads.admissions.find(pending, { sort: { createdAt: 1, _id: 1 }, limit: listed });
  const total = await reads.admissions.count(pending);
  if (json)
    print(JSON.stringify({ events: await Promise.all(events.map((each) => shownEvent(reads, each))), total }, null, 2));
  else {
    for (const { createdAt, _id, type, executor } of events)
      print([createdAt.toISOString(), _id, type, `${executor.instance} (${executor.incarnation})`].join('  '));
    print(`${events.length} of ${total} events without an outcome shown`);
  }
  return 0;
}

runOffline({
  command,
  database: 'provisioning',
  schemaSteps,
  trails: {
    provisioning: (store, expectedHash) => verifyTrail(attemptTrail(store), expectedHash),
    'provisioning-events': (store, expectedHash) => verifyTrail(eventTrail(store), expectedHash),
  },
  ask: opsCommandOf,
  work,
});
