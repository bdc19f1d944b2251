/** Composes the metrics of creations, their provider calls and the messages that wait. */
import type { ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import type { ProvisioningPorts } from './workflows/ports';

type Context = ServiceContext<Config>;

export function createMeter(metrics: Context['metrics']): ProvisioningPorts['meter'] {
  const reached = metrics.counter({
    name: 'provisioning_attempts_total',
    help: 'Attempts by the status that they reached here.',
    labels: ['status'],
  });
  const calls = metrics.counter({
    name: 'provider_calls_total',
    help: 'Calls to the payment provider by step and outcome.',
    labels: ['step', 'outcome'],
  });
  return {
    attemptReached: (status) => reached.add({ status }),
    providerAnswered: (step, outcome) => calls.add({ step, outcome }),
  };
}

export function observe({ metrics }: Context, ports: ProvisioningPorts, underWay: () => number): void {
  metrics.observedGauge({ name: 'creations_under_way', help: 'Creations that this process is executing.' }, underWay);
  metrics.observedGauge(
    { name: 'outbox_waiting', help: 'Marker messages that no receiver has ended.' },
    async () => (await ports.markers.outbox.backlog()).count,
  );
  for (const status of ['calling', 'reconciliation_required'] as const) {
    metrics.observedGauge({ name: `deletions_${status}`, help: `Deletions of workspaces that are ${status}.` }, () =>
      ports.deletions.count({ status }),
    );
  }
  for (const status of ['preparing', 'awaiting_payment', 'reconciliation_required'] as const) {
    metrics.observedGauge({ name: `provisioning_attempts_${status}`, help: `Attempts that are ${status}.` }, () =>
      ports.attempts.count({ status }),
    );
  }
}
