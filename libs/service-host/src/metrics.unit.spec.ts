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

  it('leaves out a figure that cannot be read, and shows it again when it can', async () => {
    const metrics = createMetrics({ service: 's' });
    let away = true;
    metrics.observedGauge({ name: 'waiting', help: 'Asks the store.' }, async () => {
      if (away) throw new Error('the store is unreachable');
      return 3;
    });
    metrics.gauge({ name: 'in_flight', help: 'In flight.' }).set({}, 5);
    const text = await metrics.text();
    expect(text).toContain('in_flight{service="s"} 5');
    expect(text).not.toMatch(/^waiting/m);
    away = false;
    expect(await metrics.text()).toContain('waiting{service="s"} 3');
  });

  it('waits a bounded time for a figure', async () => {
    jest.useFakeTimers();
    try {
      const metrics = createMetrics({ service: 's' });
      metrics.observedGauge({ name: 'waiting', help: 'Asks the store.' }, () => new Promise(() => undefined));
      const text = metrics.text();
      await jest.advanceTimersByTimeAsync(2_000);
      expect(await text).not.toMatch(/^waiting/m);
    } finally {
      jest.useRealTimers();
    }
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
