/** Requests of an off-line command: it asks the broker when there is one, and otherwise continues without an answer. */
import { refused, silentLog, systemClock } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import type { IncarnationRecord } from '@platform/service-host';
import { createAskExecutors, type AskExecutors } from './ask-executors';

const brokerWaitMs = 2_000;

export type OffLineRequester = Pick<Messaging, 'request' | 'publish' | 'storedMessages' | 'close'>;

/** Asks no process, because the broker did not answer in time. */
const noBroker: OffLineRequester = {
  request: async () => refused({ code: 'disconnected' as const, message: 'the broker does not answer' }),
  publish: async () => 'unknown',
  storedMessages: async () => {
    throw new Error('the broker does not answer');
  },
  close: async () => {},
};

type Environment = Readonly<Record<string, string | undefined>>;
type Connect = (options: Parameters<typeof connectMessaging>[0]) => Promise<OffLineRequester>;
type Open = () => Promise<OffLineRequester>;

/** The broker that the environment names, or else the local platform's; in production the environment must name one. */
export async function openOffLineRequester(
  environment: Environment = process.env,
  connect: Connect = connectMessaging,
): Promise<OffLineRequester> {
  const base = Number(environment['PORT_BASE'] ?? 7000);
  const local = environment['PLATFORM_MODE'] === 'production' ? undefined : `nats://127.0.0.1:${base + 22}`;
  const { NATS_URL: url = local, NATS_USER: user, NATS_PASSWORD: password, NATS_CA: ca } = environment;
  if (url === undefined) return noBroker;
  try {
    return await connect({
      url,
      name: 'ops',
      topology: platformTopology(),
      ca: ca || undefined,
      log: silentLog,
      signal: AbortSignal.timeout(brokerWaitMs),
      ...(user && password && { credentials: { user, password } }),
    });
  } catch {
    return noBroker;
  }
}

/** Opens a connection for one use, so that a command which asks nothing opens none. */
async function connected<T>(open: Open, use: (messaging: OffLineRequester) => Promise<T>): Promise<T> {
  const messaging = await open();
  try {
    return await use(messaging);
  } finally {
    await messaging.close();
  }
}

/** Sends each request through its own connection. */
export function offLineRequests(open: Open = openOffLineRequester): Pick<OffLineRequester, 'request'> {
  return { request: (...question) => connected(open, (messaging) => messaging.request(...question)) };
}

/** Sends the questions of one call through one connection. */
export function askOffLine(
  boots: { findById(id: string): Promise<IncarnationRecord | null> },
  open: Open = openOffLineRequester,
): AskExecutors {
  return async (questions) => {
    if (questions.length === 0) return [];
    return connected(open, (messaging) =>
      createAskExecutors({ messaging, boots, now: () => systemClock.now() })(questions),
    );
  };
}
