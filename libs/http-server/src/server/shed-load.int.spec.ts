import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineRoute, reply } from '../route';
import { testServer } from './test-server';

const answerOf = (open: Promise<void>) => ({
  policy: 'public' as const,
  summary: 'Waits',
  responses: { 200: z.strictObject({}) },
  errors: [],
  handle: async () => {
    await open;
    return reply(200, {});
  },
});

describe('a server whose reads stand still', () => {
  it('refuses further reads at once and takes writes and probes; reads are taken again when answers come', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = defineRoute({ method: 'GET', path: '/slow', ...answerOf(released) });
    const write = defineRoute({ method: 'POST', path: '/write', ...answerOf(Promise.resolve()) });
    const server = testServer([slow, write], { shedsLoad: true });
    const ask = (method: string, url: string) => server.inject({ method, url });
    const waiting = Array.from({ length: 128 }, () => ask('GET', '/slow'));
    await delay(700);
    const begun = performance.now();
    const refused = await ask('GET', '/slow');
    expect(performance.now() - begun).toBeLessThan(500);
    expect([refused.status, refused.json()['code'], refused.headers['retry-after']]).toEqual([503, 'overloaded', '1']);
    expect((await ask('POST', '/write')).status).toBe(200);
    expect((await ask('GET', '/healthz')).status).toBe(200);
    expect((await ask('GET', '/nowhere')).status).toBe(404);
    release();
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ask('GET', '/slow')).status).toBe(200);
    await server.close();
  });

  it('counts no reader that has left', async () => {
    const never = defineRoute({ method: 'GET', path: '/never', ...answerOf(new Promise(() => undefined)) });
    const quick = defineRoute({ method: 'GET', path: '/quick', ...answerOf(Promise.resolve()) });
    const server = testServer([never, quick], { shedsLoad: true });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const leaving = new AbortController();
    const left = Array.from({ length: 128 }, () =>
      fetch(`${url}/never`, { signal: leaving.signal }).catch(() => undefined),
    );
    await delay(700);
    leaving.abort();
    await Promise.all(left);
    await delay(200);
    expect((await fetch(`${url}/quick`)).status).toBe(200);
    await server.close();
  });
});
