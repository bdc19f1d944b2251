/**
 * A consumer written from docs/asyncapi.json alone, as a separate process: it registers, fails, repeats and settles.
 */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { eventually } from '@platform/testing';
import { openWorld, type OpenWorld } from './testing/open-world';

const program = join(__dirname, 'testing/asyncapi-consumer.mjs');
const document = resolve(__dirname, '../../../docs/asyncapi.json');

describe('a consumer in plain JavaScript that reads the AsyncAPI document', () => {
  let world: OpenWorld;
  beforeEach(async () => {
    world = await openWorld('asyncapi');
    await world.start();
  });
  afterEach(() => world.close());

  it('takes its deliveries, reports a failed run, is sent it again, and every operation settles', async () => {
    const child = spawn(process.execPath, [program, document, world.natsUrl, 'plain', world.namespace], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    try {
      await eventually(() => output.includes('ready') || child.exitCode !== null, { describe: 'the registration' });
      expect(output).toBe('ready\n');
      for (const id of ['operation-1', 'operation-2']) await world.announce(id);
      const failures = async () => {
        const found = await Promise.all(['operation-1', 'operation-2'].map((id) => world.operation(id)));
        return found.flatMap(({ deliveries }) => deliveries.map(({ failureCount }) => failureCount)).sort();
      };
      await eventually(async () => (await failures()).join() === '0,1', { describe: 'the reported failure on record' });
      child.stdin.write('go on\n');
      for (const id of ['operation-1', 'operation-2'])
        expect((await world.settlementOf(id)).receipts).toMatchObject([
          { consumer: 'plain', receiptId: `plain:${id}` },
        ]);
      expect([await ended, output]).toEqual([0, 'ready\nfailed\n']);
      expect(await failures()).toEqual([0, 1]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
