/** Composes the intake of dead letters: a record with its alert for each, and metrics of those that are open. */
import type { StartedService } from '@platform/durable/boot';
import type { OutboxEntry } from '@platform/kernel';
import type { Config } from './config';
import { deadLettersCollection } from './dead-letters/store/dead-letters';
import { createLetterWatch } from './dead-letters/workflows/take-in-letters';

const lookEveryMs = 10_000;

export async function composeDeadLetters(service: StartedService<Config>): Promise<void> {
  const { store, messaging, metrics, clock, log } = service;
  const letters = store.collection(deadLettersCollection);
  const relay = await service.openRelay('outbox relay of dead letters', { letters: letters.outbox });
  relay.start();
  metrics.observedGauge(
    { name: 'dead_letters_open', help: 'Messages that no reader will ever take and no person has ended.' },
    () => letters.count({ status: 'open' }),
  );
  const passedOver = metrics.counter({
    name: 'dead_letters_passed_over_total',
    help: 'Dead letters without a record, because their reader has 1,000 open ones.',
    labels: ['reader'],
  });
  const dropped = metrics.counter({
    name: 'dead_letters_dropped_total',
    help: 'Dead letters that the broker dropped before the gateway read them.',
  });
  const publishNow = (letterId: string, entries: readonly OutboxEntry[]) =>
    void relay.publishNow('letters', letterId, entries);
  const look = createLetterWatch({
    letters,
    messaging,
    publishNow,
    passedOver: (reader) => passedOver.add({ reader }),
    dropped: (count) => dropped.add({}, count),
    service: service.service,
    clock,
    log,
  });
  await service.repeat('dead letters', lookEveryMs, look);
}
