/** The live stream: its events, its end with the server, and bounded memory for a browser that does not read. */
import { once } from 'node:events';
import type { WorkChange } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import { createLiveFeed } from '../workflows/live-feed';
import { createLiveStreams, eventText } from './live-routes';

const change: WorkChange = {
  kind: 'operation',
  id: 'op-00000001',
  tenantId: 'acme',
  state: 'stopped',
  at: '2026-03-01T00:00:00.000Z',
};

describe('a live stream', () => {
  it('opens, tells each change as it comes, and that much has changed', async () => {
    const feed = createLiveFeed();
    const streams = createLiveStreams(feed);
    const stream = streams.open('a')!;
    const printed: string[] = [];
    stream.on('data', (piece: Buffer) => printed.push(piece.toString('utf8')));
    await once(stream, 'data');
    feed.notify(change);
    feed.notify(null);
    streams.close();
    await once(stream, 'close');
    expect(printed.join('')).toBe(`event: open\ndata: {}\n\n${eventText(change)}event: reset\ndata: {}\n\n`);
    expect(streams.count()).toBe(0);
  });

  it('keeps no more for a browser that does not read than it tells it at once to read again', async () => {
    const feed = createLiveFeed();
    const streams = createLiveStreams(feed);
    const stream = streams.open('a')!;
    for (let at = 0; at < 10_000; at += 1) feed.notify(change);
    expect(stream.readableLength).toBeLessThan(200_000);
    const kept: string[] = [];
    stream.on('data', (piece: Buffer) => kept.push(piece.toString('utf8')));
    await eventually(() => kept.join('').endsWith(eventText(null)), { describe: 'what was kept is read' });
    streams.close();
    await once(stream, 'close');
  });

  it('of a browser that never reads again does not hold up the end', async () => {
    const feed = createLiveFeed();
    const streams = createLiveStreams(feed);
    const stream = streams.open('a')!;
    for (let at = 0; at < 1_000; at += 1) feed.notify(change);
    streams.close();
    await once(stream, 'close');
    expect(streams.count()).toBe(0);
  });

  it('takes nothing after its end, which the browser has not read yet', async () => {
    const feed = createLiveFeed();
    const streams = createLiveStreams(feed);
    const stream = streams.open('a')!;
    const errors: unknown[] = [];
    stream.on('error', (error) => errors.push(error));
    stream.once('data', () => stream.pause());
    await once(stream, 'data');
    streams.close();
    feed.notify(change);
    stream.resume();
    await once(stream, 'close');
    expect(errors).toEqual([]);
  });

  it('is one of few: too many are refused, and a closed one makes room', async () => {
    const streams = createLiveStreams(createLiveFeed());
    const open = Array.from({ length: 200 }, (_each, at) => streams.open(`person ${at % 10}`)!);
    expect(streams.open('another')).toBeNull();
    open[0]!.destroy();
    await once(open[0]!, 'close');
    expect(streams.open('another')).not.toBeNull();
    open.forEach((stream) => stream.destroy());
  });

  it('leaves those of others to them, however many windows one person has', () => {
    const streams = createLiveStreams(createLiveFeed());
    const open = Array.from({ length: 30 }, () => streams.open('many'));
    expect(open.filter((stream) => stream !== null)).toHaveLength(20);
    expect(streams.open('another')).not.toBeNull();
    streams.close();
  });
});
