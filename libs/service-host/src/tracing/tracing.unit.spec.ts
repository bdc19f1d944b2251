import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { noTracing, readTraceparent, type Tracing } from '@platform/kernel';
import { createRedact } from '../redact';
import { openTracing } from './open-tracing';
import { createRecording, type RecordingTracing } from './record';

const executor = { service: 'operator', instance: 'operator-1', incarnation: 'boot-1' };
const remote = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const arrival = { name: 'POST /api/credits', kind: 'server' } as const;

describe('tracing that records', () => {
  let exporter: InMemorySpanExporter;
  let tracing: RecordingTracing;
  beforeEach(async () => {
    exporter = new InMemorySpanExporter();
    tracing = await createRecording({
      executor,
      exporter,
      ratio: 1,
      redact: createRedact(['a-secret-of-configuration']),
      atOnce: true,
    });
  });
  afterEach(() => tracing.close());

  it('makes the arrival a child of its sender and each step a child of the arrival', async () => {
    const activity = tracing.begin({ ...arrival, traceparent: remote });
    await activity.within(() => tracing.step({ name: 'operations.insert', kind: 'client' }, async () => 1));
    activity.end();
    const [step, server] = exporter.getFinishedSpans();
    expect(server).toMatchObject({
      name: 'POST /api/credits',
      kind: 1,
      parentSpanContext: { spanId: '00f067aa0ba902b7' },
    });
    expect(step).toMatchObject({
      name: 'operations.insert',
      kind: 2,
      parentSpanContext: { spanId: server?.spanContext().spanId },
    });
    expect(step?.spanContext().traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(server?.resource.attributes).toMatchObject({
      'service.name': 'operator',
      'service.instance.id': 'operator-1',
    });
  });

  it('hands a step the context that its message carries on', async () => {
    const activity = tracing.begin(arrival);
    const sent = await activity.within(() =>
      tracing.step({ name: 'publish', kind: 'producer' }, async (span) => span.traceparent),
    );
    activity.end();
    expect(readTraceparent(sent)?.spanId).toBe(exporter.getFinishedSpans()[0]?.spanContext().spanId);
  });

  it('follows the context of a record where there is one', async () => {
    await tracing.step({ name: 'publish', kind: 'producer', traceparent: remote }, async () => undefined);
    expect(exporter.getFinishedSpans()[0]?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
  });

  it('records no step that belongs to no trace', async () => {
    expect(await tracing.step({ name: 'ping', kind: 'client' }, async (span) => span.traceparent)).toBeUndefined();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('marks a failed step, passes its error on and blanks secrets in it', async () => {
    const activity = tracing.begin(arrival);
    const failing = activity.within(() =>
      tracing.step({ name: 'x', kind: 'client' }, async () =>
        Promise.reject(new Error('no a-secret-of-configuration')),
      ),
    );
    await expect(failing).rejects.toThrow('no a-secret');
    activity.end('internal_error');
    expect(exporter.getFinishedSpans().map(({ status }) => status)).toEqual([
      { code: 2, message: 'Error: no [redacted]' },
      { code: 2, message: 'internal_error' },
    ]);
  });

  it('keeps a sender’s choice not to be recorded', async () => {
    tracing.begin({ ...arrival, traceparent: remote.replace(/01$/, '00') }).end();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('tells two activities at the same time apart', async () => {
    const fields = await Promise.all(
      ['op-1', 'op-2'].map((operationId) =>
        tracing
          .begin(arrival)
          .within(async () => (await Promise.resolve(), tracing.fields()), { requestId: 'r', operationId }),
      ),
    );
    expect(fields.map(({ operationId }) => operationId)).toEqual(['op-1', 'op-2']);
    expect(fields[0]?.['traceId']).not.toBe(fields[1]?.['traceId']);
    expect(tracing.fields()).toEqual({});
  });
});

describe('the tracing of a process', () => {
  const begun = (tracing: Tracing) => {
    const activity = tracing.begin({ ...arrival, traceparent: remote });
    return {
      activity,
      ...activity.within(() => ({ fields: tracing.fields(), sent: tracing.traceparent() }), { operationId: 'op-1' }),
    };
  };

  it('is off unless asked, and then still gives each request its trace id', async () => {
    const { activity, fields, sent } = begun(await openTracing({ executor }));
    expect(activity.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect({ fields, sent }).toEqual({ fields: {}, sent: undefined });
    await expect(noTracing.step({ name: 'x', kind: 'client' }, async () => 7)).resolves.toBe(7);
  });

  it('carries ids when asked, without recording', async () => {
    const tracing = await openTracing({ executor, carried: true });
    const { activity, fields, sent } = begun(tracing);
    expect(tracing.recording).toBe(false);
    expect(fields).toEqual({ traceId: activity.traceId, operationId: 'op-1' });
    expect(sent).toBe(activity.traceparent);
    expect(
      await activity.within(() => tracing.step({ name: 'x', kind: 'producer' }, async (span) => span.traceparent)),
    ).toBe(activity.traceparent);
  });

  it('ends although the receiver of spans is unreachable', async () => {
    const tracing = await openTracing({ executor, endpoint: 'http://127.0.0.1:1' });
    tracing.begin(arrival).end();
    await expect(tracing.close()).resolves.toBeUndefined();
  });
});
