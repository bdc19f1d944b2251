import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from './eventually';
import { createFaultProxy, type FaultProxy } from './fault-proxy';

let echo: Server;
let proxy: FaultProxy;
let arrived: string;

beforeEach(async () => {
  arrived = '';
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      arrived += chunk.toString();
      socket.write(chunk);
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await createFaultProxy({ port: (echo.address() as AddressInfo).port });
});

afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

interface Client {
  readonly socket: Socket;
  readonly seen: () => string;
  readonly ended: Promise<string>;
}

function open(): Client {
  let seen = '';
  const socket = connect(proxy.port, '127.0.0.1');
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    socket.on('close', () => resolve('closed'));
  });
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
  });
  return { socket, seen: () => seen, ended };
}

describe('the fault proxy', () => {
  it('passes bytes in both directions when nothing is asked of it', async () => {
    const client = open();
    client.socket.write('hello');
    await eventually(() => client.seen() === 'hello', { describe: 'the echo' });
    expect(proxy.delivered).toEqual({ up: 5, down: 5 });
    client.socket.destroy();
  });

  it('cuts a request after the bytes that a test names', async () => {
    proxy.cutAfter('up', 3);
    const client = open();
    client.socket.write('hello');
    await client.ended;
    await eventually(() => arrived === 'hel', { describe: 'the first three bytes at the target' });
    expect(proxy.delivered.up).toBe(3);
  });

  it('cuts an answer before its first byte, when the request has arrived', async () => {
    proxy.cutAfter('down', 0);
    const client = open();
    client.socket.write('hello');
    await client.ended;
    expect(arrived).toBe('hello');
    expect(client.seen()).toBe('');
  });

  it('cuts once: the next connection is whole', async () => {
    proxy.cutAfter('up', 0);
    const first = open();
    first.socket.write('hello');
    await first.ended;
    const second = open();
    second.socket.write('again');
    await eventually(() => second.seen() === 'again', { describe: 'the echo' });
    second.socket.destroy();
  });

  it('holds answers back until they are released', async () => {
    proxy.hold('down');
    const client = open();
    client.socket.write('hello');
    await eventually(() => arrived === 'hello', { describe: 'the request at the target' });
    expect(client.seen()).toBe('');
    proxy.release();
    await eventually(() => client.seen() === 'hello', { describe: 'the echo' });
    client.socket.destroy();
  });

  it('refuses connections and accepts them again on the same port', async () => {
    const before = open();
    before.socket.write('x');
    await eventually(() => before.seen() === 'x', { describe: 'the echo' });
    await proxy.refuseConnections();
    await before.ended;
    expect(await open().ended).toBe('ECONNREFUSED');
    await proxy.accept();
    const after = open();
    after.socket.write('y');
    await eventually(() => after.seen() === 'y', { describe: 'the echo' });
    expect(proxy.accepted).toBe(2);
    after.socket.destroy();
  });

  it('refuses in its turn when the target is unreachable', async () => {
    await new Promise((resolve) => echo.close(resolve));
    const client = open();
    expect(['ECONNRESET', 'closed']).toContain(await client.ended);
    echo.listen(0, '127.0.0.1');
  });
});
