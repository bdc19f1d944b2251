/**
 * The register of a process's work: other processes may query it, and signs of life are written to the register of
 * boots. An outcome that the store does not accept becomes a metric, an error in the log and an alert that bypasses the
 * outbox, because the outbox entry cannot be written either.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { alertEntry, backoffMs, opsLine, type OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { RegisteredIncarnation, ServiceContext } from '@platform/service-host';
import { beyondPatienceMs, createWorkRegister, workEndpoint, type WorkRegister, type WorkUnderWay } from '../executors';
import type { ConnectionConfig } from './connections';

const defaultTries = 60;
const alertsEveryMs = 2_000;
const heartbeatEveryMs = 15_000;

/** Kinds of work in the words of the work queue, by the collection of their records. */
const kinds: Readonly<Record<string, string>> = {
  operations: 'operation',
  plan_migrations: 'migration',
  plan_migration_items: 'migration_item',
  attempts: 'provisioning_attempt',
  provider_event_admissions: 'webhook_event',
};

type Repeat = (name: string, everyMs: number, work: () => Promise<unknown>) => Promise<void>;

export async function openWork<C extends ConnectionConfig>(
  { clock, log, executor, metrics, open, config, service }: ServiceContext<C>,
  messaging: Messaging,
  incarnation: RegisteredIncarnation,
  repeat: Repeat,
): Promise<WorkRegister> {
  let waiting: readonly OutboxEntry[] = [];
  const register = createWorkRegister({
    patience: {
      tries: config.JOURNAL_PATIENCE_TRIES ?? defaultTries,
      pause: (attempt) => delay(backoffMs(attempt, 200, 5_000)),
    },
    pauseBeyond: (tries) => delay(beyondPatienceMs(tries), undefined, { ref: false }),
    clock,
    log,
    onUnrecorded: (work) => {
      waiting = [...waiting, unrecordedAlert(service, executor.incarnation, work, clock.now())];
    },
  });
  await open('work under way', register, (opened) => opened.drained());
  metrics.observedGauge(
    { name: 'outcomes_unrecorded', help: 'Outcomes that this process knows and the store has not taken.' },
    () => register.unrecorded().length,
  );
  const description = 'Which work is under way in this process';
  const serving = messaging.serve({ name: service, version: '0.1.0', description }, [workEndpoint(executor, register)]);
  await open('questions about work', serving, (opened) => opened.close());
  await repeat('signs of life', heartbeatEveryMs, () => incarnation.heard());
  await repeat('alerts of unrecorded outcomes', alertsEveryMs, async () => {
    const done = new Set<OutboxEntry>();
    for (const alert of waiting) if ((await messaging.publish(alert)) === 'acknowledged') done.add(alert);
    waiting = waiting.filter((alert) => !done.has(alert));
  });
  return register;
}

function unrecordedAlert(
  service: string,
  incarnation: string,
  { key, unrecorded }: WorkUnderWay,
  at: Date,
): OutboxEntry {
  const [, collection = '', id = ''] = /^([^/]+)\/(.+)$/.exec(key) ?? [];
  const kind = kinds[collection] ?? collection;
  return alertEntry(
    {
      service,
      kind,
      id,
      tenantId: null,
      reason: `Its executor knows the outcome, and the store does not accept it (${unrecorded?.reason ?? 'no answer'}). It keeps trying as long as it runs.`,
      at,
      run: opsLine(`show ${kind.replaceAll('_', '-')} ${id}`),
    },
    `unrecorded:${incarnation}`,
  );
}
