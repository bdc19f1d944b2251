/**
 * The platform as processes with a receiver of spans: the creation of a workspace is one trace from the gateway over
 * provisioning, the provider and the delivery to a consumer of another team. Spans, logs, messages, answers and foreign
 * databases contain nothing of the values planted in configuration, extras and billing profile.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { createRecording, createRedact, type RecordingTracing } from '@platform/service-host';
import { eventually } from '@platform/testing';
import { connectWorkspacePlatform, type WorkspacePlatformConnection } from '@platform/workspace-platform/connect';
import { RegisterTenantLifecycleConsumer } from '@platform/workspace-platform/tenant-lifecycle';
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { MongoClient } from 'mongodb';
import { readSecrets } from '../../../infra/local/secrets';
import { portOffsets } from '../../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../../support/platform';
import { startSpanReceiver, type ReceivedSpan, type SpanReceiver } from '../../support/span-receiver';
import { metricsIn, panels, rules } from './monitoring-files';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const planted = { extras: 'canary-extras-5d1f0c', name: 'Canary Profile-77ab', field: 'canary-field-c3e1' };

let receiver: SpanReceiver;
let platform: TestPlatform;
let tracing: RecordingTracing;
/** The spans of the other team's service in this process. */
const mailed = new InMemorySpanExporter();
let consumer: WorkspacePlatformConnection;
let created: { readonly status: number; readonly body: { readonly tenantId: string } };
const answers: string[] = [];
const saved = { ...process.env };

async function post(
  path: string,
  token: string,
  body: object,
): Promise<{ status: number; body: { tenantId: string } }> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    traceparent,
    'request-id': 'trace-acceptance-1',
  };
  const response = await fetch(`${platform.gatewayUrl}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  answers.push(text);
  return { status: response.status, body: JSON.parse(text) as { tenantId: string } };
}

beforeAll(async () => {
  receiver = await startSpanReceiver();
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, LOG_LEVEL: 'debug' });
  platform = await startPlatform({});
  tracing = await createRecording({
    executor: { service: 'mailer', instance: 'mailer-1', incarnation: 'boot-1' },
    exporter: mailed,
    ratio: 1,
    redact: createRedact(),
    atOnce: true,
  });
  RegisterTenantLifecycleConsumer({
    name: 'mailer',
    transitions: ['created'],
    consume: async ({ operationId }) => ({ receiptId: operationId, effectiveAt: new Date() }),
  });
  consumer = await connectWorkspacePlatform({
    natsUrl: platform.natsUrl,
    instance: 'mailer-1',
    log: silentLog,
    tracing,
  });
  await consumer.ready();
  const token = await platform.token({ role: 'user', email: 'ada@example.com' });
  created = await post('/api/saas/workspaces', token, {
    workspaceName: 'Traced',
    planId: 'starter',
    paymentMethodId: 'pm_card_visa',
    billingProfile: { name: planted.name, country: 'GB' },
    extras: { note: planted.extras },
  });
  await post('/api/saas/workspaces/acme/balance-credit', await platform.token({ role: 'platform_owner' }), {
    operationId: 'traced-credit-1',
    amountCents: 100,
    reason: 'Goodwill',
  });
  await post('/api/saas/workspaces', token, {
    workspaceName: planted.field.repeat(50),
    planId: planted.field,
    unknownField: planted.field,
  });
});
afterAll(async () => {
  process.env = saved;
  await consumer?.close();
  await tracing?.close();
  await platform?.stop();
  await receiver?.close();
});

type SeenSpan = Pick<ReceivedSpan, 'service' | 'name' | 'traceId' | 'spanId' | 'parentSpanId'>;
const inThisProcess = (): SeenSpan[] =>
  mailed.getFinishedSpans().map((span) => ({
    service: 'mailer',
    name: span.name,
    ...span.spanContext(),
    parentSpanId: span.parentSpanContext?.spanId,
  }));
const ofTrace = (): SeenSpan[] => [...receiver.spans, ...inThisProcess()].filter((span) => span.traceId === traceId);
const has = (service: string, name: string | RegExp): boolean =>
  ofTrace().some(
    (span) => span.service === service && (typeof name === 'string' ? span.name === name : name.test(span.name)),
  );

describe('the creation of a workspace', () => {
  it('is one trace over four services, the store, the broker and the provider', async () => {
    expect(created.status).toBe(201);
    const steps: [string, string | RegExp][] = [
      ['operator', 'POST /api/saas/workspaces'],
      ['operator', 'ask provisioning.workspace.create'],
      ['provisioning', 'answer provisioning.workspace.create'],
      ['provisioning', 'attempts.insert'],
      ['provisioning', 'provider create_customer'],
      ['provisioning', /^publish workspace\.committed/],
      ['provisioning', /^publish lifecycle\.message/],
      ['lifecycle-delivery', /^receive lifecycle\.message/],
      ['lifecycle-delivery', /^publish tenant\.lifecycle/],
      ['mailer', /^receive tenant\.lifecycle/],
      ['mailer', /^publish tenant\.receipt/],
      ['lifecycle-delivery', /^receive tenant\.receipt/],
      ['operator', /^receive workspace\.committed/],
    ];
    const missing = (): string[] =>
      steps.filter(([service, name]) => !has(service, name)).map(([service, name]) => `${service} ${name}`);
    await eventually(() => missing().length === 0 || Promise.reject(new Error(missing().join(', '))), {
      describe: 'all spans of the creation',
    });
    expect(new Set(ofTrace().map(({ service }) => service))).toEqual(
      new Set(['operator', 'provisioning', 'lifecycle-delivery', 'mailer']),
    );
  });

  it('is one tree: every span but the sender’s own has its parent in it', async () => {
    const orphans = (): string[] => {
      const known = new Set(['00f067aa0ba902b7', ...ofTrace().map(({ spanId }) => spanId)]);
      return ofTrace()
        .filter(({ parentSpanId }) => parentSpanId === undefined || !known.has(parentSpanId))
        .map(({ service, name }) => `${service} ${name}`);
    };
    await eventually(() => orphans().length === 0, { describe: 'the parents of all spans' });
    expect(orphans()).toEqual([]);
  });

  it('is found in the logs by its trace, its request and its operation', () => {
    const lines = readdirSync(join(platform.localDir, 'logs')).flatMap((file) =>
      readFileSync(join(platform.localDir, 'logs', file), 'utf8').split('\n'),
    );
    const mine = lines
      .filter((line) => line.includes(traceId))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([...new Set(mine.map(({ service }) => service))]).toEqual(
      expect.arrayContaining(['operator', 'provisioning']),
    );
    expect(mine.some(({ requestId }) => requestId === 'trace-acceptance-1')).toBe(true);
    expect(
      mine.find(({ operationId, message }) => operationId === 'traced-credit-1' && message === 'answered'),
    ).toMatchObject({ service: 'operator', requestId: 'trace-acceptance-1' });
  });
});

describe('what was planted', () => {
  const secrets = (): string[] => Object.values(readSecrets(platform.localDir));
  const hits = (place: string, text: string, sought: readonly string[]): string[] =>
    sought.filter((canary) => text.includes(canary)).map((canary) => `${place}: ${canary.slice(0, 12)}…`);
  const everything = (): string[] => [...Object.values(planted), ...secrets()];

  it('is in no log, no span and no refusal', () => {
    const logs = readdirSync(join(platform.localDir, 'logs'));
    expect(logs.length).toBeGreaterThan(5);
    expect(
      logs.flatMap((file) => hits(file, readFileSync(join(platform.localDir, 'logs', file), 'utf8'), everything())),
    ).toEqual([]);
    expect(hits('spans', receiver.text(), everything())).toEqual([]);
    expect(answers).toHaveLength(3);
    expect(hits('answers', answers.join('\n'), everything())).toEqual([]);
    expect(answers[2]).toContain('invalid_request');
  });

  it('is in no message', async () => {
    const messaging = await connectMessaging({
      url: platform.natsUrl,
      name: 'search',
      topology: platformTopology(),
      log: silentLog,
    });
    const seen: string[] = [];
    const states = (await messaging.streamStates()).filter(
      ({ messages, stream }) => messages > 0 && stream !== 'TENANT_LIFECYCLE',
    );
    const expected = states.reduce((sum, { messages }) => sum + messages, 0);
    for (const { stream } of states) {
      await messaging.ensureDurable({
        stream,
        durable: 'search',
        filterSubjects: [],
        ackWaitMs: 10_000,
        maxAckPending: 100,
      });
      await messaging.consume(
        { stream, durable: 'search', concurrency: 20 },
        async (message) => (seen.push(JSON.stringify(message)), { kind: 'ack' }),
      );
    }
    await eventually(() => seen.length >= expected, { describe: 'every stored message' });
    await messaging.close();
    expect(expected).toBeGreaterThan(3);
    expect(hits('messages', seen.join('\n'), everything())).toEqual([]);
  });

  it('is in no database but that of its owner, and extras in none', async () => {
    const client = await new MongoClient(platform.mongodbUrl).connect();
    const textOf = async (name: string): Promise<string> => {
      const collections = await client.db(name).listCollections({}, { nameOnly: true }).toArray();
      const documents = await Promise.all(
        collections.map(async (each) => client.db(name).collection(each.name).find().toArray()),
      );
      return JSON.stringify(documents);
    };
    const [own, ...foreign] = await Promise.all(
      ['provisioning', 'operator', 'billing_webhook', 'lifecycle_delivery'].map(textOf),
    );
    await client.close();
    expect(foreign.flatMap((text) => hits('a foreign database', text, everything()))).toEqual([]);
    expect(hits('its own database', own ?? '', [planted.extras, ...secrets()])).toEqual([]);
    expect(own).toContain(planted.name);
  });
});

describe('dashboard and alerts', () => {
  it('ask only for figures that the running services export', async () => {
    const ports = [
      portOffsets.operator,
      portOffsets.billingWebhook,
      portOffsets.provisioning,
      portOffsets.lifecycleDelivery,
      portOffsets.queryBuilder,
    ];
    const texts = await Promise.all(
      ports.map(async (offset) => (await fetch(`http://127.0.0.1:${platform.portBase + offset}/metrics`)).text()),
    );
    const exported = new Set(
      texts
        .flatMap((text) => [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)])
        .flatMap(([, name = '', type]) =>
          type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
        ),
    );
    const requests = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    // Exported only where the connection to the broker uses certificates, which the local platform does not.
    const overTls = 'broker_certificate_days_left';
    expect(requests.flatMap(metricsIn).length).toBeGreaterThan(requests.length - 1);
    expect(requests.flatMap(metricsIn).filter((name) => !exported.has(name) && name !== overTls)).toEqual([]);
  });

  it('say what a person must do, under names that are taken once', () => {
    for (const { alert, labels, annotations } of rules)
      expect([
        alert,
        ['page', 'ticket'].includes(labels.severity),
        annotations.summary.length > 10,
        annotations.action.length > 10,
      ]).toEqual([alert, true, true, true]);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
