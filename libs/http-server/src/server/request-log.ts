/** The request id, and a log that contains it: one text finds everything about one request. */
import type { IncomingMessage } from 'node:http';
import { createIds, type Log } from '@platform/kernel';

const ids = createIds();
const sane = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** The caller's `Request-Id` if it is 8 to 64 harmless characters, otherwise a new one. */
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
