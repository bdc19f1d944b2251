/** The request id, and a log that carries it: one text that finds everything about one request. */
import type { IncomingMessage } from 'node:http';
import { createIds, type Log } from '@platform/kernel';

const ids = createIds();
const sane = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** The caller's `Request-Id` when it is 8 to 64 harmless characters, else a fresh one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['request-id'];
  return typeof given === 'string' && sane.test(given) ? given : ids.next();
}

/** A log that adds the fields to each line. */
export function withFields(log: Log, fields: Readonly<Record<string, unknown>>): Log {
  return {
    debug: (more, message) => log.debug({ ...fields, ...more }, message),
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  };
}
