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

/** The real process. Registers nothing until a listener is given. */
export function processHost(): Host {
  return {
    environment: process.env,
    interactive: process.stdout.isTTY === true,
    write: (line) => void process.stdout.write(line),
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
