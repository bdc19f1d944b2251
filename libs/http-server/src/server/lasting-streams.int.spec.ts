/** Streams of events, and callers who lose the right to read them. */
import { Readable } from 'node:stream';
import { eventually } from '@platform/testing';
import { z } from 'zod';
import type { Caller } from '../auth/claims';
import { defineRoute, reply } from '../route';
import type { HttpServer } from './options';
import { testServer } from './test-server';

const live = defineRoute({
  method: 'GET',
  path: '/live',
  policy: 'staff',
  summary: 'Ticks without end',
  produces: 'text/event-stream',
  responses: { 200: z.unknown() },
  errors: [],
  handle: async () => {
    const stream = new Readable({ read: () => undefined });
    const ticking = setInterval(() => stream.push('event: tick\n\n'), 5);
    stream.once('close', () => clearInterval(ticking));
    return reply(200, stream as unknown);
  },
});

const person = (subject: string, role: Caller['role']): Caller => ({
  subject,
  email: `${subject}@example.com`,
  role,
  workspaces: {},
  permissions: [],
});

describe('a stream of events', () => {
  type Verdict = 'valid' | 'expired' | 'invalid' | 'undecided';
  const verdicts = new Map<string, Verdict>();
  const roles = new Map<string, Caller['role']>();
  let server: HttpServer;
  let url: string;

  beforeAll(async () => {
    const verify = async (token: string) => {
      const verdict = verdicts.get(token) ?? 'invalid';
      return verdict === 'valid'
        ? { verdict, caller: person(token, roles.get(token) ?? 'viewer') }
        : { verdict: verdict as Exclude<Verdict, 'valid'> };
    };
    server = testServer([live], { auth: { verify }, limits: { callerAskedEveryMs: 20 } });
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  /** The events that a person has received, and whether the stream has ended. */
  async function listen(token: string) {
    verdicts.set(token, 'valid');
    const heard = { ticks: 0, ended: false };
    const leaving = new AbortController();
    const answer = await fetch(`${url}/live`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    const read = async () => {
      for await (const _piece of answer.body!) heard.ticks += 1;
    };
    void read()
      .catch(() => undefined)
      .finally(() => (heard.ended = true));
    return { heard, leave: () => leaving.abort() };
  }
  const goesOn = (heard: { readonly ticks: number }) => {
    const before = heard.ticks;
    return eventually(() => heard.ticks > before + 20, { describe: 'the stream goes on' });
  };

  it.each<[string, (token: string) => void]>([
    ['whose token was revoked', (token) => verdicts.set(token, 'invalid')],
    ['whose token has expired', (token) => verdicts.set(token, 'expired')],
    ['who has another role now', (token) => roles.set(token, 'user')],
  ])('ends for a person %s, and for no other', async (_why, end) => {
    const [leaver, other] = [await listen('leaver'), await listen('other')];
    await goesOn(leaver.heard);
    end('leaver');
    await eventually(() => leaver.heard.ended, { describe: 'the end of the stream' });
    await goesOn(other.heard);
    expect(other.heard.ended).toBe(false);
    other.leave();
    roles.clear();
  });

  it('goes on while the keys of the issuer cannot be read, because no revocation is known', async () => {
    const { heard, leave } = await listen('kept');
    verdicts.set('kept', 'undecided');
    await goesOn(heard);
    await goesOn(heard);
    expect(heard.ended).toBe(false);
    leave();
  });
});

describe('a stream that answers HEAD', () => {
  it('ends with the answer, which has no body', async () => {
    const streams: Readable[] = [];
    const silent = defineRoute({
      method: 'GET',
      path: '/silent',
      policy: 'public',
      summary: 'Is silent without end',
      produces: 'text/event-stream',
      responses: { 200: z.unknown() },
      errors: [],
      handle: async () => {
        streams.push(new Readable({ read: () => undefined }));
        return reply(200, streams.at(-1) as unknown);
      },
    });
    const server = testServer([silent]);
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const { status, headers } = await fetch(`${url}/silent`, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await eventually(() => streams[0]!.destroyed, { describe: 'the end of the stream' });
    await server.close();
  });
});
