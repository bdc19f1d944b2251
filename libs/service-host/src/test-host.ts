/** A process for tests: collects its output and lets the test send signals and failures. */
import type { Environment } from './environment';
import type { Host } from './host';

export interface TestHost extends Host {
  readonly output: string[];
  readonly complaints: string[];
  readonly exits: number[];
  signal(name: string): void;
  fail(error: unknown, origin: string): void;
  /** The first line with the message, when it has been written. Rejects with all lines when the process ended before. */
  logged(message: string): Promise<Record<string, unknown>>;
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
    exit: (code) => {
      exits.push(code);
      listeners.forEach((listener) => listener());
    },
    signal: (name) => signalled(name),
    fail: (error, origin) => failed(error, origin),
    logged: (message) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = output.find((text) => text.includes(`"message":${JSON.stringify(message)}`));
          if (line === undefined && exits.length === 0) return;
          listeners.delete(look);
          if (line !== undefined) resolve(JSON.parse(line) as Record<string, unknown>);
          else reject(new Error(`the process ended before "${message}":\n${output.join('')}${complaints.join('')}`));
        };
        listeners.add(look);
        look();
      }),
    lines: () => output.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
