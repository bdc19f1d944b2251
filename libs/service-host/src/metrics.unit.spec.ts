import { createMetrics } from './metrics';

describe('metrics', () => {
  it('shows counters, gauges and histograms with the labels of the process', async () => {
    const metrics = createMetrics({ service: 'operator', instance: 'operator-1' });
    metrics
      .counter({ name: 'operations_total', help: 'Operations.', labels: ['action'] })
      .add({ action: 'suspend' }, 2);
    const gauge = metrics.gauge({ name: 'in_flight', help: 'In flight.' });
    gauge.set({}, 5);
    gauge.add({}, -2);
    metrics.observedGauge({ name: 'oldest_seconds', help: 'Age.' }, async () => 7);
    metrics.histogram({ name: 'took_seconds', help: 'Time.', buckets: [1, 2] }).observe({}, 1.5);
    const text = await metrics.text();
    expect(text).toContain('operations_total{action="suspend",service="operator",instance="operator-1"} 2');
    expect(text).toContain('in_flight{service="operator",instance="operator-1"} 3');
    expect(text).toContain('oldest_seconds{service="operator",instance="operator-1"} 7');
    expect(text).toMatch(/took_seconds_bucket\{le="2",[^}]*\} 1/);
  });

  it('holds the process and event-loop figures', async () => {
    const text = await createMetrics({ service: 's' }).text();
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('refuses a name that is taken', () => {
    const metrics = createMetrics({ service: 's' });
    metrics.counter({ name: 'a_total', help: 'A.' });
    expect(() => metrics.gauge({ name: 'a_total', help: 'A.' })).toThrow('a_total');
  });
});
