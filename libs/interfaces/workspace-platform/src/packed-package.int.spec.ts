/**
 * What another team receives: the packed tarball in an empty project outside this repository, type-checked with its own
 * declarations, and a consumer that runs there against a real broker. The test plays the platform's side by hand.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ok, silentLog } from '@platform/kernel';
import {
  connectMessaging,
  ensureTopology,
  platformTopology,
  type InboundMessage,
  type Messaging,
} from '@platform/messaging';
import { eventually, uniqueName } from '@platform/testing';
import { client, consumer, receiver } from './packed-programs.harness';

const run = promisify(execFile);
const root = path.resolve(__dirname, '../../../..');

describe('the packed package', () => {
  let folder: string;
  let operator: Messaging;
  const namespace = uniqueName('packed');
  const natsUrl = process.env['TEST_NATS_URL']!;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'outside-'));
    await ensureTopology({ url: natsUrl, topology: platformTopology(), namespace });
    operator = await connectMessaging({
      url: natsUrl,
      name: 'lifecycle-delivery',
      namespace,
      topology: platformTopology(),
      log: silentLog,
      pullExpiresMs: 1_000,
    });
  });
  afterAll(async () => {
    await operator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An empty project of a team whose installation refuses packages that need a newer Node, with the tarball in it. */
  async function install(): Promise<void> {
    const built = path.join(folder, 'package');
    await run(process.execPath, [path.join(root, 'libs/interfaces/workspace-platform/build.mjs'), '--out', built], {
      cwd: root,
    });
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: built });
    const project = path.join(folder, 'project');
    mkdirSync(project);
    writeFileSync(
      path.join(project, 'package.json'),
      JSON.stringify({ name: 'outside', version: '1.0.0', private: true }),
    );
    writeFileSync(path.join(project, '.npmrc'), 'engine-strict=true\n');
    await run(
      'npm',
      ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', path.join(folder, stdout.trim())],
      { cwd: project },
    );
  }

  /** Compiles strictly, including the declarations of the package. */
  async function compile(): Promise<void> {
    const project = path.join(folder, 'project');
    writeFileSync(path.join(project, 'consumer.ts'), consumer);
    writeFileSync(path.join(project, 'client.ts'), client);
    writeFileSync(path.join(project, 'receiver.ts'), receiver);
    const options = {
      strict: true,
      target: 'es2023',
      lib: ['es2023'],
      module: 'node16',
      moduleResolution: 'node16',
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules/@types')],
    };
    writeFileSync(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['consumer.ts', 'client.ts', 'receiver.ts'] }),
    );
    await run(process.execPath, [path.join(root, 'node_modules/typescript-native/bin/tsc'), '-p', project], {
      cwd: project,
    }).catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });
  }

  async function servePlatform(asked: Record<string, unknown>[]): Promise<void> {
    const answer = (value: (body: Record<string, unknown>) => Record<string, unknown>) => async (body: unknown) => (
      asked.push(body as Record<string, unknown>),
      ok(value(body as Record<string, unknown>))
    );
    await operator.ensureDurable({
      stream: 'TENANT_LIFECYCLE',
      durable: 'outside',
      filterSubjects: ['tenant.lifecycle.*.outside'],
      ackWaitMs: 30_000,
      maxAckPending: 10,
    });
    await operator.serve({ name: 'platform', version: '1.0.0', description: 'by hand' }, [
      {
        name: 'register',
        subject: 'lifecycle.consumer.register.*',
        answer: answer(({ name }) => ({ name, stream: 'TENANT_LIFECYCLE', durable: name, replaced: false })),
      },
      {
        name: 'unregister',
        subject: 'lifecycle.consumer.unregister.*',
        answer: answer(({ name }) => ({ name, removed: true })),
      },
      {
        name: 'listen',
        subject: 'provisioning.listeners.register.*',
        answer: answer(({ name }) => ({ name, replaced: false })),
      },
      {
        name: 'listen-no-more',
        subject: 'provisioning.listeners.unregister.*',
        answer: answer(({ name }) => ({ name, removed: true })),
      },
      {
        name: 'gate',
        subject: 'provisioning.gate.is_committed',
        answer: answer(({ tenantId }) => ({ committed: tenantId === 'acme' })),
      },
    ]);
  }

  it('installs into an empty project, type-checks there, and consumes a transition from a real broker', async () => {
    await install();
    await compile();
    const asked: Record<string, unknown>[] = [];
    await servePlatform(asked);
    const receipts: InboundMessage[] = [];
    await operator.consume(
      { stream: 'TENANT_RECEIPTS', durable: 'lifecycle-delivery' },
      async (message) => (receipts.push(message), { kind: 'ack' }),
    );
    const child = spawn(process.execPath, ['consumer.js', natsUrl, namespace], {
      cwd: path.join(folder, 'project'),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      await eventually(() => output.includes('ready'), { describe: `the consumer's output: ${output}` });
      expect(output).toBe('invalid_registration\ntrue\nready\n');
      const body = {
        tenantId: 'acme',
        operationId: 'workspace-created:acme',
        transition: 'created',
        requestedAt: new Date().toISOString(),
      };
      for (const id of ['delivery:1', 'delivery:2'])
        await operator.publish({ subject: 'tenant.lifecycle.created.outside', id, type: 'tenant.lifecycle.v1', body });
      const told = {
        event: 'TENANT_BEING_PROVISIONED',
        tenantId: 'fresh',
        attemptId: 'fresh',
        workspaceName: 'Fresh',
        ownerUserId: 'ann',
        planId: 'starter',
      };
      expect(await operator.request('tenant_being_provisioned.outside', told, 10_000)).toEqual({
        ok: true,
        value: { done: true },
      });
      expect(
        await operator.request('tenant_being_provisioned.outside', { ...told, extras: { region: 'mars' } }, 10_000),
      ).toMatchObject({ ok: false, error: { serverCode: 'region_unknown' } });
      expect(
        await operator.request('tenant_deleted.outside', { ...told, event: 'TENANT_DELETED' }, 10_000),
      ).toMatchObject({ ok: false, error: { code: 'no_responders' } });
      const receipt = await eventually(() => receipts[0], { describe: 'the receipt' });
      expect(receipt).toMatchObject({
        subject: 'tenant.receipt.outside',
        type: 'tenant.receipt.v1',
        body: {
          tenantId: 'acme',
          operationId: 'workspace-created:acme',
          transition: 'created',
          receiptId: 'outside:workspace-created:acme',
        },
      });
      child.stdin.write('stop\n');
      expect(await ended).toBe(0);
      expect(output).toContain('provisioned fresh\n');
      expect(asked.map(({ name, tenantId }) => name ?? tenantId)).toEqual([
        'outside',
        'outside',
        'acme',
        'outside',
        'outside',
      ]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('checks a signed delivery of a team without the broker', async () => {
    const { stdout } = await run(process.execPath, ['receiver.js'], { cwd: path.join(folder, 'project') });
    expect(stdout).toBe('op-1\ntrue\n');
  });

  it('asks the gateway by the names of its operations, with types of what each takes and answers', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const found = request.method === 'GET';
      response.writeHead(found ? 200 : 409, { 'content-type': 'application/json' });
      const refusal = { code: 'operation_id_reused', detail: 'No.' };
      response.end(
        JSON.stringify(found ? { workspaces: [{ tenantId: 'acme', status: 'active' }], found: 'all' } : refusal),
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    try {
      const { stdout } = await run(process.execPath, ['client.js', `http://127.0.0.1:${port}/`], {
        cwd: path.join(folder, 'project'),
      });
      expect(stdout).toBe('acme active\n409 operation_id_reused\n');
      expect(asked).toEqual([
        'GET /api/saas/workspaces?query=acme&order=newest Bearer a-token',
        'POST /api/saas/workspaces/acme/balance-credit Bearer a-token',
      ]);
    } finally {
      server.close();
    }
  });
});
