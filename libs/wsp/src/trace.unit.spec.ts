import type { Case } from '@platform/workspace-platform/gateway';
import { describeTrace, traceOf, type TraceFile } from './trace';

const id = 'op-1';
const traced = 'a'.repeat(32);
const found = {
  kind: 'operation',
  id,
  status: 'succeeded',
  title: 'suspend',
  timeline: [
    { at: '2026-03-02T08:00:00.000Z', what: 'Intent written', tone: 'neutral' },
    { at: '2026-03-02T08:00:03.000Z', what: 'Succeeded', tone: 'good' },
  ],
  deliveries: [
    {
      createdAt: '2026-03-02T08:00:02.000Z',
      consumer: 'storage',
      status: 'succeeded',
      attemptCount: 2,
      failureCount: 1,
    },
  ],
  notProven: ['That nothing more will happen.'],
} as unknown as Case;

const line = (fields: object) =>
  JSON.stringify({ level: 'info', at: '2026-03-02T08:00:01.000Z', service: 'operator', message: 'said', ...fields });
const logs = (...lines: string[]): TraceFile => ({ name: 'operator.log', kind: 'logs', lines });
const whats = (...files: TraceFile[]) => traceOf(found, files).events.map(({ source, what }) => `${source}: ${what}`);
const owned = ['record: Intent written', 'delivery: Delivery to storage: succeeded', 'record: Succeeded'];

describe('the timeline of a record', () => {
  it('is what its owner recorded and what was delivered, in the order of time', () => {
    expect(whats()).toEqual(owned);
  });

  it('has the log lines that name the record, wherever they name it', () => {
    for (const naming of [
      { operationId: id },
      { id },
      { deliveryId: `${id}/storage` },
      { key: `${id}:balance_credit` },
    ])
      expect(whats(logs(line(naming)))).toEqual([owned[0], 'log: said', owned[1], owned[2]]);
  });

  it('has none of a record whose id only contains the id', () => {
    for (const other of ['op-10', 'my-op-1', 'op-1-2', 'op-1_b'])
      expect(whats(logs(line({ operationId: other })))).toEqual(owned);
  });

  it('has the lines of all services that belong to a trace which names it', () => {
    const other: TraceFile = {
      name: 'provisioning.log',
      kind: 'logs',
      lines: [line({ service: 'provisioning', traceId: traced, message: 'within' }), line({ traceId: 'b'.repeat(32) })],
    };
    const trace = traceOf(found, [logs(line({ operationId: id, traceId: traced })), other]);
    expect(trace.events.map(({ service, what }) => [service, what])).toContainEqual(['provisioning', 'within']);
    expect(trace.traceIds).toEqual([traced]);
    expect(trace.read).toEqual([
      { file: 'operator.log', lines: 1, belong: 1 },
      { file: 'provisioning.log', lines: 2, belong: 1 },
    ]);
  });

  it('reads lines behind the name of a container, and passes over what is no log line', () => {
    const mixed = logs(`operator-1  | ${line({ operationId: id })}`, 'Listening', '{"not":', '{"at":"never"}', '');
    expect(whats(mixed)).toEqual([owned[0], 'log: said', owned[1], owned[2]]);
  });

  it('says when a line is no information but a warning', () => {
    expect(whats(logs(line({ operationId: id, level: 'warn' })))).toContain('log: WARN said');
  });

  it('says the steps of records in words', () => {
    const step = { operationId: id, message: 'a step is recorded', record: 'lifecycle_message', id, tenantId: 'acme' };
    const { events } = traceOf(found, [
      logs(line({ ...step, to: 'open' }), line({ ...step, from: 'open', to: 'settled' })),
    ]);
    expect(events.filter(({ source }) => source === 'log')).toEqual([
      expect.objectContaining({ what: 'lifecycle message begins as open', detail: 'tenantId=acme' }),
      expect.objectContaining({ what: 'lifecycle message from open to settled' }),
    ]);
  });

  it('passes over what is no span, and keeps the spans beside it', () => {
    const attributes = [{ key: 'operation.id', value: { stringValue: id } }];
    const times = { startTimeUnixNano: '1772438401000000000', endTimeUnixNano: '1772438401002000000' };
    const spans = [
      { traceId: traced, name: 'without times', attributes },
      { traceId: traced, name: 'whole', attributes, ...times },
      { traceId: traced, name: 'beyond time', attributes, ...times, startTimeUnixNano: '9'.repeat(22) },
    ];
    const lines = [{ resourceSpans: [null] }, { resourceSpans: {} }, { resourceSpans: [{ scopeSpans: [{ spans }] }] }];
    const file = { name: 'spans.jsonl', kind: 'spans' as const, lines: lines.map((each) => JSON.stringify(each)) };
    expect(whats(file).filter((what) => what.startsWith('span'))).toEqual(['span: whole']);
  });

  it('has the spans of its trace with how long they took, and those that failed', () => {
    const span = (name: string, more: object) => ({
      ...{ traceId: traced, name, startTimeUnixNano: '1772438401500000000', endTimeUnixNano: '1772438401512300000' },
      ...more,
    });
    const exported = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'lifecycle-delivery' } }] },
          scopeSpans: [
            {
              spans: [
                span('consume', { attributes: [{ key: 'platform.operation_id', value: { stringValue: id } }] }),
                span('publish', { status: { code: 2, message: 'no answer' } }),
                span('elsewhere', { traceId: 'c'.repeat(32) }),
              ],
            },
          ],
        },
      ],
    });
    const { events } = traceOf(found, [{ name: 'spans.jsonl', kind: 'spans', lines: [exported] }]);
    expect(events.filter(({ source }) => source === 'span')).toEqual([
      {
        at: '2026-03-02T08:00:01.500Z',
        source: 'span',
        service: 'lifecycle-delivery',
        what: 'consume',
        detail: '12.3 ms',
      },
      expect.objectContaining({ what: 'publish', detail: 'failed: no answer; 12.3 ms' }),
    ]);
  });

  it('is a table for people that says what is not proven and what was read', () => {
    const text = describeTrace(traceOf(found, [logs(line({ operationId: id }), line({})), logs(line({}))]));
    expect(text).toContain('operation op-1: suspend, succeeded');
    expect(text).toContain('Not proven:\n  That nothing more will happen.');
    expect(text).toContain('operator.log: 1 of 2 lines\n1 files without a line of it');
  });
});
