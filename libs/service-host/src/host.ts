/** The process as the service host sees it; an argument, so that tests can replace it. */
import type { Environment } from './environment';

export interface Host {
  readonly environment: Environment;
  /** Whether a person reads the output. */
  readonly interactive: boolean;
  write(line: string): void;
  complain(line: string): void;
  /** Calls back on SIGTERM and SIGINT. */
  onSignal(listener: (signal: string) => void): void;
  /** Calls back on an unhandled rejection or uncaught exception, instead of ending the process. */
  onFatal(listener: (error: unknown, origin: string) => void): void;
  exit(code: number): void;
}

/**
 * Writes the lines of one turn of the event loop together: a file or a pipe is written synchronously, so every write
 * stops all requests of the process. An exit writes what is left; a killed process loses its last turn.
 */
export function writesPerTurn(write: (text: string) => void, onExit: (flush: () => void) => void): Host['write'] {
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') write(text);
  };
  onExit(flush);
  return (line) => {
    if (lines === '') setImmediate(flush);
    lines += line;
  };
}

/** The real process. Registers nothing but its last write until a listener is given. */
export function processHost(): Host {
  return {
    environment: process.env,
    interactive: process.stdout.isTTY === true,
    write: writesPerTurn(
      (text) => void process.stdout.write(text),
      (flush) => process.once('exit', flush),
    ),
    complain: (line) => void process.stderr.write(line),
    onSignal: (listener) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => listener(signal));
    },
    onFatal: (listener) => {
      process.on('uncaughtException', (error) => listener(error, 'uncaughtException'));
      process.on('unhandledRejection', (error) => listener(error, 'unhandledRejection'));
    },
    exit: (code) => process.exit(code),
  };
}
