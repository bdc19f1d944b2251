/** Composes the metrics of operations, their provider calls and the rows that wait. */
import type { ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import type { OverduePolicy } from './operations/domain/due-end';
import type { Meter, OperatorPorts } from './operations/workflows/ports';

type Context = ServiceContext<Config>;

/** Metrics for operators: work under way, unknown outcomes and their age, and the rows that wait for their receiver. */
export function observe({ metrics, clock }: Context, ports: OperatorPorts, overdue: OverduePolicy): void {
  const oldestStop = async () =>
    (
      await ports.operations.find({ status: 'reconciliation_required' }, { sort: { createdAt: 1, _id: 1 }, limit: 1 })
    )[0];
  metrics.observedGauge({ name: 'workspaces_overdue', help: 'Workspaces with an overdue payment.' }, () =>
    ports.subscriptions.count({ overdueSince: { $exists: true } }),
  );
  metrics.observedGauge(
    {
      name: 'workspaces_overdue_past_grace',
      help: 'Workspaces whose payment is overdue for longer than OVERDUE_DAYS; 0 with OVERDUE_POLICY=none.',
    },
    async () => {
      if (overdue.then === 'none') return 0;
      const since = new Date((await ports.databaseNow()).getTime() - overdue.afterDays * 86_400_000);
      return ports.subscriptions.count({ overdueSince: { $lte: since } });
    },
  );
  metrics.observedGauge({ name: 'operations_under_way', help: 'Operations that this process is executing.' }, () =>
    ports.work.count(ports.operations.name),
  );
  metrics.observedGauge(
    { name: 'outbox_waiting', help: 'Outbox rows of operations that no receiver has ended.' },
    async () => (await ports.operations.outbox.backlog()).count,
  );
  metrics.observedGauge(
    { name: 'operations_reconciliation_required', help: 'Operations whose outcome is not known.' },
    () => ports.operations.count({ status: 'reconciliation_required' }),
  );
  metrics.observedGauge(
    {
      name: 'operations_reconciliation_required_oldest_seconds',
      help: 'Age of the oldest operation whose outcome is not known.',
    },
    async () => {
      const oldest = await oldestStop();
      return oldest ? (clock.now().getTime() - oldest.createdAt.getTime()) / 1_000 : 0;
    },
  );
}

export function createMeter(metrics: Context['metrics']): Meter {
  const operations = metrics.counter({
    name: 'operations_total',
    help: 'Operations by action and the status that they reached here.',
    labels: ['action', 'status'],
  });
  const calls = metrics.counter({
    name: 'provider_calls_total',
    help: 'Calls to the payment provider by step and outcome.',
    labels: ['step', 'outcome'],
  });
  return {
    operationReached: (action, status) => operations.add({ action, status }),
    providerAnswered: (step, outcome) => calls.add({ step, outcome }),
  };
}
