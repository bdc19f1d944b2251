/**
 * Server-sent events: changes of the work queue, as they happen. They are read with `fetch`, because an EventSource
 * cannot send the token. A stream ends after some minutes, so that an expired token is noticed.
 */
import { Readable } from 'node:stream';
import { workQueueLimits } from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import { z } from 'zod';
import type { LiveFeed, Notice } from '../workflows/live-feed';

export interface LiveStreams {
  /** A stream of events for a person, or null when too many streams are open, in total or for that person. */
  open(person: string): Readable | null;
  count(): number;
  /** Ends every stream; the server waits for them when it closes. */
  close(): void;
}

const streamsAtOnce = 200;
/** The limit of one person, so that many windows do not use up the streams of others. */
const streamsOfOne = 20;
const streamMs = 10 * 60_000;

/** One event in the format of `text/event-stream`; a null notice tells the browser to read again. */
export function eventText(notice: Notice): string {
  return notice ? `event: changed\ndata: ${JSON.stringify(notice)}\n\n` : 'event: reset\ndata: {}\n\n';
}

export function createLiveStreams(feed: Pick<LiveFeed, 'listen'>): LiveStreams {
  /** The function that ends each stream, and its person. */
  const open = new Map<() => void, string>();
  return {
    open(person) {
      const own = [...open.values()].filter((each) => each === person).length;
      if (open.size >= streamsAtOnce || own >= streamsOfOne) return null;
      let waiting = 0;
      const stream = new Readable({
        read: () => {
          waiting = 0;
        },
      });
      const send = (text: string) => {
        if (!stream.push(text)) waiting += 1;
      };
      const forget = feed.listen((notice) => {
        // A browser that does not read gets a single notice to read again; events are not kept in memory.
        if (waiting < workQueueLimits.liveBacklog) send(eventText(notice));
        else if (waiting++ === workQueueLimits.liveBacklog) stream.push(eventText(null));
      });
      const heartbeat = setInterval(() => send(': alive\n\n'), workQueueLimits.heartbeatSeconds * 1_000);
      const silence = () => {
        forget();
        clearInterval(heartbeat);
      };
      const end = () => {
        // The stream stays open until the browser has read it, and accepts nothing after its end.
        silence();
        // A browser that does not read would delay the server's shutdown.
        if (waiting > 0) stream.destroy();
        else stream.push(null);
      };
      const life = setTimeout(end, streamMs);
      heartbeat.unref();
      life.unref();
      open.set(end, person);
      stream.once('close', () => {
        silence();
        clearTimeout(life);
        open.delete(end);
      });
      send('event: open\ndata: {}\n\n');
      return stream;
    },
    count: () => open.size,
    close: () => [...open.keys()].forEach((end) => end()),
  };
}

export function liveRoutes(streams: Pick<LiveStreams, 'open'>): Route[] {
  return [
    defineRoute({
      name: 'followChanges',
      method: 'GET',
      path: '/api/saas/live',
      policy: 'staff',
      tags: ['work queue'],
      summary: 'Changes of the work queue as they happen',
      description:
        'Events: `open`, `changed` (a JSON object with kind, id, tenantId, state, at; state null when resolved), `reset` (much has changed: read again). Comments every 15 seconds keep the connection.',
      produces: 'text/event-stream; charset=utf-8',
      responses: { 200: z.unknown() },
      errors: ['too_many_streams'],
      handle: async ({ caller }) => {
        const stream = streams.open(caller.subject);
        return stream
          ? reply(200, stream as unknown, { 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
          : problem('too_many_streams', { retryAfterSeconds: 30 });
      },
    }),
  ];
}
