import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLog } from '@platform/kernel';
import { eventually } from '@platform/testing';
import { z } from 'zod';
import { defineRoute, reply, type Route } from '../route';
import type { HttpServerOptions } from './options';
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

interface Asking {
  readonly url: string;
  /** Returns the status, or 0 when the reader has left. */
  ask(path: string, caller?: string, leaving?: AbortController): Promise<number>;
}

/** Serves while `play` runs; then every reader leaves, so that nothing delays the end. */
async function serving(
  routes: readonly Route[],
  readWaitMs: number,
  play: (asking: Asking) => Promise<void>,
  more: Partial<HttpServerOptions> = {},
) {
  const server = testServer(routes, { shedsLoad: true, limits: { readWaitMs, connectionsPerAddress: 1_000 }, ...more });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const readers = new Set<AbortController>();
  const ask: Asking['ask'] = (path, caller = 'a', leaving = new AbortController()) => {
    readers.add(leaving);
    return fetch(url + path, { headers: { authorization: `Bearer ${caller}` }, signal: leaving.signal }).then(
      ({ status }) => status,
      () => 0,
    );
  };
  try {
    await play({ url, ask });
  } finally {
    readers.forEach((each) => each.abort());
    await server.close();
  }
}

/** On a busy machine a time may pass within one turn of the event loop, in which no closed connection is noticed. */
async function turnsOfTheLoop(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await delay(5);
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('a server whose reads do not progress', () => {
  it('refuses further reads at once and takes writes and probes; reads are taken again when answers come', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = defineRoute({ method: 'GET', path: '/slow', ...answerOf(released) });
    const write = defineRoute({ method: 'POST', path: '/write', ...answerOf(Promise.resolve()) });
    const server = testServer([slow, write], { shedsLoad: true });
    const ask = (method: string, url: string) => server.inject({ method, url });
    const waiting = Array.from({ length: 128 }, () => ask('GET', '/slow'));
    // On a busy machine the first reads may not have arrived yet. A read that is accepted now waits, and a refusal
    // comes at once.
    const refusal = async (): Promise<Awaited<ReturnType<typeof ask>>> =>
      (await Promise.race([ask('GET', '/slow'), delay(700, null)])) ?? refusal();
    await delay(700);
    const refused = await refusal();
    expect([refused.status, refused.json()['code'], refused.headers['retry-after']]).toEqual([503, 'overloaded', '1']);
    expect((await ask('POST', '/write')).status).toBe(200);
    expect((await ask('GET', '/healthz')).status).toBe(200);
    expect((await ask('GET', '/nowhere')).status).toBe(404);
    release();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    // Sixteen run at a time; a read that waits for its turn for half a second is refused.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(16);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect((await ask('GET', '/slow')).status).toBe(200);
    await server.close();
  });

  it('counts no reader that has left', async () => {
    const never = defineRoute({ method: 'GET', path: '/never', ...answerOf(new Promise(() => undefined)) });
    const quick = defineRoute({ method: 'GET', path: '/quick', ...answerOf(Promise.resolve()) });
    await serving([never, quick], 250, async ({ ask }) => {
      const leaving = new AbortController();
      const left = times(128, () => ask('/never', 'a', leaving));
      await delay(700);
      leaving.abort();
      await Promise.all(left);
      await eventually(async () => (await ask('/quick')) === 200, { describe: 'a read after the others have left' });
    });
  });

  it('runs few of them at a time, and none for a reader who has left while it waited', async () => {
    const seen: string[] = [];
    const ends: (() => void)[] = [];
    const counted = defineRoute({
      method: 'GET',
      path: '/counted/:name',
      ...answerOf(Promise.resolve()),
      params: z.object({ name: z.string() }),
      handle: async ({ params }) => {
        seen.push(params.name);
        if (params.name === 'runs') await new Promise<void>((resolve) => ends.push(resolve));
        return reply(200, {});
      },
    });
    await serving([counted], 60_000, async ({ ask }) => {
      const running = times(16, () => ask('/counted/runs'));
      await eventually(() => seen.length === 16, { describe: 'sixteen reads run' });
      const leaving = new AbortController();
      const leavers = times(30, () => ask('/counted/leaves', 'a', leaving));
      await turnsOfTheLoop();
      leaving.abort();
      await Promise.all(leavers);
      const last = ask('/counted/waits');
      await turnsOfTheLoop();
      expect(seen).toEqual(times(16, () => 'runs'));
      ends.forEach((end) => end());
      expect(new Set(await Promise.all([...running, last]))).toEqual(new Set([200]));
      expect(seen.slice(16)).toEqual(['waits']);
    });
  });

  it('gives the turn of a reader who has left to no other while the work goes on', async () => {
    const ends: (() => void)[] = [];
    const works = defineRoute({
      method: 'GET',
      path: '/works',
      ...answerOf(Promise.resolve()),
      handle: async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return reply(200, {});
      },
    });
    await serving([works], 60_000, async ({ ask }) => {
      for (let round = 0; round < 4; round += 1) {
        const leaving = new AbortController();
        const asked = times(16, () => ask('/works', 'a', leaving));
        await eventually(() => ends.length >= 16, { describe: 'sixteen reads run' });
        await turnsOfTheLoop();
        leaving.abort();
        await Promise.all(asked);
        // Afterwards the server knows which readers have left.
        await turnsOfTheLoop();
        expect(await ask('/healthz')).toBe(200);
      }
      const last = ask('/works');
      await turnsOfTheLoop();
      expect(ends).toHaveLength(16);
      ends.splice(0).forEach((end) => end());
      await eventually(() => ends.length === 1, { describe: 'the read that waited runs' });
      ends.forEach((end) => end());
      expect(await last).toBe(200);
    });
  });

  it('refuses a read that was accepted and has waited too long for its turn, and has it count as no answer', async () => {
    const ends: (() => void)[] = [];
    const works = defineRoute({
      method: 'GET',
      path: '/works',
      ...answerOf(Promise.resolve()),
      handle: async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return reply(200, {});
      },
    });
    const lines: [string, unknown][] = [];
    const line = (fields: unknown, message: string) => void lines.push([message, fields]);
    const log = { ...silentLog, info: line, warn: line };
    await serving(
      [works],
      1_000,
      async ({ ask }) => {
        const begun = performance.now();
        const asked = times(64, () => ask('/works'));
        await eventually(() => ends.length >= 16, { describe: 'sixteen reads run' });
        const refused = asked.map((each) => each.then((status) => status === 503));
        await eventually(async () => (await Promise.race([...refused, delay(50, false)])) === true, {
          describe: 'a refusal of a read that waits',
        });
        const releasing = setInterval(() => ends.splice(0).forEach((end) => end()), 10);
        const statuses = await Promise.all(asked);
        clearInterval(releasing);
        expect(new Set(statuses)).toEqual(new Set([200, 503]));
        const count = statuses.filter((status) => status === 503).length;
        const saidOf = () => lines.filter(([message]) => message.startsWith('requests were refused'));
        // What is refused after a line is said by the next one, a second later.
        await eventually(
          () => saidOf().reduce((sum, [, fields]) => sum + (fields as { refused: number }).refused, 0) === count,
          { describe: `lines about ${count} refusals` },
        );
        const seconds = Math.ceil((performance.now() - begun) / 1_000);
        // One log line a second, and none for each refusal: a quiet machine refuses about thirty within one second.
        expect(saidOf().length).toBeLessThanOrEqual(seconds);
        expect(lines.filter(([, fields]) => (fields as { code?: string }).code === 'overloaded')).toEqual([]);
      },
      { log },
    );
  });

  it('answers a person while the reads of another caller do not progress', async () => {
    const never = defineRoute({ method: 'GET', path: '/never', ...answerOf(new Promise(() => undefined)) });
    const quick = defineRoute({ method: 'GET', path: '/quick', ...answerOf(Promise.resolve()) });
    await serving([never, quick], 5_000, async ({ ask }) => {
      let refused = 0;
      for (const asked of times(200, () => ask('/never', 'flood')))
        void asked.then((status) => (refused += Number(status === 503)));
      await eventually(() => refused >= 72, { describe: 'the flood is refused' });
      expect(await ask('/quick', 'flood')).toBe(503);
      expect(await ask('/quick', 'person')).toBe(200);
    });
  });

  it('counts no answer that its reader does not read', async () => {
    let answers = 0;
    const large = defineRoute({
      method: 'GET',
      path: '/large',
      ...answerOf(Promise.resolve()),
      responses: { 200: z.strictObject({ text: z.string() }) },
      handle: async () => {
        answers += 1;
        return reply(200, { text: 'x'.repeat(8_000_000) });
      },
    });
    const quick = defineRoute({ method: 'GET', path: '/quick', ...answerOf(Promise.resolve()) });
    await serving([large, quick], 250, async ({ ask, url }) => {
      const sockets = Array.from({ length: 64 }, (_each, at) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
        socket.on('error', () => undefined);
        socket.write(`GET /large HTTP/1.1\r\nhost: x\r\nauthorization: ${at}\r\n\r\n`);
        return socket;
      });
      await eventually(() => answers === 64, { describe: 'every answer is made' });
      await delay(2_200);
      expect(await ask('/quick', 'person')).toBe(200);
      for (const socket of sockets) socket.destroy();
    });
  });

  it('takes writes while bodies without number come slowly', async () => {
    const write = defineRoute({
      method: 'POST',
      path: '/write',
      ...answerOf(Promise.resolve()),
      body: z.strictObject({ text: z.string() }),
    });
    await serving([write], 250, async ({ url }) => {
      const sockets = Array.from({ length: 512 }, () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(
          'POST /write HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
        );
        return socket;
      });
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
      await delay(200);
      const answer = await fetch(`${url}/write`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"text":"a"}',
      });
      expect(answer.status).toBe(200);
      for (const socket of sockets) socket.destroy();
    });
  });
});
