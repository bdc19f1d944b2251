/** The store as the only member of a replica set, for deployments whose connection strings name a set. */
import { createServer, type AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { openTestStore } from './testing/open-test-store';
import { runProgram } from '../../../test/support/run-program';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

describe('a store that serves as a member of a set', () => {
  it('is found by the name of its set, and by no other name', async () => {
    const port = await freePort();
    const test = await openTestStore({ port, member: { set: 'rs0', address: `localhost:${port}` } });
    const options = { retryWrites: false, serverSelectionTimeoutMS: 2_000 };
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`, options);
    const stranger = new MongoClient(`mongodb://127.0.0.1:${port}/?replicaSet=another`, options);
    try {
      await client.db('a').collection('b').insertOne({ x: 1 });
      expect(await client.db('a').collection('b').countDocuments()).toBe(1);
      await expect(stranger.connect()).rejects.toThrow(/Server selection timed out/);
    } finally {
      await client.close();
      await stranger.close();
      await test.close();
    }
  });
});

describe.each([
  ['libs/embedded-mongo/src/main.ts', ['--port', '0', '--data', '/nowhere', '--host', '0.0.0.0']],
  ['libs/provider-twin/src/main.ts', ['--host', '0.0.0.0']],
])('%s', (entry, args) => {
  it('listens for other machines nowhere in production', async () => {
    const program = entry.replace('/src/main.ts', '/main.js');
    await runProgram(['infra/build.mjs', '--quiet', entry]);
    const ran = await runProgram([`dist/${program}`, ...args], { env: { ...process.env, NODE_ENV: 'production' } });
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining('NODE_ENV=production')]);
  });
});
