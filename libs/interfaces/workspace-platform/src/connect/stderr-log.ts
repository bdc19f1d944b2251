/** The default log of a process: warnings and errors as JSON lines on the error output, nothing else. */
import type { Log } from '@platform/kernel';

export function createStderrLog(write: (line: string) => void = (line) => void process.stderr.write(line)): Log {
  const at = (level: 'warn' | 'error') => (fields: Readonly<Record<string, unknown>>, message: string) =>
    write(`${JSON.stringify({ level, at: new Date().toISOString(), message, ...fields })}\n`);
  return { debug() {}, info() {}, warn: at('warn'), error: at('error') };
}
