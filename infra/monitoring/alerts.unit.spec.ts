/** The rules of this page are made to fire: each by the figures of its trouble, and by none of a healthy platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import offlineCommands from '../ops/ops.command.cjs';

/** How the rules begin a line: Prometheus fills in what its configuration names as `external_labels.ops_command`. */
const opsCommand = '{{ $externalLabels.ops_command }}';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly action: string };
}
interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const rules = (
  parse(readFileSync(join(__dirname, 'alerts.yaml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: Rule[] }[];
  }
).groups.flatMap((group) => group.rules);

/** The part of the query language that thresholds need: `max|min|sum [by (…)] (name) > number`. */
function fires({ expr }: Rule, series: readonly Series[]): boolean {
  const read = /^(max|min|sum)(?: by \(([^)]*)\))? ?\((\w+)\) ([<>]) ([\d.]+)$/.exec(expr);
  if (!read) throw new Error(`not a threshold: ${expr}`);
  const [, aggregate, by = '', name, comparison, bound] = read;
  const labels = by.split(',').map((each) => each.trim());
  const groups = new Map<string, number[]>();
  for (const each of series.filter((one) => one.name === name)) {
    const key = labels.map((label) => each.labels[label] ?? '').join('/');
    groups.set(key, [...(groups.get(key) ?? []), each.value]);
  }
  const value = (values: readonly number[]) =>
    aggregate === 'sum'
      ? values.reduce((all, one) => all + one, 0)
      : aggregate === 'max'
        ? Math.max(...values)
        : Math.min(...values);
  return [...groups.values()].some((values) =>
    comparison === '>' ? value(values) > Number(bound) : value(values) < Number(bound),
  );
}

const at = (instance: string, name: string, value: number): Series => ({
  name,
  labels: { service: instance.replace(/-\d+$/, ''), instance },
  value,
});

/** Figures of two replicas, one of which sees the trouble. */
const troubles: Readonly<Record<string, readonly [name: string, healthy: number, troubled: number]>> = {
  OperationOutcomeUnknown: ['operations_reconciliation_required', 0, 1],
  OperationOutcomeUnknownForLong: ['operations_reconciliation_required_oldest_seconds', 60, 15_000],
  ProvisioningOutcomeUnknown: ['provisioning_attempts_reconciliation_required', 0, 1],
  WebhookOutcomeUnknown: ['webhook_events_reconciliation_required', 0, 1],
  MigrationStopped: ['migrations_reconciliation_required', 0, 1],
  WorkInterrupted: ['operations_interrupted', 0, 1],
  CreationInterrupted: ['creations_interrupted', 0, 2],
  OutcomeUnrecorded: ['outcomes_unrecorded', 0, 1],
  LifecycleDeliveriesFailing: ['lifecycle_deliveries_failed', 0, 1],
  LifecycleDeliveriesWaiting: ['lifecycle_deliveries_waiting', 0, 3],
  DeadLettersOpen: ['dead_letters_open', 0, 1],
  ResolutionContradicted: ['resolutions_contradicted', 0, 1],
  WebhookEventsWaiting: ['webhook_events_pending_oldest_seconds', 5, 1_000],
  StreamsMissing: ['broker_streams_missing', 0, 1],
  ConsumersQuiet: ['broker_consumers_quiet', 0, 1],
  OutboxNotDraining: ['outbox_waiting', 3, 101],
};

describe.each(Object.entries(troubles))('the alert %s', (alert, [name, healthy, troubled]) => {
  const rule = rules.find((each) => each.alert === alert);

  it('fires for one replica that sees its trouble, and for no healthy platform', () => {
    expect(rule).toBeDefined();
    expect(fires(rule!, [at('operator-1', name, healthy), at('operator-2', name, healthy)])).toBe(false);
    expect(fires(rule!, [at('operator-1', name, healthy), at('operator-2', name, troubled)])).toBe(true);
  });
});

describe('alerts of states that need a person', () => {
  it('name the line to run', () => {
    for (const alert of [
      'WorkInterrupted',
      'CreationInterrupted',
      'OutcomeUnrecorded',
      'DeadLettersOpen',
      'WebhookEventsWaiting',
    ])
      expect(rules.find((each) => each.alert === alert)?.annotations.action).toContain(opsCommand);
  });

  it('name it as it is run in this deployment, with a command that there is', () => {
    const actions = rules.map(({ annotations }) => annotations.action);
    expect(actions.filter((action) => action.includes('npm run'))).toEqual([]);
    const lines = actions.flatMap((action) => action.split(opsCommand).slice(1));
    expect(lines.length).toBeGreaterThan(5);
    const known = Object.keys(offlineCommands.commands);
    expect(lines.filter((line) => !known.some((name) => line.startsWith(` ${name}`)))).toEqual([]);
  });
});
