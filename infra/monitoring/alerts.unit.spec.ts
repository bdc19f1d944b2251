/** Each alert rule fires on the metrics of its failure, and no rule fires on those of a healthy platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import offlineCommands from '../ops/ops.command.cjs';
import { fires, type Series } from './rule-evaluation';

/**
 * The beginning of a rule's description: Prometheus fills in the `external_labels.ops_command` of its configuration.
 */
const opsCommand = '{{ $externalLabels.ops_command }}';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly action: string };
}
const rules = (
  parse(readFileSync(join(__dirname, 'alerts.yaml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: Rule[] }[];
  }
).groups.flatMap((group) => group.rules);

const at = (instance: string, name: string, value: number): Series => ({
  name,
  labels: { service: instance.replace(/-\d+$/, ''), instance },
  value,
});

/** Metrics of two replicas, one of which has the fault. */
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
  BrokerStoresNothing: ['broker_publishes_unacknowledged_total', 0, 0.2],
  DeadLettersDropped: ['dead_letters_dropped_total', 0, 1],
  DeadLettersOpen: ['dead_letters_open', 0, 1],
  ResolutionContradicted: ['resolutions_contradicted', 0, 1],
  ProviderDiffers: ['reconciliation_differences_open', 0, 1],
  ReconciliationNotRun: ['reconciliation_behind_seconds', 90_000, 200_000],
  WebhookEventsWaiting: ['webhook_events_pending_oldest_seconds', 5, 1_000],
  StreamsMissing: ['broker_streams_missing', 0, 1],
  StreamCopiesMissing: ['broker_stream_copies_missing', 0, 2],
  StreamFilling: ['broker_stream_filled_ratio', 0.8, 0.81],
  CertificateEnding: ['broker_certificate_days_left', 30, 20],
  CertificateEnded: ['broker_certificate_days_left', 20, 2.9],
  StoreAway: ['store_away', 0, 1],
  RecordsSetAside: ['quarantined_records', 0, 1],
  BrokerAway: ['broker_away', 0, 1],
  DeletionStopped: ['deletions_reconciliation_required', 0, 1],
  ConsumerFloods: ['lifecycle_reports_passed_over_total', 0, 3],
  LifecycleReceiptsRefused: ['lifecycle_receipts_refused', 0, 2],
  WebhookOutboxNotDraining: ['webhook_outbox_waiting', 3, 101],
  WebhookEndpointEndangered: ['webhook_endpoint_hours_left', 60, 10],
  WebhooksRejected: ['webhooks_rejected_total', 0, 1],
  PageNotLoading: ['pages_not_loading', 0, 1],
  PageEditsNotServed: ['page_edits_not_served', 0, 1],
  EventLoopBlocked: ['nodejs_eventloop_lag_p99_seconds', 0.01, 0.8],
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

describe.each([
  ['DeadLettersDropped', 'dead_letters_dropped_total'],
  ['ConsumerFloods', 'lifecycle_reports_passed_over_total'],
])('the alert %s', (alert, name) => {
  it('fires for what a process counted before it was first read', () => {
    const rule = rules.find((each) => each.alert === alert)!;
    const count = (value: number) => ({ ...at('operator-2', name, value), isNew: true });
    expect(fires(rule, [at('operator-1', name, 0), count(0)])).toBe(false);
    expect(fires(rule, [at('operator-1', name, 0), count(5)])).toBe(true);
  });
});

describe('the alert of a service that is not read', () => {
  const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery', 'query-builder'];
  const silent = rules.filter(({ alert }) => alert.endsWith('Silent'));

  it.each(services)('fires when no series of %s is there, and while one replica is read it does not', (service) => {
    const others = services.filter((name) => name !== service);
    const series = (names: readonly string[]) => names.map((name) => at(`${name}-1`, 'process_start_time_seconds', 1));
    const firing = (names: readonly string[]) => silent.filter((rule) => fires(rule, series(names)));
    expect(firing(others)).toHaveLength(1);
    expect(firing(others)[0]?.expr).toContain(`"${service}"`);
    expect(firing(services)).toEqual([]);
  });
});

describe('the alert of an endpoint', () => {
  it.each(['failed', 'receipt_refused', 'unanswered', 'not_sent', 'gone'])('fires for POSTs that end %s', (outcome) => {
    const rule = rules.find(({ alert }) => alert === 'HttpEndpointFails')!;
    const series = (of: string, value: number): Series => ({
      name: 'lifecycle_http_posts_total',
      labels: { consumer: 'billing', outcome: of },
      value,
    });
    expect(fires(rule, [series('receipt', 5), series('test_receipt', 1), series(outcome, 0)])).toBe(false);
    expect(fires(rule, [series('receipt', 5), series(outcome, 0.1)])).toBe(true);
  });
});

describe('alerts of the gateway', () => {
  const ruleOf = (alert: string): Rule => rules.find((each) => each.alert === alert)!;
  const bucket = (le: string, value: number, route = '/api/saas/plans'): Series => ({
    name: 'http_server_request_duration_seconds_bucket',
    labels: { le, route, service: 'operator' },
    value,
  });

  it('fire when one request of twenty takes ten seconds, and not for slow pages of other routes', () => {
    const slow = [bucket('1', 95), bucket('10', 100), bucket('+Inf', 100)];
    const quick = [bucket('1', 100), bucket('10', 100), bucket('+Inf', 100)];
    expect(fires(ruleOf('GatewaySlow'), slow)).toBe(true);
    expect(fires(ruleOf('GatewaySlow'), quick)).toBe(false);
    expect(
      fires(ruleOf('GatewaySlow'), [...quick, ...slow.map((one) => bucket(one.labels['le']!, one.value, '/console'))]),
    ).toBe(false);
  });

  it('do not fire for deliveries of the provider, which wait for their outcome longer than that', () => {
    const quick = [bucket('1', 100), bucket('10', 100), bucket('+Inf', 100)];
    const waiting = [bucket('1', 0), bucket('10', 100), bucket('+Inf', 100)].map((one) => ({
      ...one,
      labels: { ...one.labels, service: 'billing-webhook', route: '/api/saas/webhooks/payment-provider' },
    }));
    expect(fires(ruleOf('GatewaySlow'), [...quick, ...waiting])).toBe(false);
  });
});

describe('the alert of pages', () => {
  it('fires when more than one request of twenty fails', () => {
    const rule = rules.find(({ alert }) => alert === 'PagesFail')!;
    const requests = (service: string, status: string, value: number): Series => ({
      name: 'http_server_request_duration_seconds_count',
      labels: { service, status },
      value,
    });
    const failing = (count: number) => fires(rule, [requests('query-builder', '500', count), ok, elsewhere]);
    const ok = requests('query-builder', '200', 95);
    const elsewhere = requests('operator', '503', 100);
    expect([failing(0), failing(5), failing(6)]).toEqual([false, false, true]);
  });
});

describe.each([
  ['Gateway', 'operator'],
  ['Webhooks', 'billing-webhook'],
])('the service level of %s', (prefix, service) => {
  /** This many of 10,000 requests in the range fail. */
  const failing = (count: number, range: string, of = service): Series[] =>
    [['200', 10_000 - count] as const, ['503', count] as const].map(([status, value]) => ({
      name: 'http_server_request_duration_seconds_count',
      labels: { status, service: of },
      value,
      range,
    }));

  it.each([
    ['BurnsFast', '1h', '5m', 144],
    ['BurnsSlowly', '6h', '30m', 60],
    ['BurnsLong', '3d', '6h', 10],
  ])(
    '%s fires over %s and %s, and not for what has ended, has just begun, or is of another service',
    (name, long, short, bound) => {
      const rule = rules.find(({ alert }) => alert === `${prefix}${name}`)!;
      const over = (inLong: number, inShort: number, of = service) =>
        fires(rule, [
          ...failing(inLong, long, of),
          ...failing(inShort, short, of),
          ...failing(0, long),
          ...failing(0, short),
        ]);
      expect(fires(rule, [...failing(bound + 1, long), ...failing(bound + 1, short)])).toBe(true);
      expect(fires(rule, [...failing(bound, long), ...failing(bound, short)])).toBe(false);
      expect(fires(rule, [...failing(10_000, long), ...failing(0, short)])).toBe(false);
      expect(fires(rule, [...failing(0, long), ...failing(10_000, short)])).toBe(false);
      expect(over(10_000, 10_000, 'query-builder')).toBe(false);
    },
  );
});

it('leaves no rule of the file without a test that makes it fire', () => {
  const elsewhere = /^GatewaySlow$|^PagesFail$|^HttpEndpointFails$|^(Gateway|Webhooks)Burns(Fast|Slowly|Long)$/;
  const untested = rules.filter(
    ({ alert }) => !(alert in troubles) && !elsewhere.test(alert) && !alert.endsWith('Silent'),
  );
  expect(untested.map(({ alert }) => alert)).toEqual([]);
});

describe('alerts of states that need a person', () => {
  it('name the line to run', () => {
    for (const alert of [
      'MigrationStopped',
      'WorkInterrupted',
      'WebhookEndpointEndangered',
      'CreationInterrupted',
      'OutcomeUnrecorded',
      'DeadLettersOpen',
      'WebhookEventsWaiting',
    ])
      expect(rules.find((each) => each.alert === alert)?.annotations.action).toContain(opsCommand);
  });

  it('name for interrupted work of each kind where it is listed', () => {
    const action = rules.find(({ alert }) => alert === 'WorkInterrupted')?.annotations.action;
    for (const place of ['Interrupted', 'list --status running', 'migration list']) expect(action).toContain(place);
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
