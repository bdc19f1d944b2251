/** Composes the metrics: received events, unresolved events, and how long the provider still repeats them. */
import type { ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import type { Meter, WebhookPorts } from './workflows/ports';
import { judgeOldest } from './workflows/watch-endpoint';

type Context = ServiceContext<Config>;

/** Metrics for operators: unresolved events, their age, and how long the provider still repeats them. */
export function observe({ metrics, clock, config }: Context, ports: WebhookPorts): void {
  for (const result of ['pending', 'reconciliation_required'] as const) {
    const oldest = async () => (await ports.events.find({ result }, { sort: { receivedAt: 1, _id: 1 }, limit: 1 }))[0];
    metrics.observedGauge({ name: `webhook_events_${result}`, help: `Events whose result is ${result}.` }, () =>
      ports.events.count({ result }),
    );
    metrics.observedGauge(
      { name: `webhook_events_${result}_oldest_seconds`, help: `Age of the oldest event whose result is ${result}.` },
      async () => {
        const event = await oldest();
        return event ? (clock.now().getTime() - event.receivedAt.getTime()) / 1_000 : 0;
      },
    );
  }
  metrics.observedGauge(
    { name: 'webhook_outbox_waiting', help: 'Events whose owner has not reported an outcome.' },
    async () => (await ports.events.outbox.backlog()).count,
  );
  metrics.observedGauge(
    {
      name: 'webhook_endpoint_hours_left',
      help: 'Hours until the provider gives up the oldest unresolved event; -1: none.',
    },
    async () => (await judgeOldest(ports, config.WEBHOOK_WARN_HOURS)).hoursLeft ?? -1,
  );
}

export function createMeter(metrics: Context['metrics']): Meter {
  const verified = metrics.counter({ name: 'webhooks_verified_total', help: 'Deliveries whose signature held.' });
  const rejected = metrics.counter({
    name: 'webhooks_rejected_total',
    help: 'Deliveries that were refused, by reason.',
    labels: ['reason'],
  });
  const duplicates = metrics.counter({
    name: 'webhook_duplicates_total',
    help: 'Deliveries of a recorded event, by its result then.',
    labels: ['result'],
  });
  const reached = metrics.counter({
    name: 'webhook_events_total',
    help: 'Events by the result that they reached here.',
    labels: ['result'],
  });
  const skew = metrics.histogram({
    name: 'webhook_clock_skew_seconds',
    help: "Our clock minus the signature's.",
    labels: [],
    buckets: [-60, -10, -1, 0, 1, 2, 5, 10, 30, 60, 300],
  });
  return {
    verified: () => verified.add(),
    rejected: (reason) => rejected.add({ reason }),
    duplicate: (result) => duplicates.add({ result }),
    reached: (result) => reached.add({ result }),
    clockSkew: (seconds) => skew.observe({}, seconds),
  };
}
