/**
 * A stateful, deterministic twin of the payment provider's endpoints that this platform uses, for one machine. The
 * provider's official SDK is its client, unchanged.
 */
import { createFaults } from './faults';
import { createIdempotency } from './idempotency';
import { openJournal, type Journal } from './journal';
import { createRefusals } from './http/refusals';
import { createServer, defaultLimits, type Limits } from './http/server';
import { createTurns } from './http/turns';
import type { Host } from './http/pipeline';
import { endpoints } from './resources';
import { openControl } from './control';
import { createState } from './state';
import { createTwin, defaultSeed, defaultStart } from './twin';
import { createWebhooks } from './webhooks';

export interface TwinOptions {
  /** 0 takes any free port. */
  port: number;
  /** Address to bind; 127.0.0.1 unless given. */
  host?: string | undefined;
  /** Same seed and same requests give the same ids and bytes. */
  seed?: string | undefined;
  /** The file in which the state survives restarts; without it nothing is kept. */
  dataFile?: string | undefined;
  /** The start time of a new twin's clock, in seconds since 1970; default 2026-01-01T00:00:00Z. */
  startAt?: number | undefined;
  limits?: Partial<Limits> | undefined;
}

export interface RunningTwin {
  url: string;
  close(): Promise<void>;
}

function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

/** Starts a twin. Rejects when the port is taken, or when the data file is damaged or not a twin's. */
export async function startProviderTwin(options: TwinOptions): Promise<RunningTwin> {
  const state = createState();
  const journal: Journal | undefined = options.dataFile ? openJournal(options.dataFile, state, warn) : undefined;
  const twin = createTwin(state, options.seed ?? defaultSeed, options.startAt ?? defaultStart);
  const webhooks = createWebhooks(twin);
  const faults = createFaults();
  const host: Host = {
    twin,
    faults,
    idempotency: createIdempotency(state),
    turn: createTurns(),
    wakeWebhooks: () => webhooks.wake(),
    stateReplaced: () => webhooks.forgetPauses(),
    reportBug: (error) =>
      void process.stderr.write(`provider twin: ${error instanceof Error ? error.stack : String(error)}\n`),
  };
  let port = options.port;
  const { host: address = '127.0.0.1' } = options;
  const app = createServer(
    host,
    endpoints,
    (scope) => openControl(scope, host, webhooks, (forMs) => refusals.refuseConnections(forMs)),
    { ...defaultLimits, ...options.limits },
  );
  const refusals = createRefusals(app.server, () => ({ host: address, port }));
  try {
    await app.listen({ host: address, port: options.port });
  } catch (error) {
    journal?.close();
    throw error;
  }
  const bound = app.server.address();
  if (typeof bound === 'object' && bound) port = bound.port;
  twin.origin = `http://127.0.0.1:${port}`;
  webhooks.wake();
  return {
    url: twin.origin,
    async close() {
      refusals.end();
      faults.remove();
      await webhooks.close();
      await app.close();
      journal?.close();
    },
  };
}
