/** `npm run ops` for provisioning attempts: investigations off-line, with database credentials and without any effect. */
import { setTimeout as delay } from 'node:timers/promises';
import { resolveOffline, runOffline, type OfflineWork } from '@platform/durable/investigation';
import { incarnationsCollection, instanceTrail } from '@platform/durable/boot';
import { askOffLine, recordInstanceGone } from '@platform/durable/executors';
import { verifyTrail } from '@platform/durable/trail';
import { silentLog } from '@platform/kernel';
import { opsCommandOf, type OpsCommand } from './cli/arguments';
import { runEventCommand } from './cli/event-commands';
import command from './cli/ops.command.cjs';
import { attemptTrail, eventTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { collectionsOf, createKeyedMutex } from './workflows/ports';
import { listUnresolved, readAttempt, type ReadPorts } from './workflows/read-attempts';
import { attemptInvestigation, type ResolvePorts } from './workflows/resolve-attempt';

/** A resolution takes no reservation, so no limit decides anything. */
const noLimits = {
  freeWorkspacesPerCard: 0,
  trialDays: 0,
  creationsPerUser: 0,
  creationWindowMs: 0,
  listenerTimeoutMs: 0,
};

async function work(asked: OpsCommand, work: OfflineWork): Promise<number> {
  const { store, clock, terminal } = work;
  const { print, complain } = terminal;
  const collections = collectionsOf(store);
  const reads: ReadPorts = {
    ...collections,
    askExecutors: askOffLine(store.collection(incarnationsCollection)),
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
    case 'show_event':
    case 'resolve_event':
      return runEventCommand(asked, work, reads.askExecutors);
    case 'gone': {
      const boots = store.collection(incarnationsCollection);
      return recordInstanceGone({ boots, ask: reads.askExecutors, clock, terminal }, asked.request);
    }
    case 'resolve': {
      const ports: ResolvePorts = {
        ...collections,
        provider: work.provider,
        providerNow: work.providerNow,
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
        work,
      );
    }
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
  work,
});
