import { silentLog } from '@platform/kernel';
import { problem } from '../problem';
import type { HttpMetrics } from './options';
import { authorization, creditRoute, policyRoute, testServer } from './test-server';

class StoreAwayError extends Error {
  override name = 'StoreAwayError';
}

function createMetrics() {
  const observed: { labels: Readonly<Record<string, string>>; value: number }[] = [];
  const metrics: HttpMetrics = {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: async () => 'up 1\n',
    histogram: () => ({ observe: (labels, value) => void observed.push({ labels, value }) }),
  };
  return { metrics, observed };
}

describe('the operational addresses', () => {
  it('say that the process is alive', async () => {
    const server = testServer([]);
    const answer = await server.inject({ method: 'GET', url: '/healthz' });
    expect([answer.status, answer.json()]).toEqual([200, { status: 'alive', service: 'test', version: '1.2.3' }]);
    await server.close();
  });

  it('name what is not ready, without the message of an error', async () => {
    const server = testServer([], {
      limits: { readinessTimeoutMs: 10 },
      readiness: {
        broker: async () => undefined,
        topology: async () => 'stream LIFECYCLE is missing',
        store: async () => {
          throw new StoreAwayError('mongodb://user:canary@db');
        },
        silent: () => new Promise(() => undefined),
      },
    });
    const answer = await server.inject({ method: 'GET', url: '/readyz' });
    expect(answer.status).toBe(503);
    expect(answer.json()).toEqual({
      status: 'not_ready',
      checks: {
        broker: { ready: true },
        topology: { ready: false, reason: 'stream LIFECYCLE is missing' },
        store: { ready: false, reason: 'StoreAwayError' },
        silent: { ready: false, reason: 'no answer within 10 ms' },
      },
    });
    await server.close();
  });

  it('share one run of the checks among simultaneous requests', async () => {
    let runs = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const server = testServer([], {
      readiness: {
        store: () => {
          runs += 1;
          return finished;
        },
      },
    });
    const asked = Promise.all([1, 2, 3].map(() => server.inject({ method: 'GET', url: '/readyz' })));
    await server.inject({ method: 'GET', url: '/healthz' });
    finish();
    expect((await asked).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(runs).toBe(1);
    await server.close();
  });

  it('show the metrics, and each answer is observed by its route, not its address', async () => {
    const { metrics, observed } = createMetrics();
    const server = testServer([policyRoute('public')], { metrics });
    const answer = await server.inject({ method: 'GET', url: '/metrics' });
    expect([answer.headers['content-type'], answer.text]).toEqual([metrics.contentType, 'up 1\n']);
    await server.inject({ method: 'GET', url: '/api/public/acme' });
    await server.inject({ method: 'GET', url: '/api/nowhere' });
    expect(observed.map(({ labels }) => labels)).toEqual([
      { method: 'GET', route: '/metrics', status: '200' },
      { method: 'GET', route: '/api/public/:tenantId', status: '200' },
      { method: 'GET', route: 'unknown', status: '404' },
    ]);
    await server.close();
  });
});

describe('scrapes', () => {
  it('that arrive together, or soon after one another, share one reading', async () => {
    let readings = 0;
    const text = async () => `readings ${(readings += 1)}\n`;
    const server = testServer([], {
      metrics: { ...createMetrics().metrics, text },
      limits: { metricsFreshMs: 60_000 },
    });
    const scrape = () => server.inject({ method: 'GET', url: '/metrics' });
    const answers = await Promise.all(Array.from({ length: 30 }, scrape));
    expect(new Set([...answers, await scrape()].map((answer) => answer.text))).toEqual(new Set(['readings 1\n']));
    await server.close();
  });

  it('are read again after a reading that failed, and after their time', async () => {
    let readings = 0;
    const text = async () => {
      readings += 1;
      if (readings === 1) throw new Error('broken');
      return 'fine\n';
    };
    const server = testServer([], { metrics: { ...createMetrics().metrics, text }, limits: { metricsFreshMs: 1 } });
    const scrape = async () => (await server.inject({ method: 'GET', url: '/metrics' })).status;
    expect(await scrape()).toBe(500);
    while ((await scrape()) !== 200) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(readings).toBeGreaterThan(1);
    await server.close();
  });
});

describe('the log of requests', () => {
  it('has one line per answer with route, status, code and caller, and tells of undeclared codes', async () => {
    const lines: Record<string, unknown>[] = [];
    const say = (fields: object, message: string): void => void lines.push({ ...fields, message });
    const undeclared = { ...policyRoute('signed_in'), handle: async () => problem('already_suspended') };
    const server = testServer([undeclared], { log: { debug: say, info: say, warn: say, error: say } });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = {
      ...(await authorization({ subject: 'u-7' })),
      'request-id': 'request-7',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    };
    await server.inject({ method: 'GET', url: '/api/signed_in/acme', headers });
    await server.close();
    const route = '/api/signed_in/:tenantId';
    expect(lines).toEqual([
      {
        requestId: 'request-7',
        traceId,
        code: 'already_suspended',
        route,
        message: 'answered a code that the route does not declare',
      },
      {
        requestId: 'request-7',
        traceId,
        method: 'GET',
        route,
        status: 409,
        code: 'already_suspended',
        subject: 'u-7',
        milliseconds: expect.any(Number),
        message: 'answered',
      },
    ]);
  });
});

describe("a service's own errors", () => {
  it('are mapped by the service; what it does not map is a 500', async () => {
    const failing = { ...policyRoute('public'), handle: () => Promise.reject(new StoreAwayError('away')) };
    const unmapped = { ...failing, path: '/other', handle: () => Promise.reject(new Error('other')) };
    const server = testServer([failing, unmapped], {
      mapError: (error) =>
        error instanceof StoreAwayError ? problem('store_unavailable', { retryAfterSeconds: 1 }) : undefined,
    });
    const answer = await server.inject({ method: 'GET', url: '/api/public/acme' });
    expect(answer.json()).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect(answer.headers['retry-after']).toBe('1');
    expect((await server.inject({ method: 'GET', url: '/other' })).status).toBe(500);
    await server.close();
  });

  it('that are mapped to a code that does not exist are a 500', async () => {
    const failing = { ...policyRoute('public'), handle: () => Promise.reject(new StoreAwayError('away')) };
    const server = testServer([failing], { mapError: () => problem('no_such_code') });
    expect((await server.inject({ method: 'GET', url: '/api/public/acme' })).json()).toMatchObject({
      code: 'internal_error',
    });
    await server.close();
  });
});

describe('the description of the API', () => {
  const openapi = { title: 'Test', description: 'For tests.' };

  it('is served as a document and as a page that needs no other origin', async () => {
    const server = testServer([creditRoute], { openapi });
    const document = await server.inject({ method: 'GET', url: '/openapi.json' });
    expect(document.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Test', version: '1.2.3' } });
    const page = await server.inject({ method: 'GET', url: '/docs' });
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(page.headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source!);
    expect(sources.length).toBeGreaterThan(3);
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S|<style/);
    const [file] = sources as [string];
    const [whole, head] = [
      await server.inject({ method: 'GET', url: file }),
      await server.inject({ method: 'HEAD', url: file }),
    ];
    expect([head.text, head.headers['content-length']]).toEqual(['', whole.headers['content-length']]);
    expect(
      await server.inject({ method: 'GET', url: file, headers: { 'if-none-match': String(whole.headers['etag']) } }),
    ).toMatchObject({ status: 304, text: '' });
    expect((await server.inject({ method: 'GET', url: '/docs/static/none.js' })).json()).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect((await server.inject({ method: 'GET', url: '/docs/json' })).json()).toEqual(document.json());
    for (const source of sources) {
      expect(source).not.toMatch(/^(https?:)?\/\//);
      expect((await server.inject({ method: 'GET', url: new URL(source, 'http://test/docs').pathname })).status).toBe(
        200,
      );
    }
    await server.close();
  });

  it('is absent unless it is asked for', async () => {
    const server = testServer([creditRoute], { log: silentLog });
    expect((await server.inject({ method: 'GET', url: '/docs' })).status).toBe(404);
    expect((await server.inject({ method: 'GET', url: '/openapi.json', headers: await authorization() })).status).toBe(
      404,
    );
    await server.close();
  });
});
