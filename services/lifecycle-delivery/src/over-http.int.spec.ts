/** Teams over HTTP on a real broker and real sockets: one written from docs/asyncapi.json, one with the published package. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { lifecycleRequests, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { eventually } from '@platform/testing';
import { receiveDeliveries } from '@platform/workspace-platform/http';
import type { HttpResources } from './delivery';
import { createHttpEndpoints } from './endpoints/http-endpoints';
import { secretFiles } from './endpoints/secret-files';
import { secretOf } from './testing/http-world';
import { openWorld, type OpenWorld } from './testing/open-world';

const program = join(__dirname, 'testing/http-consumer.mjs');
const document = resolve(__dirname, '../../../docs/asyncapi.json');
const team = 'billing';

describe('a team over HTTP', () => {
  let world: OpenWorld;
  let folder: string;
  const posts: string[] = [];
  beforeEach(async () => {
    world = await openWorld('http');
    folder = mkdtempSync(join(tmpdir(), 'http-delivery-'));
    writeFileSync(join(folder, team), `${secretOf(team)}\n`);
    posts.length = 0;
    const http: HttpResources = {
      endpoints: createHttpEndpoints({ allowsPlainHttp: true, allowedHosts: ['127.0.0.1'], timeoutMs: 60_000 }),
      secrets: secretFiles(folder),
      concurrency: 4,
      posted: (_consumer, outcome) => void posts.push(outcome),
    };
    await world.start(undefined, http);
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(action: ActOnConsumer['action'], port = 0, requestId = `${action}-1`) {
    const endpoint = {
      url: `http://127.0.0.1:${port}/hook`,
      secretRef: team,
      transitions: ['suspended'],
      answersTests: true,
    };
    const base = { requestId, action, reason: 'no broker', by: 'ann@example.com', consumer: team };
    const request = { ...base, ...(action === 'register_endpoint' && { endpoint }) };
    const answer = await world.operator.request(lifecycleRequests.act, request, 60_000);
    if (!answer.ok) throw new Error(`${answer.error.serverCode}: ${answer.error.message}`);
    return answer.value as { tests?: { receipt?: { receiptId: string } }[] };
  }
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    return (server.address() as AddressInfo).port;
  };

  it('in plain JavaScript from the document alone takes its deliveries, is sent a failed one again, and answers tests', async () => {
    const child = spawn(process.execPath, [program, document, secretOf(team)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      const port = await eventually(() => /port (\d+)\n/.exec(output)?.[1], { describe: 'the port of the endpoint' });
      await ask('register_endpoint', Number(port));
      for (const id of ['operation-1', 'operation-fails']) await world.announce(id);
      for (const id of ['operation-1', 'operation-fails'])
        expect((await world.settlementOf(id)).receipts).toMatchObject([{ consumer: team, receiptId: `plain:${id}` }]);
      expect((await world.operation('operation-fails')).deliveries).toMatchObject([
        { failureCount: 1, attempts: [{ failures: 1, answer: { kind: 'receipt' } }] },
      ]);
      expect(output.match(/run operation-fails/g)).toHaveLength(2);
      await ask('test');
      const tested = await eventually(async () => (await ask('test')).tests?.[0]?.receipt, {
        describe: 'the receipt of the test',
      });
      expect(tested.receiptId).toBe('the endpoint is there');
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('with the published package changes its secret while it is served, and loses nothing', async () => {
    let secrets = [secretOf(team)];
    const consumed: string[] = [];
    const handle = receiveDeliveries({
      secrets: () => secrets,
      consume: async ({ operationId }) => (
        consumed.push(operationId),
        { receiptId: operationId, effectiveAt: new Date() }
      ),
    });
    const server = createServer((request, response) => void handle(request, response));
    await ask('register_endpoint', await listen(server));
    try {
      await world.announce('operation-1');
      await world.settlementOf('operation-1');
      writeFileSync(join(folder, team), `${secretOf('next')}\n${secretOf(team)}\n`);
      await world.announce('operation-2');
      await world.settlementOf('operation-2');
      secrets = [secretOf('next')];
      await world.announce('operation-3');
      await world.settlementOf('operation-3');
      writeFileSync(join(folder, team), `${secretOf('next')}\n`);
      await world.announce('operation-4');
      await world.settlementOf('operation-4');
      expect(consumed).toEqual([1, 2, 3, 4].map((nth) => `operation-${nth}`));
      expect(posts).toEqual(['receipt', 'receipt', 'receipt', 'receipt']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('whose endpoint redirects gets nothing anywhere else, and the delivery says why', async () => {
    const reached: string[] = [];
    const elsewhere = createServer((request, response) => (reached.push(request.url ?? ''), void response.end()));
    const port = await listen(elsewhere);
    const redirecting = createServer((_request, response) => {
      response.writeHead(308, { location: `http://127.0.0.1:${port}/stolen` });
      response.end();
    });
    await ask('register_endpoint', await listen(redirecting));
    try {
      await world.announce('operation-1');
      const failed = await eventually(
        async () => (await world.operation('operation-1')).deliveries.find(({ status }) => status === 'failed'),
        { describe: 'the failure on the delivery' },
      );
      expect(failed.lastError).toBe('HTTP 308: redirects are not followed');
      expect(reached).toEqual([]);
    } finally {
      for (const server of [elsewhere, redirecting]) {
        server.closeAllConnections();
        server.close();
      }
    }
  });
});
