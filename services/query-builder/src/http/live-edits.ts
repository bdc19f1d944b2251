/**
 * Server-sent events: the project changed, so clients read it again. They are read with `fetch`, because an EventSource
 * cannot send the token. A stream ends after some minutes, so that an expired token is noticed.
 */
import { Readable } from 'node:stream';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { CallBuilder } from './builder-routes';

const streamsAtOnce = 50;
/** The limit of one person, so that many windows do not use up the streams of others. */
const streamsOfOne = 10;
const streamMs = 10 * 60_000;

/** `ending`: resolves when the process must end, because its server waits for open streams. */
export function liveEditsRoute(call: CallBuilder, ending: Promise<void>): Route {
  /** The function that ends each stream, and its person. */
  const open = new Map<() => void, string>();
  void ending.then(() => [...open.keys()].forEach((end) => end()));
  return defineRoute({
    method: 'GET',
    path: '/api/builder/live',
    policy: 'platform_owner',
    tags: ['Builder'],
    summary: 'Changes of the page project as they happen',
    description:
      'Events: `open`; `changed` with a count, after an edit by anybody, in an editor too. Comments keep the connection.',
    produces: 'text/event-stream; charset=utf-8',
    responses: { 200: z.unknown() },
    errors: ['overloaded'],
    handle: async ({ caller: { subject } }) => {
      const own = [...open.values()].filter((each) => each === subject).length;
      if (open.size >= streamsAtOnce || own >= streamsOfOne) return problem('overloaded', { retryAfterSeconds: 30 });
      const stream = new Readable({ read: () => undefined });
      const end = (): void => void (stream.readableEnded || stream.push(null));
      open.set(end, subject);
      const life = setTimeout(end, streamMs);
      life.unref();
      let ended = false;
      stream.once('close', () => {
        ended = true;
        clearTimeout(life);
        open.delete(end);
      });
      void follow(call, stream, () => ended || !open.has(end));
      return reply(200, stream as unknown, { 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    },
  });
}

async function follow(call: CallBuilder, stream: Readable, over: () => boolean): Promise<void> {
  try {
    let seen = (await call('editsAfter', -1)) as number;
    if (over()) return;
    stream.push('event: open\ndata: {}\n\n');
    while (!over()) {
      const now = (await call('editsAfter', seen)) as number;
      if (over()) return;
      stream.push(now === seen ? ': alive\n\n' : `event: changed\ndata: {"count":${now}}\n\n`);
      seen = now;
    }
  } catch {
    if (!over()) stream.push(null);
  }
}
