import { sha256 } from '@platform/kernel';
import { eventually } from '@platform/testing';
import { answers, startScriptedServer, type Script, type ScriptedServer } from '../spec-support/scripted-server';
import { createSelfSigned } from '../spec-support/self-signed';
import { createObservation, observeRequest, type Observation } from './observation';
import { createObservingHttpClient, type ObservingHttpClient } from './observing-http-client';
import { openSdk } from './sdk';

let server: ScriptedServer;
let client: ObservingHttpClient;

beforeEach(async () => {
  server = await startScriptedServer();
  client = createObservingHttpClient({ maxAnswerBytes: 1_000 });
});

afterEach(async () => {
  client.close();
  await server.close();
});

function post(
  observation: Observation,
  {
    path = '/v1/x',
    body = 'amount=1',
    method = 'POST',
    timeoutMs = 60_000,
  }: { path?: string; body?: string; method?: 'POST' | 'DELETE'; timeoutMs?: number } = {},
) {
  const headers = {};
  observeRequest(headers, observation);
  const protocol = server.url.startsWith('https') ? 'https' : 'http';
  return client.makeRequest('127.0.0.1', String(server.port), path, method, headers, body, protocol, timeoutMs);
}

describe('the observing HTTP client', () => {
  it('writes nothing when the method, the path or the body is not the recorded one', async () => {
    const permit = { method: 'POST', path: '/v1/x', payloadDigest: sha256('amount=1') };
    await expect(
      post(createObservation({ ...permit, payloadDigest: sha256('') }), { body: '', method: 'DELETE' }),
    ).rejects.toThrow('not the one whose digest was recorded');
    await expect(post(createObservation(permit), { path: '/v1/y' })).rejects.toThrow(
      'not the one whose digest was recorded',
    );
    const observation = createObservation(permit);
    await expect(post(observation, { body: 'amount=2' })).rejects.toThrow('not the one whose digest was recorded');
    expect(observation).toMatchObject({ attempts: 0, phase: 'not_connected' });
    expect(server.requests).toHaveLength(0);
  });

  it('puts one request of a call on the network, however many are asked for', async () => {
    server.script = answers.json(200, {});
    const observation = createObservation(null);
    await post(observation);
    await expect(post(observation)).rejects.toThrow('one request');
    expect(server.requests).toHaveLength(1);
  });

  it('sends nothing outside of a call', async () => {
    await expect(client.makeRequest('127.0.0.1', String(server.port), '/', 'GET', {}, '', 'http', 100)).rejects.toThrow(
      'outside of a call',
    );
  });

  it('stops reading an answer that is too large', async () => {
    server.script = answers.text(200, 'x'.repeat(5_000));
    const observation = createObservation(null);
    await expect(post(observation)).rejects.toThrow('ended early');
    expect(observation).toMatchObject({ phase: 'bytes_written', httpStatus: 200, transportFailure: 'other' });
    expect(observation.body).toBeUndefined();
  });

  it('reads an answer of the largest size', async () => {
    server.script = answers.text(200, 'x'.repeat(1_000));
    const observation = createObservation(null);
    await post(observation);
    expect(observation).toMatchObject({ phase: 'response_read', body: 'x'.repeat(1_000) });
  });

  it('hands the SDK the status, the JSON and the headers, without the notices that the SDK prints', async () => {
    server.script = answers.json(402, { id: 'x' }, { 'stripe-notice': 'an upgrade is due' });
    const response = await post(createObservation(null));
    expect(response.getStatusCode()).toBe(402);
    expect(await response.toJSON()).toEqual({ id: 'x' });
    expect(response.getHeaders()).toMatchObject({ 'request-id': 'req_scripted' });
    expect(response.getHeaders()).not.toHaveProperty('stripe-notice');
    expect(() => void response.toStream(() => undefined)).toThrow('answers are read whole');
  });

  it.each([
    ['a text', { 'request-id': 'req 1' }],
    ['too long', { 'request-id': 'x'.repeat(129) }],
    ['absent', { 'request-id': [] }],
  ])('keeps no request id that is %s', async (_name, headers) => {
    server.script = answers.json(200, {}, headers);
    const observation = createObservation(null);
    await post(observation);
    expect(observation).toStrictEqual({
      permit: null,
      attempts: 1,
      phase: 'response_read',
      httpStatus: 200,
      body: '{}',
    });
  });

  it('waits for a slow answer, however short idle connections live', async () => {
    client.close();
    client = createObservingHttpClient({ idleConnectionMs: 10 });
    server.script = (...exchange) => void setTimeout(() => answers.json(200, {})(...exchange), 60);
    const observation = createObservation(null);
    await post(observation);
    expect(observation.phase).toBe('response_read');
  });

  it('reads an answer that arrived while the process was frozen, however late that is', async () => {
    const frozenMs = 600;
    server.script = (...exchange) => {
      answers.json(200, {})(...exchange);
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, frozenMs));
    };
    const observation = createObservation(null);
    await post(observation, { timeoutMs: 100 });
    expect(observation).toMatchObject({ phase: 'response_read', httpStatus: 200 });
  });

  it('sends nothing that waited for a connection while the process was frozen, after its time', async () => {
    client.close();
    client = createObservingHttpClient({ connections: 1 });
    server.script = (...exchange) => void setTimeout(() => answers.json(200, {})(...exchange), 100);
    const first = post(createObservation(null));
    const waiting = createObservation(null);
    const second = post(waiting, { timeoutMs: 150 });
    await eventually(() => server.requests.length === 1, { describe: 'the first request' });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    await expect(second).rejects.toThrow('the exchange ended early: timeout');
    await first;
    expect([waiting.phase, server.requests.length]).toEqual(['not_connected', 1]);
  });

  it('uses a connection again, and a new one when the server has closed it', async () => {
    const ports: (number | undefined)[] = [];
    server.script = (request, response, socket) => {
      ports.push(socket.remotePort);
      answers.json(200, {}, ports.length === 2 ? { connection: 'close' } : {})(request, response, socket);
    };
    for (let call = 0; call < 3; call += 1) await post(createObservation(null));
    expect(ports[0]).toBe(ports[1]);
    expect(ports[2]).not.toBe(ports[1]);
  });

  it('leaves no connection open when it is closed', async () => {
    const ports: (number | undefined)[] = [];
    server.script = (request, response, socket) => {
      ports.push(socket.remotePort);
      answers.json(200, {})(request, response, socket);
    };
    await post(createObservation(null));
    client.close();
    await post(createObservation(null));
    expect(ports[1]).not.toBe(ports[0]);
  });

  it('has no more calls at the provider than connections, and sends the others in their turn', async () => {
    client.close();
    client = createObservingHttpClient({ connections: 3 });
    const held: Parameters<typeof server.script>[] = [];
    server.script = (...exchange) =>
      exchange[0].path === '/marker' ? answers.json(200, {})(...exchange) : void held.push(exchange);
    const calls = Promise.all(Array.from({ length: 12 }, () => post(createObservation(null))));
    await eventually(() => held.length >= 3, { describe: 'three calls are at the provider' });
    // The server accepts connections in their order: one that was opened before the marker's is there by now.
    await fetch(`${server.url}/marker`);
    expect(held).toHaveLength(3);
    server.script = answers.json(200, {});
    for (const exchange of held) answers.json(200, {})(...exchange);
    await calls;
    expect(server.requests).toHaveLength(13);
  });

  it('never sends a call that found no connection in its time', async () => {
    client.close();
    client = createObservingHttpClient({ connections: 1 });
    server.script = answers.silence();
    const [sent, waiting] = [createObservation(null), createObservation(null)];
    const ended: string[] = [];
    const end = (name: string) => () => void ended.push(name);
    const limit = { timeoutMs: 2_000 };
    await Promise.all([post(sent, limit).catch(end('sent')), post(waiting, limit).catch(end('waiting'))]);
    expect(ended).toEqual(['waiting', 'sent']);
    expect(waiting).toMatchObject({ phase: 'not_connected', transportFailure: 'timeout' });
    expect(sent).toMatchObject({ phase: 'bytes_written', transportFailure: 'timeout' });
    // The connection of the first call is free, and the second one is not sent on it.
    server.script = answers.json(200, {});
    await post(createObservation(null));
    expect(server.requests).toHaveLength(2);
  });

  it('sends a waiting call on an encrypted connection that another call has left', async () => {
    client.close();
    await server.close();
    const identity = createSelfSigned();
    server = await startScriptedServer(identity);
    client = createObservingHttpClient({ connections: 1, trustedAuthorities: identity.cert });
    const ports: (number | undefined)[] = [];
    server.script = (request, response, socket) => {
      ports.push(socket.remotePort);
      answers.json(200, {})(request, response, socket);
    };
    const calls = Array.from({ length: 3 }, () => createObservation(null));
    await Promise.all(calls.map((call) => post(call)));
    expect(calls.map(({ phase }) => phase)).toEqual(['response_read', 'response_read', 'response_read']);
    expect(new Set(ports).size).toBe(1);
  });

  it.each<[string, Script, string]>([
    ['breaks', answers.reset(), 'connection_lost'],
    ['ends in the middle of the answer', answers.cut(200, '{}'), 'connection_lost'],
    ['carries what is not HTTP', (_request, _response, socket) => void socket.end('welcome\r\n'), 'other'],
  ])('records why an exchange ended when its connection %s', async (_end, script, transportFailure) => {
    server.script = script;
    const observation = createObservation(null);
    await expect(post(observation)).rejects.toThrow(`the exchange ended early: ${transportFailure}`);
    expect(observation).toMatchObject({ phase: 'bytes_written', transportFailure });
    expect(observation).not.toHaveProperty('body');
  });

  it('hides the codes by which the SDK repeats a request on its own', async () => {
    server.script = answers.reset();
    const failure: unknown = await post(createObservation(null)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toHaveProperty('code');
  });

  it('is needed: a client that shows the code of a closed connection is asked twice, with retries off', async () => {
    let calls = 0;
    const plain = {
      getClientName: () => 'plain',
      makeRequest: () => {
        calls += 1;
        return Promise.reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
      },
    };
    const sdk = openSdk({ secretKey: 'sk_test_x', apiBase: server.url, timeoutMs: 60_000, httpClient: plain });
    await expect(sdk.customers.retrieve('cus_a', {}, { maxNetworkRetries: 0 })).rejects.toThrow();
    expect(calls).toBe(2);
  });
});
