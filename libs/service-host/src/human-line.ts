/**
 * One JSON log line as one line for a person at a terminal; stacks follow indented. What other people wrote neither
 * begins a line nor moves anything in that terminal.
 */
import { plainText } from '@platform/command-line';

const colours: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31, fatal: 35 };
const hidden = new Set(['level', 'at', 'message', 'service', 'instance', 'incarnation']);

function paint(colour: number, text: string): string {
  return `\u001b[${colour}m${text}\u001b[0m`;
}

const inLine = (text: string): string => plainText(text).replaceAll('\n', '\\n');

function stackOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string'
    ? value.stack
    : undefined;
}

function shown(value: unknown): string {
  if (stackOf(value) !== undefined) return inLine(String((value as { message?: unknown }).message ?? ''));
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return inLine(value);
  return inLine(JSON.stringify(value) ?? '');
}

/** Formats a line of the JSON format; a line that is not a JSON object is returned unchanged. */
export function humanLine(line: string): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  if (typeof record !== 'object' || record === null) return line;
  const level = String(record['level'] ?? 'info');
  const time = String(record['at'] ?? '').slice(11, 23);
  const fields = Object.entries(record).filter(([name]) => !hidden.has(name));
  const text = fields.map(([name, value]) => `${paint(36, inLine(name))}=${shown(value)}`).join(' ');
  const stacks = fields.flatMap(([, value]) => stackOf(value)?.split('\n').slice(1) ?? []);
  const head = [
    paint(90, time),
    paint(colours[level] ?? 37, level.toUpperCase().padEnd(5)),
    String(record['service'] ?? ''),
    inLine(String(record['message'] ?? '')),
    text,
  ];
  return (
    [head.filter(Boolean).join(' '), ...stacks.map((row) => paint(90, `    ${inLine(row.trim())}`))].join('\n') + '\n'
  );
}
