/**
 * Signed events, some of them 64 times at once, until their outcome is recorded and answered: the receiver compared
 * with hand-written raw calls, on one broker and one document store, in alternating rounds. One owner answers both
 * sides and counts the events dispatched to it.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { connect, headers as createHeaders, type NatsConnection } from '@nats-io/transport-node';
import { signatureHeader, webhookPath } from '@platform/contracts-billing-webhook';
import { ensureTopology, platformTopology } from '@platform/messaging';
import { freePort } from '@platform/testing';
import { findRoot } from '../../infra/local/settings';
import { cpuOf } from './cpu-time';
import { startServer } from './lifecycle';
import { drive, median, progress, summarise, type BenchReport, type Side } from './report';
import { floorNamespace, floorStream, floorSubject } from './webhooks-work';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const widths = [
  { inFlight: 32, events: 800 },
  { inFlight: 256, events: 1_600 },
] as const;
/** Credits before the measurement, after which the code of both sides is compiled. */
const warmUp = 1_500;
const secret = 'whsec_of_the_webhooks_bench';
/** One event in `stormEvery` is sent `storm` times at once. */
const [stormEvery, storm] = [100, 64];
const root = findRoot(__dirname);

interface Receiver {
  readonly port: number;
  readonly stream: (name: string) => string;
  readonly subject: (subject: string) => string;
  readonly pid: number;
}

function post(agent: Agent, { port }: Receiver, eventId: string): Promise<number> {
  const at = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify({
    id: eventId,
    object: 'event',
    type: 'customer.updated',
    created: at,
    data: { object: { id: 'cus_1', object: 'customer' } },
  });
  const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      [signatureHeader]: `t=${at},v1=${signature}`,
    };
    const call = request({ agent, host: '127.0.0.1', port, method: 'POST', path: webhookPath, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    call.once('error', reject);
    call.end(body);
  });
}

/** Plays the service that owns the events: reports success at once, and counts the received events. */
async function startOwner(connection: NatsConnection, { stream, subject }: Receiver): Promise<Map<string, number>> {
  const dispatched = new Map<string, number>();
  const js = jetstream(connection);
  const consumer = await js.consumers.get(stream('PROVIDER_EVENTS'), 'operator');
  const messages = await consumer.consume({ max_messages: 256 });
  void (async () => {
    for await (const message of messages) {
      const { eventId, admittedRevision } = message.json<{ eventId: string; admittedRevision: string }>();
      dispatched.set(eventId, (dispatched.get(eventId) ?? 0) + 1);
      const headers = createHeaders();
      const id = `provider-outcome:${eventId}`;
      for (const [name, value] of Object.entries({
        'ce-id': id,
        'ce-type': 'provider.outcome.v1',
        'ce-source': 'bench',
        'ce-time': new Date().toISOString(),
      }))
        headers.set(name, value);
      void js
        .publish(
          subject('provider.outcome.operator'),
          JSON.stringify({ eventId, admittedRevision, outcome: 'success' }),
          { msgID: id, headers },
        )
        .then(() => message.ack());
    }
  })();
  return dispatched;
}

interface Measured extends Side {
  readonly cpuMs: Readonly<Record<string, number>>;
}

let sequence = 0;

async function measure(
  receiver: Receiver,
  dispatched: ReadonlyMap<string, number>,
  { inFlight, events }: { inFlight: number; events: number },
  storePid: number,
): Promise<Measured> {
  const prefix = `evt_${process.pid}_${(sequence += 1)}`;
  // Separate connections for each round, because a server may close idle ones while the other side is measured.
  const agent = new Agent({ keepAlive: true, maxSockets: 1_024 });
  const { value, cpuMs } = await cpuOf({ receiver: receiver.pid, store: storePid }, () =>
    drive(events, inFlight, async (index) => {
      const eventId = `${prefix}_${index}`;
      const statuses = await Promise.all(
        Array.from({ length: index % stormEvery === stormEvery - 1 ? storm : 1 }, () => post(agent, receiver, eventId)),
      );
      if (!statuses.includes(200) || statuses.some((status) => status !== 200 && status !== 500))
        throw new Error(`${eventId} was answered ${statuses.join(' ')}`);
    }),
  ).finally(() => agent.destroy());
  for (let index = 0; index < events; index += 1) {
    const times = dispatched.get(`${prefix}_${index}`);
    if (times !== 1) throw new Error(`${prefix}_${index} was dispatched ${times ?? 0} times`);
  }
  return {
    ...summarise(value.samplesMs, value.elapsedMs),
    cpuMs: Object.fromEntries(Object.entries(cpuMs).map(([name, spent]) => [name, spent / events])),
  };
}

const rate = (sides: readonly Side[]) => median(sides.map(({ perSecond }) => perSecond)).toFixed(0);
const millis = (values: readonly number[]) => median(values).toFixed(1);

async function runBench(
  connection: NatsConnection,
  ours: Receiver,
  floor: Receiver,
  storePid: number,
): Promise<BenchReport> {
  const [toUs, toFloor] = [await startOwner(connection, ours), await startOwner(connection, floor)];
  const rows: string[][] = [];
  progress(`warming up, ${warmUp} events on either side`);
  await measure(ours, toUs, { inFlight: 32, events: warmUp }, storePid);
  await measure(floor, toFloor, { inFlight: 32, events: warmUp }, storePid);
  for (const width of widths) {
    const [mine, theirs]: [Measured[], Measured[]] = [[], []];
    await measure(ours, toUs, { ...width, events: Math.ceil(width.events / 4) }, storePid);
    await measure(floor, toFloor, { ...width, events: Math.ceil(width.events / 4) }, storePid);
    for (let round = 0; round < rounds; round += 1) {
      progress(`${width.inFlight} in flight, round ${round + 1} of ${rounds}`);
      mine.push(await measure(ours, toUs, width, storePid));
      theirs.push(await measure(floor, toFloor, width, storePid));
    }
    const ratio = median(mine.map((side, at) => side.perSecond / theirs[at]!.perSecond)).toFixed(2);
    const cpu = (name: string) =>
      `${median(mine.map(({ cpuMs }) => cpuMs[name]!)).toFixed(2)} / ${median(theirs.map(({ cpuMs }) => cpuMs[name]!)).toFixed(2)}`;
    rows.push([
      String(width.inFlight),
      rate(mine),
      rate(theirs),
      ratio,
      millis(mine.map(({ p50Ms }) => p50Ms)),
      millis(theirs.map(({ p50Ms }) => p50Ms)),
      millis(mine.map(({ p99Ms }) => p99Ms)),
      millis(theirs.map(({ p99Ms }) => p99Ms)),
      cpu('receiver'),
      cpu('store'),
    ]);
  }
  return {
    title: 'webhooks: events per second until their outcome is recorded and answered, receiver against floor',
    head: [
      'in flight',
      'receiver /s',
      'floor /s',
      'ratio',
      'p50 ms',
      'floor p50',
      'p99 ms',
      'floor p99',
      'receiver CPU ms',
      'store CPU ms',
    ],
    rows,
    notes: [
      `Medians of ${rounds} alternating rounds on one broker and one embedded document store, majority and journal on every write; every ${stormEvery}th event comes ${storm} times at once. Each event was dispatched exactly once, or the bench had failed. Goal: ratio ≥ 0.8.`,
      'The floor makes the same calls by hand: verify, insert, publish, then, with the outcome, read, update, close the outbox row. CPU: milliseconds per event, receiver / floor, as the kernel counts them.',
    ],
  };
}

export async function benchWebhooks(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-platform-bench-'));
  const children: ChildProcess[] = [];
  let connection: NatsConnection | undefined;
  const started = <T extends { readonly child: ChildProcess }>(part: T): T => (children.push(part.child), part);
  try {
    const store = started(
      await startServer('dist/libs/embedded-mongo/main.js', ['--port', '0', '--data', join(folder, 'mongo')]),
    );
    const broker = started(
      await startServer('infra/local/nats-server.mjs', ['--port', '0', '--data', join(folder, 'nats')]),
    );
    for (const namespace of [undefined, floorNamespace])
      await ensureTopology({ url: broker.url, topology: platformTopology(), ...(namespace && { namespace }) });
    connection = await connect({ servers: broker.url });
    const environment = { ...process.env, NATS_URL: broker.url, MONGODB_URL: `${store.url}/` };
    const port = await freePort();
    const service = spawn(process.execPath, [join(root, 'dist/services/billing-webhook/main.js')], {
      env: {
        ...environment,
        PORT: String(port),
        PLATFORM_MODE: 'local',
        WEBHOOK_SECRETS: secret,
        RATE_LIMIT_PER_MINUTE: '0',
        WEBHOOK_WAIT_MS: '60000',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.push(service);
    while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const floor = fork(join(root, 'dist/test/bench/webhooks-floor.js'), { env: { ...environment, SECRET: secret } });
    children.push(floor);
    const [{ port: floorPort }] = (await once(floor, 'message')) as [{ port: number }];
    return await runBench(
      connection,
      { port, stream: (name) => name, subject: (subject) => subject, pid: service.pid! },
      { port: floorPort, stream: floorStream, subject: floorSubject, pid: floor.pid! },
      store.child.pid!,
    );
  } finally {
    await connection?.close();
    for (const child of children.reverse()) {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
