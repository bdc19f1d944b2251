import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSurroundings } from './surroundings';

let server: Server;
let apiBase: string;
const moves = [
  { at: '2026-11-22T10:00:00.000Z', seconds: 86_400 },
  { at: '2026-11-22T10:05:00.000Z', seconds: 600 },
];

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(request.url === '/_twin/clock' ? JSON.stringify({ now: 0, iso: '', moves }) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('the surroundings of an off-line command', () => {
  const now = new Date('2026-11-22T10:06:00.000Z');
  const clock = { now: () => now };

  it('count what the clock of the twin was moved on by since a request was sent, and nothing before it', async () => {
    const { providerNow, isLocal, close } = openSurroundings({ STRIPE_API_BASE: apiBase });
    expect(await providerNow(new Date('2026-11-22T10:04:00.000Z'), clock)).toEqual(new Date(now.getTime() + 600_000));
    expect(await providerNow(now, clock)).toEqual(now);
    expect(await isLocal()).toBe(true);
    close();
  });

  it('are not local, and move no clock, where the provider is not the twin', async () => {
    const { providerNow, isLocal, close } = openSurroundings({ STRIPE_SECRET_KEY: 'sk_live_x' });
    expect(await isLocal()).toBe(false);
    expect(await providerNow(new Date(0), clock)).toEqual(now);
    close();
  });

  it('are not known where the provider gives no answer: neither local nor not', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const { providerNow, isLocal } = openSurroundings({ STRIPE_API_BASE: `http://127.0.0.1:${port}` }, 50);
    await expect(isLocal()).rejects.toThrow(/not known whether this is the local platform.*run the command again/);
    await expect(providerNow(new Date(0), clock)).rejects.toThrow('not known');
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('are not local where nothing listens, and where another server answers', async () => {
    expect(await openSurroundings({ STRIPE_API_BASE: 'http://127.0.0.1:1' }).isLocal()).toBe(false);
    const other = createServer((_request, response) => void response.end('{}'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect(await openSurroundings({ STRIPE_API_BASE: `http://127.0.0.1:${port}` }).isLocal()).toBe(false);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  it('name no provider and are not local where the environment says nothing', async () => {
    const { provider, isLocal } = openSurroundings({});
    expect(() => provider()).toThrow(/STRIPE_SECRET_KEY is not set/);
    expect(await isLocal()).toBe(false);
  });
});
