/**
 * The log interface for code below the composition root. The host's logger redacts; callers must still pass no secrets.
 */
export interface Log {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Logs nothing; for tests that do not read the log. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
