import { createServer, type AddressInfo, type Server } from 'node:net';
import { answers, startScriptedServer } from '../spec-support/scripted-server';
import { credit, secretKey, setStage, transaction } from '../spec-support/scripted-stage';
import { createSelfSigned } from '../spec-support/self-signed';
import { createStripeProvider } from './stripe-provider';

const stage = setStage();

async function listen(
  onConnection: Parameters<typeof createServer>[1],
): Promise<{ readonly port: number; readonly close: () => void }> {
  const tcp: Server = createServer(onConnection);
  const sockets = new Set<{ destroy(): unknown }>();
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  return {
    port: (tcp.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
    },
  };
}

describe('a request of which nothing was written', () => {
  const notSent = (phase: string, transportFailure: string) => ({
    outcome: 'failed',
    code: 'provider_unavailable',
    detail: { reason: 'not_sent', retry: 'yes', transportFailure },
    evidence: { phase },
  });

  it('is a definitive failure when the connection is refused', async () => {
    await stage.server.close();
    expect(await stage.credit().send()).toStrictEqual({
      ...notSent('not_connected', 'refused'),
      message: expect.any(String) as string,
    });
  });

  it('is a definitive failure when the name is not resolved', async () => {
    stage.reopen('http://no-such-host.invalid:1');
    expect(await stage.credit().send()).toMatchObject(notSent('not_connected', 'name_not_resolved'));
  });

  it('is a definitive failure when the other side does not speak TLS', async () => {
    stage.reopen(`https://127.0.0.1:${stage.server.port}`);
    expect(await stage.credit().send()).toMatchObject(notSent('connected', 'tls_failed'));
    expect(stage.server.requests).toHaveLength(0);
  });

  it('is a definitive failure when the certificate is not trusted', async () => {
    const secure = await startScriptedServer(createSelfSigned());
    stage.reopen(secure.url);
    expect(await stage.credit().send()).toMatchObject(notSent('connected', 'tls_failed'));
    expect(secure.requests).toHaveLength(0);
    await secure.close();
  });

  it('is a definitive failure when the time runs out during the TLS handshake', async () => {
    const mute = await listen(() => undefined);
    stage.reopen(`https://127.0.0.1:${mute.port}`, 150);
    expect(await stage.credit().send()).toMatchObject(notSent('connected', 'timeout'));
    mute.close();
  });

  it('is a definitive failure when the connection is lost during the TLS handshake', async () => {
    const curt = await listen((socket) => void socket.once('data', () => socket.destroy()));
    stage.reopen(`https://127.0.0.1:${curt.port}`);
    expect(await stage.credit().send()).toMatchObject(notSent('connected', 'tls_failed'));
    curt.close();
  });
});

describe('a call that was answered', () => {
  afterEach(() => jest.useRealTimers());

  it('leaves no timer behind', async () => {
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
    stage.server.script = answers.json(200, transaction);
    for (let call = 0; call < 3; call += 1) expect((await stage.credit().send()).outcome).toBe('succeeded');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('over TLS', () => {
  it('succeeds with a trusted certificate, also on a connection that is used again', async () => {
    const certificate = createSelfSigned();
    const secure = await startScriptedServer(certificate);
    secure.script = answers.json(200, transaction);
    const trusting = createStripeProvider({
      secretKey,
      apiBase: secure.url,
      timeoutMs: 60_000,
      trustedAuthorities: certificate.cert,
    });
    for (const operationId of ['op-1', 'op-2'])
      expect((await trusting.prepare({ operationId }, credit).send()).outcome).toBe('succeeded');
    expect(secure.requests).toHaveLength(2);
    trusting.close();
    await secure.close();
  });
});
