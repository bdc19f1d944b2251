import { createMetrics } from '@platform/service-host/testing';
import { metricsOfWorkers, observePages } from './observe-pages';
import type { PageHealth } from './messages';

const healthy: PageHealth = { status: 'ok', pages: 3, loadedAt: '2026-01-01T00:00:00.000Z', reloads: 1, problems: [] };
const problem = { pageRef: 'shop/orders', file: 'page.ts', line: 1, message: 'broken', serving: 'nothing' } as const;

function setStage() {
  const state = { health: healthy, ping: async () => undefined as void, outage: async () => null as string | null };
  const metrics = createMetrics({ service: 'query-builder', instance: 'query-builder-1' });
  observePages(metrics, {
    tables: { ping: () => state.ping() },
    call: () => state.outage(),
    health: () => state.health,
  });
  const read = async (): Promise<Record<string, number>> => {
    const lines = (await metrics.text()).matchAll(/^(store_away|broker_away|pages?_\w+)\{.*\} (\d+)$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value]) => [name, Number(value)]));
  };
  return { state, read };
}

const sound = { store_away: 0, broker_away: 0, pages_served: 3, pages_not_loading: 0, page_edits_not_served: 0 };

describe('the metrics of pages', () => {
  it('show a service that serves every page', async () => {
    expect(await setStage().read()).toEqual(sound);
  });

  it('show a store and a broker that are unreachable', async () => {
    const { state, read } = setStage();
    state.ping = () => Promise.reject(new Error('unreachable'));
    state.outage = async () => 'not connected';
    expect(await read()).toEqual({ ...sound, store_away: 1, broker_away: 1 });
  });

  it('show pages that do not load, and edits that are not served', async () => {
    const { state, read } = setStage();
    state.health = { ...healthy, status: 'degraded', pages: 2, problems: [problem], failure: 'no memory' };
    expect(await read()).toEqual({ ...sound, pages_served: 2, pages_not_loading: 1, page_edits_not_served: 1 });
  });
});

describe('the metrics of several processes', () => {
  const processOf = (requests: number) => {
    const metrics = createMetrics({ service: 'query-builder' });
    metrics.counter({ name: 'requests_total', help: 'Requests.' }).add({}, requests);
    return metrics;
  };
  const linesOf = (text: string) => text.split('\n').filter((line) => line.startsWith('requests_total'));

  it('are those of all of them, each under its name', async () => {
    const all = { supervisor: await processOf(1).figures(), 7: await processOf(20).figures() };
    const shown = metricsOfWorkers(processOf(300), { call: async () => all, worker: '8' });
    expect(linesOf(await shown.text())).toEqual([
      'requests_total{service="query-builder",process="7"} 20',
      'requests_total{service="query-builder",process="supervisor"} 1',
    ]);
    expect((await shown.text()).match(/^# TYPE requests_total /gm)).toHaveLength(1);
    expect(await shown.text()).toMatch(/^process_start_time_seconds\{service="query-builder",process="7"\}/m);
  });

  it.each([
    ['does not answer', () => new Promise(() => undefined)],
    ['fails', () => Promise.reject(new Error('ended'))],
  ])('are those of the worker alone while its supervisor %s', async (_what, call) => {
    jest.useFakeTimers();
    try {
      const text = metricsOfWorkers(processOf(300), { call, worker: '8' }).text();
      await jest.advanceTimersByTimeAsync(1_500);
      expect(linesOf(await text)).toEqual(['requests_total{service="query-builder",process="8"} 300']);
    } finally {
      jest.useRealTimers();
    }
  });
});
