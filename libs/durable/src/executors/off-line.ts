/** Requests of an off-line command: it asks the broker when there is one, and otherwise continues without an answer. */
import { refused, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import type { IncarnationRecord } from '@platform/service-host';
import { createAskExecutors, type AskExecutors } from './ask-executors';

const brokerWaitMs = 2_000;

export type OffLineRequester = Pick<Messaging, 'request' | 'publish' | 'storedMessages' | 'close'>;

/** Asks no process, because the broker did not answer in time. */
const nobody: OffLineRequester = {
  request: async () => refused({ code: 'disconnected' as const, message: 'the broker does not answer' }),
  publish: async () => 'unknown',
  storedMessages: async () => {
    throw new Error('the broker does not answer');
  },
  close: async () => {},
};

/** The broker that the environment names, or else the local platform's; in production the environment must name one. */
export async function openOffLineRequester(environment = process.env): Promise<OffLineRequester> {
  const base = Number(environment['PORT_BASE'] ?? 7000);
  const local = environment['PLATFORM_MODE'] === 'production' ? undefined : `nats://127.0.0.1:${base + 22}`;
  const { NATS_URL: url = local, NATS_USER: user, NATS_PASSWORD: password, NATS_CA: ca } = environment;
  if (url === undefined) return nobody;
  try {
    return await connectMessaging({
      url,
      name: 'ops',
      topology: platformTopology(),
      ca: ca || undefined,
      log: silentLog,
      signal: AbortSignal.timeout(brokerWaitMs),
      ...(user && password && { credentials: { user, password } }),
    });
  } catch {
    return nobody;
  }
}

/** Sends one request through its own connection, so that a command which asks nothing opens none. */
export const requestOffLine: OffLineRequester['request'] = async (...question) => {
  const messaging = await openOffLineRequester();
  try {
    return await messaging.request(...question);
  } finally {
    await messaging.close();
  }
};

/** Opens a connection for each request, so that a command which asks nothing opens none. */
export function askOffLine(boots: { findById(id: string): Promise<IncarnationRecord | null> }): AskExecutors {
  return async (questions) => {
    if (questions.length === 0) return [];
    const messaging = await openOffLineRequester();
    try {
      return await createAskExecutors({ messaging, boots, now: () => systemClock.now() })(questions);
    } finally {
      await messaging.close();
    }
  };
}
