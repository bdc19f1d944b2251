/**
 * The only place that uses pino. Lines are JSON for machines, or readable lines when a person watches; both pass the
 * same redaction first, so the format never decides what is secret.
 */
import type { Log } from '@platform/kernel';
import pino from 'pino';
import { humanLine } from './human-line';
import { createRedact } from './redact';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof logLevels)[number];

export interface HostLog extends Log {
  /** The process is about to end because of this. */
  fatal(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface LogOptions {
  /** Fields of every line: service, instance, incarnation. */
  readonly base: Readonly<Record<string, string>>;
  readonly level: LogLevel;
  readonly format: 'json' | 'human';
  /** Secret texts that are blanked wherever they appear. */
  readonly secrets?: readonly string[];
  /** Ids of the current work, read for each line; a line's own fields take precedence. */
  readonly fields?: () => Readonly<Record<string, string>>;
  /** Receives whole lines, including the line end. */
  readonly write: (line: string) => void;
}

/** A log that writes synchronously, so that lines before a crash are in the output. */
export function createLog({
  base,
  level,
  format,
  secrets = [],
  fields: underWay = () => ({}),
  write,
}: LogOptions): HostLog {
  const redact = createRedact(secrets);
  const destination = { write: (line: string) => write(format === 'json' ? line : humanLine(line)) };
  const logger = pino(
    {
      base: { ...base },
      level,
      messageKey: 'message',
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const emit = (method: LogLevel | 'fatal') => (fields: Readonly<Record<string, unknown>>, message: string) => {
    if (!logger.isLevelEnabled(method)) return;
    logger[method](redact({ ...underWay(), ...fields }) as Record<string, unknown>, String(redact(message)));
  };
  return { debug: emit('debug'), info: emit('info'), warn: emit('warn'), error: emit('error'), fatal: emit('fatal') };
}
