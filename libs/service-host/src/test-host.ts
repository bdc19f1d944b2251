/** A process for tests: collects its output and lets the test send signals and failures. */
import type { Environment } from './environment';
import type { Host } from './host';

export interface TestHost extends Host {
  readonly output: string[];
  readonly complaints: string[];
  readonly exits: number[];
  signal(name: string): void;
  fail(error: unknown, origin: string): void;
  /** Resolves when a line with the message has been written. */
  logged(message: string): Promise<void>;
  /** The JSON lines so far. */
  lines(): Record<string, unknown>[];
}

export function createTestHost(environment: Environment = {}, interactive = false): TestHost {
  const output: string[] = [];
  const complaints: string[] = [];
  const exits: number[] = [];
  const listeners = new Set<() => void>();
  let signalled: (signal: string) => void = () => undefined;
  let failed: (error: unknown, origin: string) => void = () => undefined;
  return {
    environment,
    interactive,
    output,
    complaints,
    exits,
    write: (line) => {
      output.push(line);
      listeners.forEach((listener) => listener());
    },
    complain: (line) => void complaints.push(line),
    onSignal: (listener) => {
      signalled = listener;
    },
    onFatal: (listener) => {
      failed = listener;
    },
    exit: (code) => void exits.push(code),
    signal: (name) => signalled(name),
    fail: (error, origin) => failed(error, origin),
    logged: (message) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!output.some((line) => line.includes(`"message":${JSON.stringify(message)}`))) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    lines: () => output.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
