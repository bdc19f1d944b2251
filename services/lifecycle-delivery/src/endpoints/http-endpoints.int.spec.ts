/** The real endpoints, against a server on this machine whose names are resolved by the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as listenPlain, type AddressInfo } from 'node:net';
import { allowedAddress, allowedHost, describeEndpoints, type EndpointsWorld } from './endpoints.features';
import type { FakeAnswer } from './fake-endpoints';
import { createHttpEndpoints } from './http-endpoints';
import type { EndpointPost } from './port';

async function openWorld(): Promise<EndpointsWorld> {
  let next: FakeAnswer | 'silence' | 'reset' = { status: 200 };
  const received: EndpointPost[] = [];
  const addresses = new Map<string, (readonly string[])[]>([[allowedHost, [['127.0.0.1']]]]);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = `http://${request.headers.host}${request.url}`;
    received.push({ url, headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
    if (next === 'silence') return;
    if (next === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(next.status, next.headers);
    response.end(next.body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const endpoints = createHttpEndpoints({
    ...{ allowsPlainHttp: true, allowedHosts: [allowedHost, allowedAddress], timeoutMs: 2_000 },
    resolve: async (host) => {
      const lists = addresses.get(host) ?? [];
      return (lists.length > 1 ? lists.shift() : lists[0]) ?? [];
    },
  });
  return {
    endpoints,
    received,
    urlOf: (host) => `http://${host}:${port}/hook`,
    answer: (given) => void (next = given),
    resolves: (host, ...lists) => void addresses.set(host, [...lists]),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  };
}

describeEndpoints('the real endpoints', openWorld);

describe('the real endpoints', () => {
  it('take https alone outside the local platform', async () => {
    const endpoints = createHttpEndpoints({ allowsPlainHttp: false, allowedHosts: ['team.example'], timeoutMs: 300 });
    expect(endpoints.objectionTo('http://team.example/hook')).toContain('must begin with https');
    expect(endpoints.objectionTo('ftp://team.example/hook')).toContain('must begin with https');
    expect(endpoints.objectionTo('https://team.example/hook')).toBeNull();
    expect(await endpoints.post({ url: 'http://team.example/hook', headers: {}, body: '{}' })).toMatchObject({
      kind: 'not_sent',
    });
  });

  it('ask for the addresses of a host once at a time, also after one has given up', async () => {
    const asked: string[] = [];
    let answer: (addresses: readonly string[]) => void = () => undefined;
    const resolve = (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return new Promise((settle) => (answer = settle));
    };
    const rules = { allowsPlainHttp: true, allowedHosts: [], timeoutMs: 200 };
    const endpoints = createHttpEndpoints({ ...rules, resolve });
    const post = (host: string) => endpoints.post({ url: `http://${host}/hook`, headers: {}, body: '{}' });
    const late = { kind: 'not_sent', reason: 'no answer within 200 ms' };
    expect(await Promise.all([post('slow.example'), post('slow.example')])).toEqual([late, late]);
    expect(await post('slow.example')).toEqual(late);
    expect(asked).toEqual(['slow.example']);
    answer(['127.0.0.1']);
    await new Promise(setImmediate);
    void post('slow.example');
    void post('other.example');
    expect(asked).toEqual(['slow.example', 'slow.example', 'other.example']);
  });

  it('wait no longer than their limit for an answer that never ends', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const endpoints = createHttpEndpoints({ allowsPlainHttp: true, allowedHosts: ['127.0.0.1'], timeoutMs: 1_500 });
    try {
      expect(await endpoints.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' })).toEqual({
        kind: 'unanswered',
        reason: 'no answer within 1500 ms',
      });
    } finally {
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    }
  });

  it('end when the receiver answers with a switch of protocols, which is no answer', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const server = listenPlain((socket) => void socket.once('data', () => void socket.write(switching)));
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const endpoints = createHttpEndpoints({ allowsPlainHttp: true, allowedHosts: ['127.0.0.1'], timeoutMs: 1_500 });
    const post = endpoints.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' });
    const never = new Promise((settle) => void setTimeout(settle, 4_000, 'never settled').unref());
    expect(await Promise.race([post, never])).toEqual({
      kind: 'unanswered',
      reason: 'the connection ended without an answer',
    });
    await new Promise((done) => void server.close(done));
  });
});
