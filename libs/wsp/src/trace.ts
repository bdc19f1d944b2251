/**
 * One record as one timeline: its owner's records, and the log lines and spans of all services that name it or belong
 * to a trace that does. Pure: lines come as text, and events of other records are left out.
 */
import { counted } from '@platform/kernel/text';
import { columns } from '@platform/command-line';
import type { Case } from '@platform/workspace-platform/gateway';

interface TraceEvent {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly source: 'record' | 'delivery' | 'log' | 'span';
  /** The service that reports it; absent for an event of the record itself. */
  readonly service?: string;
  readonly what: string;
  readonly detail?: string;
}

export interface Trace {
  readonly kind: string;
  readonly id: string;
  readonly status: string;
  readonly title: string;
  readonly events: readonly TraceEvent[];
  /** The traces that name the record. */
  readonly traceIds: readonly string[];
  readonly notProven: readonly string[];
  /** Files that were read, and how many lines of each belong to the record. */
  readonly read: readonly { readonly file: string; readonly lines: number; readonly belong: number }[];
}

type Fields = Readonly<Record<string, unknown>>;

interface Said {
  readonly event: TraceEvent;
  readonly traceId: string | undefined;
  readonly names: boolean;
}

/** A file of log lines or of spans. */
export interface TraceFile {
  readonly name: string;
  readonly kind: 'logs' | 'spans';
  readonly lines: readonly string[];
}

/**
 * The timeline of a case with the events in the files, in the order of time; events of one instant keep their order.
 */
export function traceOf(found: Case, files: readonly TraceFile[]): Trace {
  const { kind, id, status, title, notProven } = found;
  const said = files.map((file) => ({
    file,
    all: file.lines.flatMap((line) => (file.kind === 'logs' ? logLine(line, id) : spansOf(line, id))),
  }));
  const naming = said.flatMap(({ all }) => all).filter(({ names }) => names);
  const traceIds = [...new Set(naming.flatMap(({ traceId }) => traceId ?? []))].sort();
  const belongs = ({ names, traceId }: Said) => names || (traceId !== undefined && traceIds.includes(traceId));
  const read = said.map(({ file, all }) => ({
    file: file.name,
    lines: file.lines.length,
    belong: all.filter(belongs).length,
  }));
  const told = said.flatMap(({ all }) => all.filter(belongs).map(({ event }) => event));
  const events = [...recorded(found), ...told].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { kind, id, status, title, events, traceIds, notProven, read };
}

function recorded({ timeline, deliveries }: Case): TraceEvent[] {
  return [
    ...timeline.map(({ at, what, detail }) => ({ at, source: 'record' as const, what, ...(detail && { detail }) })),
    ...deliveries.map(({ createdAt, consumer, status, attemptCount, failureCount, lastError }) => ({
      at: createdAt,
      source: 'delivery' as const,
      what: `Delivery to ${consumer}: ${status}`,
      detail: `sent ${counted(attemptCount, 'time')}, refused ${counted(failureCount, 'time')}${lastError === undefined ? '' : `; ${lastError}`}`,
    })),
  ];
}

/** Whether a text contains the id as a whole and not as a part of another one. */
function namesId(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? ''}${text[at + id.length] ?? ''}`;
    if (!/[A-Za-z0-9_-]/.test(around)) return true;
  }
  return false;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The log message of a step, which the store of each service writes. */
const stepMessage = 'a step is recorded';
const shownInStep = new Set(['record', 'id', 'from', 'to']);

function wordsOf(fields: Fields): string {
  const message = textOf(fields['message']);
  if (message !== stepMessage) return message;
  const [record = '', from, to] = ['record', 'from', 'to'].map((name) => textOf(fields[name]));
  return `${record.replaceAll('_', ' ')} ${from === '' ? 'begins' : `from ${from}`} ${from === '' ? 'as' : 'to'} ${to}`;
}

/** Fields of a log line that the timeline shows in separate columns, or that belong to the process. */
const shownElsewhere = new Set([
  'level',
  'at',
  'service',
  'instance',
  'incarnation',
  'message',
  'traceId',
  'requestId',
]);

/** A line of JSON, perhaps after the name that a container runner puts before it; undefined for other lines. */
function logLine(line: string, id: string): Said[] {
  const fields = jsonOf(line.slice(Math.max(0, line.indexOf('{'))));
  const at = textOf(fields?.['at']);
  if (!fields || Number.isNaN(Date.parse(at))) return [];
  const level = textOf(fields['level']);
  const isStep = fields['message'] === stepMessage;
  const detail = Object.entries(fields)
    .filter(
      ([name, value]) =>
        !shownElsewhere.has(name) && !(isStep && shownInStep.has(name)) && value !== null && value !== id,
    )
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : textOf(value)}`)
    .join(' ');
  const event: TraceEvent = {
    at: new Date(at).toISOString(),
    source: 'log',
    service: textOf(fields['service']),
    what: level === 'info' ? wordsOf(fields) : `${level.toUpperCase()} ${wordsOf(fields)}`,
    ...(detail !== '' && { detail }),
  };
  return [{ event, traceId: textOf(fields['traceId']) || undefined, names: namesId(line, id) }];
}

function jsonOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

interface Attribute {
  readonly key: string;
  readonly value?: { readonly stringValue?: string; readonly intValue?: string | number };
}
interface Span {
  readonly traceId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number; readonly message?: string };
}
interface SpanLine {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Attribute[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly Span[] }[];
  }[];
}

/** What another program has written; nothing where it has not the expected form, as of a line that is no JSON. */
function readable<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** The spans of one export (OTLP, JSON). */
function spansOf(line: string, id: string): Said[] {
  const { resourceSpans = [] } = (jsonOf(line) ?? {}) as SpanLine;
  return readable(() =>
    resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
      const service = resource?.attributes?.find(({ key }) => key === 'service.name')?.value?.stringValue ?? '';
      return scopeSpans.flatMap(({ spans = [] }) =>
        spans.flatMap((span) => readable(() => [spanSaid(span, service, id)])),
      );
    }),
  );
}

const failed = 2;

function spanSaid({ traceId, name, attributes = [], status, ...span }: Span, service: string, id: string): Said {
  const [from, to] = [span.startTimeUnixNano, span.endTimeUnixNano].map(
    (nanos) => Number(BigInt(nanos) / 1_000n) / 1_000,
  );
  const failure = status?.code === failed ? `failed: ${status.message ?? ''}; ` : '';
  return {
    event: {
      at: new Date(from!).toISOString(),
      source: 'span',
      service,
      what: name,
      detail: `${failure}${(to! - from!).toFixed(1)} ms`,
    },
    traceId,
    names: attributes.some(({ value }) => namesId(value?.stringValue ?? '', id)),
  };
}

/** The timeline in lines for people; times are UTC. */
export function describeTrace({ kind, id, title, status, events, traceIds, notProven, read }: Trace): string {
  const rows = events.map(({ at, source, service, what, detail }) => [at, source, service ?? '', what, detail ?? '']);
  return [
    `${kind.replaceAll('_', ' ')} ${id}: ${title}, ${status.replaceAll('_', ' ')}`,
    '',
    columns([['at', 'source', 'service', 'what', 'detail'], ...rows]),
    ...(traceIds.length === 0 ? [] : ['', `Traces: ${traceIds.join(', ')}`]),
    ...(notProven.length === 0 ? [] : ['', 'Not proven:', ...notProven.map((line) => `  ${line}`)]),
    ...(read.length === 0
      ? ['', 'Log lines and spans are read from files: --logs, --spans.']
      : ['', ...filesRead(read)]),
  ].join('\n');
}

function filesRead(read: Trace['read']): string[] {
  const named = read.filter(({ belong }) => belong > 0);
  return [
    ...named.map(({ file, lines, belong }) => `${file}: ${belong} of ${lines} lines`),
    ...(named.length < read.length ? [`${read.length - named.length} files without a line of it`] : []),
  ];
}
