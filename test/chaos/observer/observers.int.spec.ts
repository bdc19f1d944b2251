/** The observers on real sockets: all traffic is recorded unchanged and in order, and a missing server is no answer. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocumentStore } from '@platform/embedded-mongo';
import { eventually } from '@platform/testing';
import { MongoClient } from 'mongodb';
import { openChangeTail } from './change-tail';
import { openRecordingProxy } from './recording-proxy';

describe('a recording proxy', () => {
  let server: Server;
  let received: string[];
  beforeEach(async () => {
    received = [];
    server = createServer((incoming, outgoing) => {
      incoming.setEncoding('utf8');
      let body = '';
      incoming.on('data', (chunk: string) => (body += chunk));
      incoming.on('end', () => {
        received.push(`${incoming.method} ${incoming.url} ${body}`);
        if (body === 'cut') return void incoming.socket.destroy();
        outgoing.writeHead(body === '' ? 200 : 201, { 'x-kind': 'answer' }).end(`said ${body}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => void server.close());
  const open = (more: object = {}) =>
    openRecordingProxy({
      target: (server.address() as AddressInfo).port,
      records: (method) => method === 'POST',
      ...more,
    });

  it('hands on requests and answers, and keeps those that it is asked to', async () => {
    const proxy = await open();
    const answer = await fetch(`${proxy.url}/a?b=1`, {
      method: 'POST',
      body: 'one',
      headers: { 'idempotency-key': 'k' },
    });
    expect([answer.status, answer.headers.get('x-kind'), await answer.text()]).toEqual([201, 'answer', 'said one']);
    expect((await fetch(`${proxy.url}/unseen`)).status).toBe(200);
    expect(received).toEqual(['POST /a?b=1 one', 'GET /unseen ']);
    expect(proxy.exchanges).toEqual([
      expect.objectContaining({
        ...{ method: 'POST', path: '/a?b=1', body: 'one' },
        headers: expect.objectContaining({ 'idempotency-key': 'k' }),
        answer: { status: 201, body: 'said one', at: expect.any(Number) },
      }),
    ]);
    expect(proxy.exchanges[0]!.answer!.at).toBeGreaterThan(proxy.exchanges[0]!.at);
    await proxy.close();
  });

  it('writes down a lost answer as none, and lets the caller see that', async () => {
    const proxy = await open();
    await expect(fetch(`${proxy.url}/a`, { method: 'POST', body: 'cut' })).rejects.toThrow(/fetch failed/);
    expect(proxy.exchanges.map(({ answer }) => answer)).toEqual([null]);
    await proxy.close();
  });

  it('delivers a request twice where it has to, and writes both down', async () => {
    const proxy = await open({ repeats: () => true });
    await fetch(`${proxy.url}/a`, { method: 'POST', body: 'one' });
    await eventually(() => proxy.exchanges.length === 2 && proxy.exchanges.every(({ answer }) => answer), {
      describe: 'both answers',
    });
    expect(received).toEqual(['POST /a one', 'POST /a one']);
    await proxy.close();
  });
});

describe('the tail of the store', () => {
  it('has every version in the order of the commits, also across a restart of the store', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'change-tail-'));
    let store = await startDocumentStore({ port: 0, dataDir, keepsChanges: true });
    const { url } = store;
    const tail = await openChangeTail(url);
    const write = async (n: number) => {
      const client = await new MongoClient(url, { retryWrites: false }).connect();
      await client
        .db('shop')
        .collection<{ _id: string }>('jobs')
        .updateOne({ _id: 'a' }, { $set: { revision: `r${n}`, n } }, { upsert: true });
      await client.close();
    };
    await write(1);
    await store.close();
    store = await startDocumentStore({ port: Number(new URL(url).port), dataDir, keepsChanges: true });
    await write(2);
    await eventually(() => tail.changes.length === 2, { describe: 'both versions' });
    expect(tail.changes.map(({ kind, id, record, asked }) => [kind, id, record?.revision, asked])).toEqual([
      ['inserted', 'a', 'r1', undefined],
      ['replaced', 'a', 'r2', { _id: 'a' }],
    ]);
    expect(tail.changes[1]!.at).toBeGreaterThan(tail.changes[0]!.at);
    await tail.close();
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
